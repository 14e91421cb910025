// The line to the server: started, restarted when asked, and what passes over it on the way.

import * as vscode from "vscode";
import {
  CloseAction,
  ErrorAction,
  ErrorCodes,
  type ErrorHandler,
  type Middleware,
  ResponseError,
  State,
  type StaticFeature,
} from "vscode-languageclient";
import { LanguageClient, type LanguageClientOptions, TransportKind } from "vscode-languageclient/node";
import * as messages from "./messages";
import { aside, readLog } from "./output";
import { onInterpreter, selectedInterpreter } from "./python";
import { Remediable, type Remedy } from "./remedy";
import { serverCommand, whyNot } from "./server";

/** Crashes in this time are too many. */
const RESTARTS = 4;
const RESTARTS_MS = 3 * 60 * 1000;
const OTHERWISE: Remedy[] = ["Show Output", "Try Again"];
/** Nobody will answer any more. */
const LOST: number[] = [ErrorCodes.PendingResponseRejected, ErrorCodes.ConnectionInactive];

/** What others do with what passes over the line. */
export interface Listeners {
  answered(command: string, args: unknown[], answer: unknown): void;
  progressed: NonNullable<Middleware["handleWorkDoneProgress"]>;
  /** True when it was shown as a review. */
  shown(uri: vscode.Uri): boolean;
}

