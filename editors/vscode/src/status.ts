// The status bar item: how things stand, and a menu of what can be done about it.

import * as vscode from "vscode";
import { nameOf } from "./folders";
import type { Status } from "./messages";
import type { Standing } from "./state";

interface Entry extends vscode.QuickPickItem {
  command: string;
  /** The job that the entry tells of, whatever is on the screen. */
  job?: string;
}

export function statusItem(standing: Standing): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("untilgreen", vscode.StatusBarAlignment.Left, 10);
  item.name = "untilgreen";
  item.command = "untilgreen.menu";
  const show = () => {
    item.text = textOf(standing);
    item.tooltip = standing.problem || wordsOf(standing) || "untilgreen";
    item.accessibilityInformation = { label: `untilgreen: ${item.tooltip}`, role: "button" };
    const wrong = standing.problem || standing.status.health === "error";
    item.backgroundColor = wrong ? new vscode.ThemeColor("statusBarItem.errorBackground") : undefined;
  };
  show();
  item.show();
  return vscode.Disposable.from(item, standing.onChange(show));
}

export async function showMenu(standing: Standing): Promise<void> {
  const chosen = await vscode.window.showQuickPick(entries(standing), {
    title: "untilgreen",
    placeHolder: standing.problem || briefOf(standing) || "The server is not running.",
  });
  if (chosen) {
    await vscode.commands.executeCommand(chosen.command, ...(chosen.job ? [chosen.job] : []));
  }
}

/** What fits into one line: of each part what comes first, and all of what is wrong. */
function briefOf({ status }: Pick<Standing, "status">): string {
  const parts = status.message.split(" · ");
  return status.health === "error" ? status.message : parts.map((part) => part.split(", ")[0]).join(" · ");
}

/** How things stand, what a save does, and what watch mode waits for. */
function wordsOf({ status }: Standing): string {
  return [status.message, ...(status.watch.length ? [`watch mode: ${watchedIn(status)}`] : [])].join(" · ");
}

/** Folders have names where they differ. */
function watchedIn({ watch }: Status): string {
  const said = watch.map(({ mode, message }) => (message ? `${mode}, ${message}` : mode));
  return new Set(said).size > 1 ? watch.map(({ folder }, n) => `${nameOf(folder)}: ${said[n]}`).join("; ") : said[0];
}

function textOf(standing: Standing): string {
  const { status, problem, isRunning } = standing;
  if (problem || status.health === "error") {
    return "$(error) untilgreen";
  }
  if (!isRunning) {
    return "$(circle-slash) untilgreen";
  }
  if (status.jobs.length) {
    return `$(sync~spin) ${status.message.split(" · ")[0] || "untilgreen"}`;
  }
  if (standing.fix) {
    return "$(verified) fix ready";
  }
  return status.watch.length ? "$(eye) untilgreen" : "$(check) untilgreen";
}

function entries({ status, fix, isRunning }: Standing): Entry[] {
  const found: Entry[] = [];
  const add = (icon: string, label: string, command: string, detail?: string, job?: string) =>
    found.push({ label: `$(${icon}) ${label}`, command, detail, job });
  if (status.jobs.length) {
    add("debug-stop", "Stop", "untilgreen.stopAll", briefOf({ status }));
  }
  if (fix) {
    add("diff-multiple", "Review the fix", "untilgreen.reviewFix", fix.reason, fix.job);
    add("check", "Apply the fix", "untilgreen.applyFix", undefined, fix.job);
    add("trash", "Discard the fix", "untilgreen.discardFix", undefined, fix.job);
  }
  if (isRunning) {
    const watched = status.watch.map(({ mode, message }) => message || mode).join(", ");
    add("play", "Solve until green: everything failing", "untilgreen.solveAll");
    add("beaker", "Run all tests in the sandbox", "untilgreen.testAll");
    add("discard", "Undo the last solve", "untilgreen.undoLast");
    add("eye", "Watch…", "untilgreen.switchWatch", watched);
    add("graph-line", "Timeline", "untilgreen.showTimeline");
    add("pulse", "Doctor", "untilgreen.runDoctor");
  }
  add("output", "Output", "untilgreen.showOutput");
  add("refresh", "Restart the server", "untilgreen.restart");
  return found;
}
