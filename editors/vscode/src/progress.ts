// The progress of jobs. A solve that the user asked for shows as a notification with Cancel; the protocol's own
// progress hides its Cancel where nobody finds it.

import * as vscode from "vscode";
import type { Middleware } from "vscode-languageclient";
import * as messages from "./messages";
import { aside } from "./output";

const TOKEN = "untilgreen-";

interface Shown {
  report(message: string): void;
  end(): void;
}

/** Hears of all jobs, and takes over the progress of some. */
export class JobProgress {
  private readonly asked = new Set<string>();
  private readonly shown = new Map<string, Shown>();
  private readonly reports = new vscode.EventEmitter<{ job: string; message: string }>();
  private readonly ends = new vscode.EventEmitter<string>();
  readonly onReport = this.reports.event;
  /** All that a job says has been said. */
  readonly onEnd = this.ends.event;

  constructor(private readonly log: vscode.LogOutputChannel) {}

  /** The user asked for this solve. */
  expect(job: string): void {
    this.asked.add(job);
  }

  readonly progressed: NonNullable<Middleware["handleWorkDoneProgress"]> = (token, params, next) => {
    const job = String(token).startsWith(TOKEN) ? String(token).slice(TOKEN.length) : "";
    if (params.kind === "report" && params.message) {
      this.reports.fire({ job, message: params.message });
    } else if (params.kind === "end") {
      this.ends.fire(job);
    }
    if (!this.asked.has(job)) {
      next(token, params);
    } else if (params.kind === "begin") {
      this.shown.set(job, begin(job, params.title, this.log));
    } else if (params.kind === "report") {
      this.shown.get(job)?.report(params.message ?? "");
    } else {
      this.end(job);
      // The protocol's own progress was never shown, and is told that it is over.
      next(token, params);
    }
  };

  /** The server is gone, and all that it was doing. */
  endAll(): void {
    for (const job of [...this.shown.keys()]) {
      this.end(job);
    }
  }

  private end(job: string): void {
    this.shown.get(job)?.end();
    this.shown.delete(job);
    this.asked.delete(job);
  }
}

function begin(job: string, title: string, log: vscode.LogOutputChannel): Shown {
  let show: vscode.Progress<{ message: string }> | undefined;
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const location = vscode.ProgressLocation.Notification;
  void vscode.window.withProgress({ location, title, cancellable: true }, (progress, cancel) => {
    show = progress;
    cancel.onCancellationRequested(() => aside(log, vscode.commands.executeCommand(messages.STOP, { job })));
    return ended;
  });
  return { report: (message) => show?.report({ message }), end };
}
