// The events of a job, read into one object that says what they mean.

/** What the events of a job say. */
export function storyOf(events) {
  const story = { attempts: new Map(), points: [], log: [], state: "", verdict: undefined, begun: 0, tests: 0 };
  for (const event of events) {
    story.begun ||= event.t;
    const seconds = event.t - story.begun;
    const attempt = (n) => story.attempts.get(n) ?? story.attempts.set(n, { n }).get(n);
    const told = wordsOf(event, story.kind === "test");
    if (told) {
      story.log.push(`${seconds.toFixed(1)} s · ${told}`);
      story.state = told;
    }
    switch (event.type) {
      case "job_started":
        Object.assign(story, { kind: event.kind, goal: event.tests, cause: event.cause });
        break;
      case "baseline_done": {
        const { cases, passed } = event.report;
        const bad = cases.filter(({ outcome }) => outcome === "failed" || outcome === "error").length;
        story.tests = cases.length + Object.keys(passed).length;
        story.points.push({ seconds, passed: story.tests - bad, name: "first run", good: bad === 0 });
        break;
      }
      case "testing":
        Object.assign(attempt(event.attempt), { hypothesis: event.hypothesis, paths: event.paths });
        break;
      case "tested":
        Object.assign(attempt(event.attempt.n), event.attempt);
        if (event.attempt.tests) {
          story.tests = Math.max(story.tests, event.attempt.tests);
          const { n, passed, faults } = event.attempt;
          story.points.push({ seconds, passed, name: `attempt ${n}`, good: faults.length === 0 });
        }
        break;
      case "finished":
        Object.assign(story, { verdict: event.verdict, ended: seconds });
        break;
      case "failed":
        Object.assign(story, { failed: event.reason, ended: seconds });
        break;
      case "applied":
        Object.assign(story, { isWritten: true });
        break;
      case "undone":
        Object.assign(story, { paths: event.paths, ended: seconds });
    }
  }
  return story;
}

/** What a job is called. */
export function titleOf({ kind, goal, paths }) {
  if (kind === "undo") {
    return `Undo: ${paths?.join(", ") || "the last fix"}`;
  }
  return `${kind === "solve" ? "Solve until green" : "Run"}: ${goal?.join(", ") || "all tests"}`;
}

function wordsOf(event, isTest) {
  switch (event.type) {
    case "job_started":
      return event.kind === "undo"
        ? "taking a fix back"
        : `${event.kind === "solve" ? "solving" : "running"} ${event.tests.join(", ") || "all tests"}`;
    case "preparing":
      return event.text;
    case "box_opened":
      return `sandbox: ${event.description}`;
    case "plan_made":
      return `running ${event.tests} tests`;
    case "baseline_done":
      return "first run done";
    case "flaky_found":
      return `flaky, not counted: ${event.tests.join(", ")}`;
    case "coding":
      return `attempt ${event.attempt}: looking for a fix`;
    case "searching":
      return `attempt ${event.attempt}: ${event.text}`;
    case "told":
      return `${event.solver}: ${event.text}`;
    case "refused":
      return `attempt ${event.attempt} refused: ${event.findings[0]?.reason ?? ""}`;
    case "testing":
      return `attempt ${event.attempt}: ${event.hypothesis || "testing"}`;
    case "reflecting":
      return event.reflection.advice === "go_on" ? "" : event.reflection.text;
    case "verifying":
      return `verifying ${event.tests} tests in a fresh sandbox`;
    case "finished":
      return isTest ? event.verdict.reason : `${event.verdict.kind.replace("_", " ")}: ${event.verdict.reason}`;
    case "failed":
      return event.reason;
    case "applied":
      return `written: ${event.paths.join(", ")}`;
    case "undone":
      return `taken back: ${event.paths.join(", ")}`;
    default:
      return "";
  }
}
