// Watch mode: the server runs, suggests or fixes on save. It is switched here, by folder.

import * as vscode from "vscode";
import type { Client } from "./client";
import { chosenFolder } from "./folders";
import * as messages from "./messages";
import { aside } from "./output";

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

/** Folders that continuous runs watch; kept, as a window may be closed before they are switched off. */
const KEPT = "untilgreen.continuousRuns";

/** A continuous run that is on. */
interface Wish {
  mode: messages.WatchMode;
  uris: Set<string>;
}

/** Continuous runs of the Test Explorer: watch mode until they are switched off there, or the window is closed. */
export class ContinuousRuns implements vscode.Disposable {
  private readonly ears: vscode.Disposable;
  private readonly wishes = new Set<Wish>();
  /** VS Code may begin several at once. */
  private turn: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
  ) {
    // What an earlier window left behind, and what was wanted when there was no server.
    this.ears = client.onLife((alive) => {
      if (alive) {
        const wanted = [...this.wishes].flatMap(({ uris }) => [...uris]);
        aside(client.log, this.settle([...Object.keys(this.kept), ...wanted]));
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
    if ([...wanted].some(([folder, items]) => items.some((item) => item.id !== folder))) {
      const said = "a continuous run watches the whole folder: a save runs all tests that it concerns.";
      void vscode.window.showInformationMessage(`untilgreen: ${said}`);
    }
    // Before a server told of any tests, all folders are meant.
    const folders = vscode.workspace.workspaceFolders?.map(({ uri }) => uri.toString()) ?? [];
    const uris = wanted.size ? [...wanted.keys()] : folders;
    const wish: Wish = { mode: command === messages.SOLVE ? "suggest" : "diagnose", uris: new Set(uris) };
    this.wishes.add(wish);
    token.onCancellationRequested(() => {
      this.wishes.delete(wish);
      aside(this.client.log, this.settle(uris));
    });
    await this.client.settled();
    if (!this.client.isRunning) {
      aside(this.client.log, this.client.complain());
    }
    await this.settle(uris, true);
  }

  /** Give folders the mode that is wanted of them now. */
  private settle(uris: string[], isNew = false): Promise<void> {
    const settled = this.turn.then(async () => {
      for (const uri of new Set(uris)) {
        await this.settleIn(uri, isNew);
      }
    });
    this.turn = settled.catch(() => {});
    return settled;
  }

  private async settleIn(uri: string, isNew: boolean): Promise<void> {
    const now = (await switchWatch(this.client, uri))?.mode;
    if (!now) {
      // It is looked at again when there is a server.
      return;
    }
    const { [uri]: given = "off", ...others } = this.kept;
    if (now !== given && !(isNew && now === "off")) {
      // A mode that the user chose elsewhere stays, and outlives the continuous run.
      this.wishes.forEach((wish) => wish.uris.delete(uri));
      await this.keep(others);
      return;
    }
    const mode = this.wantedIn(uri);
    if (mode !== "off") {
      await this.keep({ ...others, [uri]: mode });
    }
    const isDone = mode === now || (await switchWatch(this.client, uri, mode)) !== undefined;
    if (mode === "off" && isDone) {
      await this.keep(others);
    }
  }

  /** A solve runs the tests, too. */
  private wantedIn(uri: string): messages.WatchMode {
    const modes = [...this.wishes].filter(({ uris }) => uris.has(uri)).map(({ mode }) => mode);
    return modes.find((mode) => mode === "suggest") ?? modes[0] ?? "off";
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
