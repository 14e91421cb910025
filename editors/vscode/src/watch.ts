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

/** Continuous run of the Test Explorer: watch mode until it is switched off there. */
export async function continuously(
  client: Client,
  folders: string[],
  command: string,
  token: vscode.CancellationToken,
): Promise<void> {
  const wanted = command === messages.SOLVE ? "suggest" : "diagnose";
  const switched: string[] = [];
  for (const uri of folders) {
    // A mode that the user chose elsewhere stays, and outlives the continuous run.
    if ((await switchWatch(client, uri))?.mode === "off") {
      await switchWatch(client, uri, wanted);
      switched.push(uri);
    }
  }
  const off = () => switched.forEach((uri) => void switchWatch(client, uri, "off"));
  token.onCancellationRequested(off);
  if (token.isCancellationRequested) {
    off();
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
