// The way of a job to green, drawn from its events alone. Whoever shows this page posts messages to its window:
//   {type: "event", event}                 something happened, now
//   {type: "journal", job, events}         all that happened in an earlier job
//   {type: "history", jobs}                the newest jobs of the workspace
// and hears {type: "ready" | "open" | "review" | "apply" | "stop", …} from it.

const host = globalThis.acquireVsCodeApi?.() ?? { postMessage: (wish) => window.parent.postMessage(wish, "*") };
const at = (id) => document.getElementById(id);
const WIDTH = 480;
const HEIGHT = 110;
const EDGE = 24;

/** Events by job. */
const jobs = new Map();
let shown;
let summaries = [];
let isDrawn = true;
/** What each part of the page holds, as text. */
const drawn = new Map();

window.addEventListener("message", ({ data }) => {
  if (data.type === "event") {
    const { event } = data;
    jobs.set(event.job, [...(jobs.get(event.job) ?? []), event]);
    if (event.type === "job_started" && event.kind === "solve") {
      shown = event.job;
    }
    shown ??= event.job;
  } else if (data.type === "journal") {
    jobs.set(data.job, data.events);
    shown = data.job;
  } else if (data.type === "history") {
    summaries = data.jobs;
  }
  // Events come in bursts; one drawing for each is enough for nobody's eyes.
  if (isDrawn) {
    isDrawn = false;
    requestAnimationFrame(draw);
  }
});
host.postMessage({ type: "ready" });

/** What the events of a job say, in one object. */
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
        story.applied = event.paths;
    }
  }
  return story;
}