/** One server for all folders of the window. */
export class Client implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private working: Promise<void> | undefined;
  private again = false;
  private crashes: number[] = [];
  /** Whether the server of this round answered once. */
  private hasAnswered = false;
  private remedies = OTHERWISE;
  private readonly subscriptions: vscode.Disposable[] = [];
  private readonly events = new vscode.EventEmitter<messages.Event>();
  private readonly statuses = new vscode.EventEmitter<messages.Status>();
  private readonly states = new vscode.EventEmitter<messages.TestState>();
  private readonly discoveries = new vscode.EventEmitter<messages.Discovered>();
  private readonly lives = new vscode.EventEmitter<boolean>();

  readonly onEvent = this.events.event;
  readonly onStatus = this.statuses.event;
  readonly onTestState = this.states.event;
  readonly onDiscovered = this.discoveries.event;
  /** True when the server is ready, false when it is gone. */
  readonly onLife = this.lives.event;
  /** Why there is no server, in words. */
  problem = "";

  constructor(
    private readonly context: vscode.ExtensionContext,
    readonly log: vscode.LogOutputChannel,
    private readonly listeners: Listeners,
  ) {
    this.subscriptions.push(
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("untilgreen.path")) {
          aside(this.log, this.restart());
        }
      }),
    );
    const hearing = onInterpreter(() => this.settingsChanged());
    aside(log, hearing.then((ears) => this.subscriptions.push(...(ears ? [ears] : []))));
  }

  get isRunning(): boolean {
    return this.client?.state === State.Running;
  }

  /** Start, or start anew; those who ask while that is going on wait for one more round, not for one each. */
  async restart(): Promise<void> {
    if (this.working) {
      this.again = true;
      return this.working;
    }
    this.working = this.rounds();
    try {
      await this.working;
    } finally {
      this.working = undefined;
    }
  }

  /** When it is being started, the end of that. */
  async settled(): Promise<void> {
    await this.working;
  }

  /** A command of the server whose answer is for us alone. */
  async ask<T>(command: string, args: object): Promise<T | undefined> {
    return this.request<T>("workspace/executeCommand", { command, arguments: [args] });
  }

  /** The same for what a person asked for, who is told when there is no answer. */
  async wish<T>(command: string, args: object): Promise<T | undefined> {
    try {
      const answer = await this.ask<T>(command, args);
      if (answer === undefined) {
        aside(this.log, this.complain());
      }
      return answer;
    } catch (error) {
      void vscode.window.showWarningMessage(`untilgreen: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  /** Undefined without a server, also when it goes before it answered. */
  async request<T>(method: string, params: object): Promise<T | undefined> {
    try {
      return this.isRunning ? await this.client?.sendRequest<T>(method, params) : undefined;
    } catch (error) {
      if (error instanceof ResponseError && LOST.includes(error.code)) {
        return undefined;
      }
      throw error;
    }
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop()) {
      // Its own limit is two seconds; what a job leaves behind is removed by the server even later.
      await client.stop(5000).catch((error) => this.log.warn(`stopping: ${error}`));
    }
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
    aside(this.log, this.stop());
  }

  private async rounds(): Promise<void> {
    do {
      this.again = false;
      await this.stop();
      this.lives.fire(false);
      await this.start();
    } while (this.again);
  }

  private async start(): Promise<void> {
    this.problem = "";
    this.hasAnswered = false;
    try {
      const { command, args, options } = await serverCommand(this.context, this.log);
      this.log.info(`starting ${[command, ...args].join(" ")}`);
      const run = { command, args, options, transport: TransportKind.stdio };
      const client = new LanguageClient("untilgreen", "untilgreen", run, this.options());
      this.client = client;
      client.registerFeature(new Introduction());
      client.onNotification(messages.EVENT, (event: messages.Event) => this.events.fire(event));
      client.onNotification(messages.STATUS, (status: messages.Status) => this.statuses.fire(status));
      client.onNotification(messages.CHANGE_TEST_STATE, (state: messages.TestState) => this.states.fire(state));
      client.onNotification(messages.DISCOVERED_TESTS, (told: messages.Discovered) => this.discoveries.fire(told));
      client.onRequest(messages.SAVE, ({ uris }: { uris: string[] }) => save(uris));
      client.onDidChangeState(({ newState }) => this.changed(client, newState));
      await client.start();
    } catch (thrown) {
      const error = whyNot(thrown);
      this.problem = error.message;
      this.log.error(this.problem, thrown);
      this.lives.fire(false);
      this.remedies = error instanceof Remediable ? error.remedies : OTHERWISE;
      aside(this.log, this.complain());
    }
  }

  private changed(client: LanguageClient, state: State): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      this.hasAnswered = true;
      this.problem = "";
    }
    this.lives.fire(state === State.Running);
    if (state === State.Running) {
      aside(this.log, this.askStatus());
    }
  }

  private async askStatus(): Promise<void> {
    const status = await this.request<messages.Status>(messages.STATUS, {});
    if (status) {
      this.statuses.fire(status);
    }
  }

  private settingsChanged(): void {
    if (this.isRunning) {
      aside(this.log, this.client?.sendNotification("workspace/didChangeConfiguration", { settings: null }));
    }
  }

  /** VS Code says nothing when an extension cannot do its work, so we do. */
  async complain(): Promise<void> {
    const why = this.problem || `its server ${this.isRunning ? "ended before it answered" : "is not running"}.`;
    const said = why.startsWith("untilgreen") ? why : `untilgreen: ${why}`;
    const chosen = await vscode.window.showErrorMessage(said, ...this.remedies);
    if (chosen === "Open Settings") {
      // It is a setting of the machine where the server runs, which may be another than the one with the screen.
      const where = vscode.env.remoteName ? "openRemoteSettings" : "openSettings";
      await vscode.commands.executeCommand(`workbench.action.${where}`, { query: "untilgreen.path" });
    } else if (chosen === "Show Output") {
      this.log.show();
    } else if (chosen === "Try Again") {
      await this.restart();
    }
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file", language: "python" }],
      outputChannel: this.log,
      stdioOptions: { stdout: (lines) => readLog(lines, this.log), stderr: (lines) => readLog(lines, this.log) },
      errorHandler: this.errorHandler(),
      // We tell what went wrong, once.
      initializationFailedHandler: () => false,
      middleware: {
        handleWorkDoneProgress: (token, params, next) => this.listeners.progressed(token, params, next),
        executeCommand: async (command, args, next) => {
          const answer = await next(command, args);
          this.listeners.answered(command, args, answer);
          return answer;
        },
        workspace: {
          configuration: async (params, token, next) => {
            const answer = await next(params, token);
            return answer instanceof ResponseError
              ? answer
              : Promise.all(answer.map((section, n) => withInterpreter(section, params.items[n].scopeUri)));
          },
        },
        window: {
          showDocument: async (params, token, next) =>
            this.listeners.shown(vscode.Uri.parse(params.uri)) ? { success: true } : next(params, token),
        },
      },
    };
  }

  private errorHandler(): ErrorHandler {
    return {
      error: () => ({ action: ErrorAction.Continue }),
      closed: () => {
        if (!this.hasAnswered) {
          return { action: CloseAction.DoNotRestart, handled: true };
        }
        const now = Date.now();
        this.crashes = [...this.crashes.filter((at) => now - at < RESTARTS_MS), now];
        if (this.crashes.length < RESTARTS) {
          return { action: CloseAction.Restart, handled: true };
        }
        this.crashes = [];
        this.problem = "untilgreen: its server ended several times in a row and was not started again.";
        this.remedies = OTHERWISE;
        aside(this.log, this.complain());
        return { action: CloseAction.DoNotRestart, handled: true };
      },
    };
  }
}

/** What this editor says of itself. */
class Introduction implements StaticFeature {
  fillClientCapabilities(capabilities: { experimental?: object }): void {
    capabilities.experimental = { ...capabilities.experimental, untilgreen: true, testExplorer: true };
  }
  initialize(): void {}
  getState(): ReturnType<StaticFeature["getState"]> {
    return { kind: "static" };
  }
  clear(): void {}
}

async function save(uris: string[]): Promise<null> {
  for (const uri of uris) {
    const wanted = vscode.Uri.parse(uri).toString();
    const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === wanted);
    if (document && !(await document.save())) {
      const name = vscode.workspace.asRelativePath(document.uri);
      void vscode.window.showWarningMessage(`untilgreen: ${name} was changed and could not be saved.`);
    }
  }
  return null;
}

/** The interpreter that the user selected for a folder, or for all, unless a setting names one. */
async function withInterpreter(section: unknown, scope: string | undefined): Promise<unknown> {
  if (section === null || typeof section !== "object" || !("python" in section) || section.python) {
    return section;
  }
  const all = vscode.workspace.workspaceFolders?.map((folder) => folder.uri) ?? [];
  const folders = scope ? [vscode.Uri.parse(scope)] : all;
  return { ...section, python: (await selectedInterpreter(folders)) ?? null };
}
