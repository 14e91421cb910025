// Everything begins here: the parts are put together, and the server is started.

import * as vscode from "vscode";
import { Client } from "./client";
import { registerCommands } from "./commands";
import { showExample } from "./example";
import * as messages from "./messages";
import { aside } from "./output";
import { JobProgress } from "./progress";
import { Review } from "./review";
import { Standing } from "./state";
import { statusItem } from "./status";
import { Tests } from "./tests";
import { Timeline } from "./timeline";

/** What other extensions, and tests, may use. */
export interface Untilgreen {
  readonly client: Client;
  readonly standing: Standing;
  readonly tests: Tests;
  readonly timeline: Timeline;
  /** Fulfilled when the server answered or could not be started. */
  readonly started: Promise<void>;
}

let running: Client | undefined;

export function activate(context: vscode.ExtensionContext): Untilgreen {
  const log = vscode.window.createOutputChannel("untilgreen", { log: true });
  const progress = new JobProgress(log);
  const client = new Client(context, log, {
    progressed: progress.progressed,
    answered: (command, args, answer) => answered(command, args, answer),
    shown: (uri) => review.shown(uri),
  });
  running = client;
  const standing = new Standing(client);
  const review = new Review(client, standing);
  const tests = new Tests(context, client, progress);
  const timeline = new Timeline(context, client, standing, review);
  client.onLife((alive) => alive || progress.endAll());

  /** Commands that came from a lens, a light bulb or the palette, and what the server said to them. */
  function answered(command: string, [args]: unknown[], answer: unknown): void {
    const { job } = (answer ?? {}) as messages.Started;
    if (command === messages.SOLVE && job) {
      progress.expect(job);
    } else if (command === messages.REVIEW) {
      aside(log, review.show(args as messages.ReviewArguments, answer as messages.Reviewed));
    }
  }

  const commands = registerCommands({ context, log, client, standing, review, timeline });
  context.subscriptions.push(log, client, review, tests, timeline, statusItem(standing), commands);
  // Not waited for: the first time packages are installed, and meanwhile the editor goes on.
  const started = client.restart().then(() => showExample(context));
  aside(log, started);
  return { client, standing, tests, timeline, started };
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}
