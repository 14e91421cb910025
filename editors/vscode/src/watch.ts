// Watch mode: the server runs, suggests or fixes on save. It is switched here, by folder.

import * as vscode from "vscode";
import type { Client } from "./client";
import { chosenFolder } from "./folders";
import * as messages from "./messages";

const MODES: { mode: messages.WatchMode; label: string; detail: string }[] = [
  { mode: "off", label: "Off", detail: "Nothing runs because of a save." },
  { mode: "diagnose", label: "Diagnose", detail: "A save runs the tests that it concerns, in the sandbox." },
  { mode: "suggest", label: "Suggest", detail: "What fails is solved, and the fix is offered." },
  { mode: "fix", label: "Fix", detail: "What fails is solved, and a fix without findings is written." },
];

/** Ask the user for a mode. */
export async function chooseWatch(client: Client): Promise<void> {
  const folder = await chosenFolder();
  if (!folder) {
    return;
  }
  const uri = folder.toString();
  const now = (await switchWatch(client, uri))?.mode ?? "off";
  const items = MODES.map((item) => ({ ...item, description: item.mode === now ? "now" : "" }));
  const chosen = await vscode.window.showQuickPick(items, { title: "untilgreen: watch mode" });
  if (chosen) {
    await switchWatch(client, uri, chosen.mode);
  }
}

/** Folders that a continuous run watches; kept, as a window may be closed before it is switched off. */
const KEPT = "untilgreen.continuousRuns";

/** Continuous run of the Test Explorer: watch mode until it is switched off there, or the window is closed. */
export class ContinuousRuns implements vscode.Disposable {
  private readonly ears: vscode.Disposable;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
  ) {
    // What an earlier window left behind.
    this.ears = client.onLife(async (alive) => {
      if (alive) {
        this.ears.dispose();
        await Promise.all(Object.keys(this.kept).map((uri) => this.end(uri)));
      }
    });
  }

  dispose(): void {
    this.ears.dispose();
  }

  async begin(
    wanted: Map<string, vscode.TestItem[]>,
    command: string,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const mode = command === messages.SOLVE ? "suggest" : "diagnose";
    if ([...wanted].some(([folder, items]) => items.some((item) => item.id !== folder))) {
      const said = "a continuous run watches the whole folder: a save runs all tests that it concerns.";
      void vscode.window.showInformationMessage(`untilgreen: ${said}`);
    }
    const switched: string[] = [];
    for (const uri of wanted.keys()) {
      // A mode that the user chose elsewhere stays, and outlives the continuous run.
      if ((await switchWatch(this.client, uri))?.mode === "off") {
        await this.keep({ ...this.kept, [uri]: mode });
        await switchWatch(this.client, uri, mode);
        switched.push(uri);
      }
    }
    const off = () => switched.forEach((uri) => void this.end(uri));
    token.onCancellationRequested(off);
    if (token.isCancellationRequested) {
      off();
    }
  }

  private async end(uri: string): Promise<void> {
    const now = await switchWatch(this.client, uri);
    if (now?.mode === this.kept[uri]) {
      await switchWatch(this.client, uri, "off");
    }
    if (now) {
      const { [uri]: _, ...others } = this.kept;
      await this.keep(others);
    }
  }

  /** Which mode each was given. */
  private get kept(): Record<string, messages.WatchMode> {
    return this.context.workspaceState.get(KEPT, {});
  }

  private async keep(modes: Record<string, messages.WatchMode>): Promise<void> {
    await this.context.workspaceState.update(KEPT, modes);
  }
}

/** Without a mode it only asks; why it could not be switched is shown. */
async function switchWatch(
  client: Client,
  uri: string,
  mode?: messages.WatchMode,
): Promise<messages.Watching | undefined> {
  const answer = await client.ask<messages.Watching>(messages.WATCH, mode ? { uri, mode } : { uri });
  if (mode && answer?.reason) {
    void vscode.window.showWarningMessage(`untilgreen: ${answer.reason}`);
  }
  return answer;
}
