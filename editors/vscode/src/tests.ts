// The Test Explorer: tests as the server finds them, runs in the sandbox, and solves.

import * as vscode from "vscode";
import type { Client } from "./client";
import * as messages from "./messages";
import { aside } from "./output";
import type { JobProgress } from "./progress";
import { TestTree } from "./tree";
import { ContinuousRuns } from "./watch";

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
  private readonly continuous: ContinuousRuns;
  private readonly subscriptions: vscode.Disposable[];
  private begun = 0;
  private burst: { run: vscode.TestRun; timer: NodeJS.Timeout } | undefined;

  constructor(
    context: vscode.ExtensionContext,
    private readonly client: Client,
    progress: JobProgress,
  ) {
    this.tree = new TestTree(client, this.controller);
    this.continuous = new ContinuousRuns(context, client);
    const { Run } = vscode.TestRunProfileKind;
    const profile = (label: string, command: string, isDefault: boolean) =>
      this.controller.createRunProfile(
        label,
        Run,
        (request, token) =>
          request.continuous
            ? this.continuous.begin(this.tree.wanted(request), command, token)
            : this.start(command, request, token),
        isDefault,
        undefined,
        true,
      );
    this.run = profile("Run in sandbox", messages.TEST, true);
    this.solve = profile("Solve until green", messages.SOLVE, false);
    this.subscriptions = [
      client.onTestState((told) => this.told(told)),
      client.onLife((alive) => (alive ? aside(client.log, this.tree.begin()) : this.endAll())),
      progress.onReport(({ job, message }) => this.runs.get(job)?.appendOutput(`${message}\r\n`)),
      progress.onEnd((job) => this.end(job)),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.endAll();
    this.endBurst();
    this.tree.dispose();
    this.continuous.dispose();
    this.controller.dispose();
  }

  private async start(
    command: string,
    request: vscode.TestRunRequest,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const run = this.controller.createTestRun(request);
    // Held until all folders were asked: the first may be done before the last has begun.
    const beginning = `beginning ${++this.begun}`;
    this.runs.set(beginning, run);
    const jobs: string[] = [];
    const stop = () => jobs.forEach((job) => aside(this.client.log, this.client.ask(messages.STOP, { job })));
    token.onCancellationRequested(stop);
    try {
      for (const [folder, items] of this.tree.wanted(request)) {
        const tests = items.map((item) => this.tree.nameOf(item.id)).filter(Boolean);
        const answer = await this.ask(command, { uri: folder, tests });
        if (answer?.job) {
          jobs.push(answer.job);
          this.runs.set(answer.job, run);
          items.forEach((item) => run.started(item));
        } else {
          run.appendOutput(`${answer?.reason ?? "The server is not running."}\r\n`);
        }
      }
    } finally {
      this.end(beginning);
    }
    if (token.isCancellationRequested) {
      stop();
    }
  }

  /** As the palette would, so that a solve shows its progress; without a server there is no such command. */
  private async ask(command: string, args: messages.RunArguments): Promise<messages.Started | undefined> {
    return this.client.isRunning ? vscode.commands.executeCommand<messages.Started>(command, args) : undefined;
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
    this.burst = { run, timer: setTimeout(() => this.endBurst(), PAUSE_MS) };
    return run;
  }

  private endBurst(): void {
    clearTimeout(this.burst?.timer);
    this.burst?.run.end();
    this.burst = undefined;
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
