// The Test Explorer: tests as the server finds them, runs in the sandbox, and solves.

import * as vscode from "vscode";
import type { Client } from "./client";
import * as messages from "./messages";
import type { JobProgress } from "./progress";
import { TestTree } from "./tree";
import { continuously } from "./watch";

/** Results that nobody asked for here come in bursts; after this pause a burst is over. */
const PAUSE_MS = 500;

export type Outcome = messages.TestState["state"]["tag"];

/** One controller for all folders of the window. */
export class Tests implements vscode.Disposable {
  readonly controller = vscode.tests.createTestController("untilgreen", "untilgreen");
  readonly tree: TestTree;
  /** What each test did last, by its id. */
  readonly outcomes = new Map<string, Outcome>();
  readonly run: vscode.TestRunProfile;
  readonly solve: vscode.TestRunProfile;
  private readonly runs = new Map<string, vscode.TestRun>();
  private burst: { run: vscode.TestRun; timer: NodeJS.Timeout } | undefined;

  constructor(
    private readonly client: Client,
    progress: JobProgress,
  ) {
    this.tree = new TestTree(client, this.controller);
    const { Run } = vscode.TestRunProfileKind;
    const profile = (label: string, command: string, isDefault: boolean) =>
      this.controller.createRunProfile(
        label,
        Run,
        (request, token) =>
          request.continuous
            ? continuously(client, this.folders(request), command, token)
            : this.start(command, request, token),
        isDefault,
        undefined,
        true,
      );
    this.run = profile("Run in sandbox", messages.TEST, true);
    this.solve = profile("Solve until green", messages.SOLVE, false);
    client.onTestState((told) => this.told(told));
    client.onLife((alive) => (alive ? void this.tree.begin() : this.endAll()));
    progress.onReport(({ job, message }) => this.runs.get(job)?.appendOutput(`${message}\r\n`));
    progress.onEnd((job) => this.end(job));
  }

  dispose(): void {
    this.endAll();
    this.controller.dispose();
  }

  private async start(
    command: string,
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const wanted = [...this.tree.wanted(request)];
    const run = this.controller.createTestRun(request);
    const jobs: string[] = [];
    for (const [folder, items] of wanted) {
      const tests = items.map((item) => this.tree.nameOf(item.id)).filter(Boolean);
      const args = { uri: folder, tests };
      const answer = await vscode.commands.executeCommand<messages.Started>(command, args);
      if (answer?.job) {
        jobs.push(answer.job);
        this.runs.set(answer.job, run);
        items.forEach((item) => run.started(item));
      } else {
        run.appendOutput(`${answer?.reason ?? "The server is not running."}\r\n`);
      }
    }
    if (!jobs.length) {
      run.end();
    }
    const stop = () => jobs.forEach((job) => void this.client.ask(messages.STOP, { job }));
    token.onCancellationRequested(stop);
    if (token.isCancellationRequested) {
      stop();
    }
  }

  private told({ testId, job, state }: messages.TestState): void {
    const item = this.tree.ensure(testId);
    if (!item) {
      return;
    }
    const run = this.runs.get(job ?? "") ?? this.inBurst();
    const took = state.seconds === undefined ? undefined : state.seconds * 1000;
    this.outcomes.set(testId, state.tag);
    if (state.tag === "passed") {
      run.passed(item, took);
    } else if (state.tag === "failed") {
      run.failed(item, failureOf(item, state), took);
    } else if (state.tag === "skipped") {
      run.skipped(item);
    } else {
      run.enqueued(item);
    }
  }

  private inBurst(): vscode.TestRun {
    if (this.burst) {
      this.burst.timer.refresh();
      return this.burst.run;
    }
    const run = this.controller.createTestRun(new vscode.TestRunRequest(), undefined, false);
    const timer = setTimeout(() => {
      this.burst = undefined;
      run.end();
    }, PAUSE_MS);
    this.burst = { run, timer };
    return run;
  }

  private folders(request: vscode.TestRunRequest): string[] {
    return [...this.tree.wanted(request).keys()];
  }

  private end(job: string): void {
    const run = this.runs.get(job);
    this.runs.delete(job);
    if (run && ![...this.runs.values()].includes(run)) {
      run.end();
    }
  }

  private endAll(): void {
    for (const job of [...this.runs.keys()]) {
      this.end(job);
    }
  }
}

function failureOf(item: vscode.TestItem, state: messages.TestState["state"]): vscode.TestMessage {
  const said = state.message ?? "failed";
  const message =
    state.expected !== undefined && state.actual !== undefined
      ? vscode.TestMessage.diff(said, state.expected, state.actual)
      : new vscode.TestMessage(said);
  const line = state.line !== undefined ? new vscode.Position(state.line - 1, 0) : item.range?.start;
  if (item.uri && line) {
    message.location = new vscode.Location(item.uri, line);
  }
  return message;
}