function wordsOf(event, isTest) {
  switch (event.type) {
    case "job_started":
      return `${event.kind === "solve" ? "solving" : "running"} ${event.tests.join(", ") || "all tests"}`;
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

function draw() {
  isDrawn = true;
  drawHistory();
  if (!shown) {
    return;
  }
  const story = storyOf(jobs.get(shown) ?? []);
  const { verdict } = story;
  at("title").textContent = `${story.kind === "solve" ? "Solve until green" : "Run"}: ${story.goal?.join(", ") || "all tests"}`;
  at("state").textContent = story.state;
  at("facts").textContent = factsOf(story).join(" · ");
  fill("buttons", buttonsOf(story));
  fill("attempts", [...story.attempts.values()].map((attempt) => attemptItem(attempt, story)));
  at("attempts-title").hidden = story.attempts.size === 0;
  const rivals = verdict?.rival_diffs ?? [];
  fill("rivals", rivals.map((diff, n) => rivalItem(diff, n + 1)));
  at("rivals-title").hidden = rivals.length === 0;
  at("difference").textContent = rivals.length ? (verdict.difference ?? "") : "";
  fill("log", story.log.map((text) => element("li", { textContent: text })));
  at("more").hidden = story.log.length === 0;
  drawPlot(story);
}

function factsOf({ ended, verdict, attempts, tests, points }) {
  const spent = [...attempts.values()].map((attempt) => attempt.spent ?? {});
  const sum = (name) => spent.reduce((total, each) => total + (each[name] ?? 0), 0);
  const facts = [];
  if (tests && points.length) {
    facts.push(`${points.at(-1).passed} of ${tests} tests pass`);
  }
  if (ended !== undefined) {
    facts.push(`${ended.toFixed(1)} s`);
  }
  const candidates = verdict?.spent.candidates ?? sum("candidates");
  const tokens = verdict?.spent.tokens ?? sum("tokens");
  const usd = verdict?.spent.usd ?? sum("usd");
  facts.push(...(candidates ? [`${candidates.toLocaleString("en")} candidates`] : []));
  facts.push(...(tokens ? [`${tokens.toLocaleString("en")} tokens`] : []));
  facts.push(...(attempts.size ? [usd ? `$${usd.toFixed(4)}` : "no cost"] : []));
  facts.push(...(verdict?.confidence && verdict.patch.length ? [verdict.confidence] : []));
  return facts;
}

function buttonsOf({ ended, verdict, applied, failed }) {
  if (ended === undefined && !failed) {
    return [button("Stop", { type: "stop", job: shown })];
  }
  if (!verdict?.patch.length) {
    return [];
  }
  const review = button("Review the fix", { type: "review", job: shown });
  return applied ? [review] : [button("Apply", { type: "apply", job: shown }, "main"), review];
}

function attemptItem({ n, hypothesis, fixed, broken, seconds, faults, findings, paths, spent, passed, tests }, story) {
  const isOver = seconds !== undefined;
  const good = isOver && !faults?.length && !findings?.length;
  const result = !isOver ? "being tested" : good ? "looks green" : (findings?.[0]?.reason ?? faults[0]);
  const facts = [result];
  if (isOver) {
    facts.push(`${fixed.length} fixed, ${broken.length} broken`, `${seconds.toFixed(1)} s`);
    facts.push(...(tests ? [`${passed} of ${tests} pass`] : []));
    facts.push(...(spent?.usd ? [`$${spent.usd.toFixed(4)}`] : []));
  }
  const item = element("li", { className: isOver ? (good ? "good" : "bad") : "" });
  item.append(
    element("p", { className: "name", textContent: `Attempt ${n}` }),
    prose(hypothesis ?? ""),
    element("p", { className: "quiet", textContent: facts.join(" · ") }),
  );
  if (paths?.length && story.ended !== undefined) {
    item.append(button(`See the changes in ${paths.join(", ")}`, { type: "review", job: shown, attempt: n }, "link"));
  }
  return item;
}

function rivalItem(diff, rival) {
  const item = element("li", {});
  const code = element("pre", { tabIndex: 0 });
  for (const line of diff.split("\n").filter((text) => /^[-+@ ]/.test(text) && !/^(---|\+\+\+)/.test(text))) {
    const className = line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "";
    code.append(element("span", { className, textContent: `${line}\n` }));
  }
  item.append(
    element("p", { className: "name", textContent: `Rival ${rival}: the tests pass with it, too` }),
    code,
    button("Choose this one", { type: "apply", job: shown, rival }),
    " ",
    button("See it beside your code", { type: "review", job: shown, rival }, "link"),
  );
  return item;
}

function drawHistory() {
  const known = new Set(summaries.map(({ job }) => job));
  const live = [...jobs.keys()].filter((job) => !known.has(job)).reverse();
  const lines = [
    ...live.map((job) => ({ job, ...brief(storyOf(jobs.get(job))) })),
    ...summaries.map(({ job, kind, tests, verdict, state, t }) => ({
      job,
      text: `${kind} ${tests.join(", ") || "all tests"}`,
      more: [wordOf(kind, verdict), state, new Date(t * 1000).toLocaleString()].filter(Boolean).join(" · "),
    })),
  ];
  fill(
    "history",
    lines.map(({ job, text, more }) => {
      const item = element("li", {});
      const open = element("button", { className: "link", textContent: text, onclick: () => show(job) });
      open.dataset.job = job;
      if (job === shown) {
        open.setAttribute("aria-current", "true");
      }
      item.append(open, element("span", { className: "quiet", textContent: ` ${more}` }));
      return item;
    }),
  );
}

function brief({ kind, goal, verdict, failed }) {
  return { text: `${kind} ${goal?.join(", ") || "all tests"}`, more: wordOf(kind, verdict?.kind ?? (failed ? "failed" : "running")) };
}

/** A run of tests is not stuck: it tried nothing. */
function wordOf(kind, verdict) {
  return kind === "test" && verdict === "stuck" ? "not green" : verdict.replace("_", " ");
}

function show(job) {
  if (jobs.has(job)) {
    shown = job;
    draw();
  } else {
    host.postMessage({ type: "open", job });
  }
}

/** Steps, as a run holds until the next; the same numbers are in the attempts below it. */
function drawPlot({ points, tests, ended }) {
  at("plot").hidden = points.length === 0;
  if (!points.length) {
    return;
  }
  const last = Math.max(ended ?? 0, points.at(-1).seconds, 1);
  const x = (seconds) => EDGE + (seconds / last) * (WIDTH - 2 * EDGE);
  const y = (passed) => HEIGHT - EDGE - (passed / tests) * (HEIGHT - 2 * EDGE);
  const path = points.map(({ seconds, passed }, n) =>
    n ? `H ${x(seconds)} V ${y(passed)}` : `M ${x(seconds)} ${y(passed)}`,
  );
  const told = points.map(({ name, passed }) => `${name}: ${passed} of ${tests}`).join("; ");
  const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `Tests that pass: ${told}` });
  svg.append(
    shape("path", { class: "axis", fill: "none", d: `M ${EDGE} ${EDGE / 2} V ${HEIGHT - EDGE} H ${WIDTH - EDGE}` }),
    shape("path", { class: "step", d: [...path, `H ${x(last)}`].join(" ") }),
    ...points.map(({ seconds, passed, name, good }) => {
      const dot = shape("circle", { class: good ? "dot" : "dot bad", cx: x(seconds), cy: y(passed), r: 4 });
      dot.append(shape("title", {}, `${name}: ${passed} of ${tests}`));
      return dot;
    }),
    shape("text", { x: 2, y: y(tests) + 4 }, String(tests)),
    shape("text", { x: 2, y: y(0) + 4 }, "0"),
    shape("text", { x: WIDTH - EDGE, y: HEIGHT - 8, "text-anchor": "end" }, `${last.toFixed(1)} s`),
  );
  fill("canvas", [svg]);
}

function button(text, wish, className = "") {
  const made = element("button", { textContent: text, className, onclick: () => host.postMessage(wish) });
  // Two buttons that say the same and mean different jobs are different.
  made.dataset.wish = JSON.stringify(wish);
  return made;
}

/** A sentence with code between backticks. */
function prose(text) {
  const made = element("p", {});
  made.append(...text.split("`").map((part, n) => (n % 2 ? element("code", { textContent: part }) : part)));
  return made;
}

function element(name, properties) {
  return Object.assign(document.createElement(name), properties);
}

function shape(name, attributes, text = "") {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    made.setAttribute(key, value);
  }
  made.textContent = text;
  return made;
}

/** Replaced only when it is another: who is on a button with the keyboard stays there. */
function fill(id, children) {
  const holder = at(id);
  const now = children.map((child) => child.outerHTML).join("");
  if (drawn.get(id) !== now) {
    drawn.set(id, now);
    holder.replaceChildren(...children);
  }
}
