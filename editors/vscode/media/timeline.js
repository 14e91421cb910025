// The way of a job to green, drawn from its events alone. Whoever shows this page posts messages to its window:
//   {type: "event", event}                 something happened, now
//   {type: "journal", job, events}         all that happened in an earlier job
//   {type: "history", jobs}                the newest jobs of the workspace
//   {type: "waiting", jobs}                whose fixes can be written now
//   {type: "gone"}                         what ran until now does not run any more
// and hears {type: "ready" | "open" | "review" | "apply" | "stop", …} from it.

import { plotOf } from "./plot.js";
import { storyOf, titleOf } from "./story.js";

const host = globalThis.acquireVsCodeApi?.() ?? { postMessage: (wish) => window.parent.postMessage(wish, "*") };
const at = (id) => document.getElementById(id);

/** Events by job. */
const jobs = new Map();
/** Jobs that were heard of while they ran: what they tried is still there to be looked at. */
const live = new Set();
let waiting = new Set();
let shown;
let summaries = [];
let isDrawn = true;
/** What each part of the page holds, as text. */
const drawn = new Map();

window.addEventListener("message", ({ data }) => {
  if (data.type === "event") {
    const { event } = data;
    jobs.set(event.job, [...(jobs.get(event.job) ?? []), event]);
    live.add(event.job);
    if (event.type === "job_started" && event.kind === "solve") {
      shown = event.job;
    }
    shown ??= event.job;
  } else if (data.type === "journal") {
    jobs.set(data.job, data.events);
    shown = data.job;
  } else if (data.type === "history") {
    summaries = data.jobs;
  } else if (data.type === "waiting") {
    waiting = new Set(data.jobs);
  } else if (data.type === "gone") {
    live.clear();
    waiting.clear();
  }
  // Events come in bursts; one drawing for each is enough for nobody's eyes.
  if (isDrawn) {
    isDrawn = false;
    requestAnimationFrame(draw);
  }
});
host.postMessage({ type: "ready" });

function draw() {
  isDrawn = true;
  drawHistory();
  if (!shown) {
    return;
  }
  const story = storyOf(jobs.get(shown) ?? []);
  const { verdict } = story;
  at("title").textContent = titleOf(story);
  at("state").textContent = isBroken(story) ? `Broke off with its server; the last word: ${story.state}` : story.state;
  at("note").textContent = isLost(story) ? "This fix is no longer kept. Solve again to look at it or to apply it." : "";
  at("facts").textContent = factsOf(story).join(" · ");
  fill("buttons", buttonsOf(story));
  fill("attempts", [...story.attempts.values()].map(attemptItem));
  at("attempts-title").hidden = story.attempts.size === 0;
  const rivals = verdict?.rival_diffs ?? [];
  fill("rivals", rivals.map((diff, n) => rivalItem(diff, n + 1)));
  at("rivals-title").hidden = rivals.length === 0;
  at("difference").textContent = rivals.length ? (verdict.difference ?? "") : "";
  fill("log", story.log.map((text) => element("li", { textContent: text })));
  at("more").hidden = story.log.length === 0;
  at("plot").hidden = story.points.length === 0;
  fill("canvas", story.points.length ? [plotOf(story)] : []);
}

function factsOf({ ended, verdict, attempts, tests, points }) {
  const spent = [...attempts.values()].map((attempt) => attempt.spent ?? {});
  const sum = (name) => spent.reduce((total, each) => total + (each[name] ?? 0), 0);
  const facts = [];
  if (tests && points.length) {
    facts.push(`${points.at(-1).passed} of ${tests} tests passed`);
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
  facts.push(...(verdict?.patch.length ? [sureOf(verdict)] : []));
  return facts;
}

/** How sure one can be of a fix. */
function sureOf({ confidence, rival_diffs }) {
  const doubt = rival_diffs?.length ? "rivals may behave differently" : "needs your eyes";
  return { unique: "no rival was found", agreed: "what else was found behaves the same" }[confidence] ?? doubt;
}

/** Only what would be done: what is written, discarded or of an earlier day is not offered. */
function buttonsOf({ ended, verdict, kind }) {
  if (ended === undefined) {
    return live.has(shown) && kind !== "undo" ? [button("Stop", { type: "stop", job: shown })] : [];
  }
  if (!verdict?.patch.length || !live.has(shown)) {
    return [];
  }
  const review = button("Review the fix", { type: "review", job: shown });
  return waiting.has(shown) ? [button("Apply", { type: "apply", job: shown }, "main"), review] : [review];
}

/** It will not end any more: whoever ran it is gone. */
function isBroken({ ended }) {
  return ended === undefined && !live.has(shown);
}

/** What was found and never written went with whoever found it. */
function isLost({ verdict, isWritten }) {
  return Boolean(verdict?.patch.length) && !isWritten && !live.has(shown);
}

function attemptItem({ n, hypothesis, fixed, broken, seconds, faults, findings, paths, spent, passed, tests }) {
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
  if (paths?.length && isOver && live.has(shown)) {
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
    ...(waiting.has(shown) ? [button("Choose this one", { type: "apply", job: shown, rival }), " "] : []),
    ...(live.has(shown) ? [button("See it beside your code", { type: "review", job: shown, rival }, "link")] : []),
  );
  return item;
}

function drawHistory() {
  const known = new Set(summaries.map(({ job }) => job));
  const running = [...jobs.keys()].filter((job) => !known.has(job)).reverse();
  const lines = [
    ...running.map((job) => ({ job, ...brief(storyOf(jobs.get(job)), live.has(job)) })),
    ...summaries.map(({ job, kind, tests, paths, verdict, state, t }) => ({
      job,
      text: titleOf({ kind, goal: tests, paths }),
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

function brief(story, isLive) {
  const { kind, verdict, failed, ended } = story;
  const otherwise = failed ? "failed" : ended !== undefined ? "done" : isLive ? "running" : "broke off";
  return { text: titleOf(story), more: wordOf(kind, verdict?.kind ?? otherwise) };
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

/** Replaced only when it is another, and who is on a button with the keyboard stays on it. */
function fill(id, children) {
  const holder = at(id);
  const now = children.map((child) => child.outerHTML).join("");
  if (drawn.get(id) !== now) {
    const held = holder.contains(document.activeElement) ? nameOf(document.activeElement) : "";
    drawn.set(id, now);
    holder.replaceChildren(...children);
    const same = held && [...holder.querySelectorAll("button, pre")].find((other) => nameOf(other) === held);
    if (same) {
      same.focus();
    }
  }
}

/** What makes a button the same after it was drawn anew. */
function nameOf({ textContent, dataset }) {
  return [textContent, dataset.wish, dataset.job].join(" ");
}
