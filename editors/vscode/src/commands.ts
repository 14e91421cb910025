// The palette. Each command says what is meant; the server does it.

import * as vscode from "vscode";
import type { Client } from "./client";
import { openExample, solveExample } from "./example";
import { chosenFolder, pathInFolder } from "./folders";
import * as messages from "./messages";
import type { Review } from "./review";
import type { Standing } from "./state";
import { showMenu } from "./status";
import type { Timeline } from "./timeline";
import { chooseWatch } from "./watch";

export interface Parts {
  context: vscode.ExtensionContext;
  log: vscode.LogOutputChannel;
  client: Client;
  standing: Standing;
  review: Review;
  timeline: Timeline;
}

export function registerCommands({ context, log, client, standing, review, timeline }: Parts): vscode.Disposable {
  const table: Record<string, (...args: never[]) => unknown> = {
    "untilgreen.menu": () => showMenu(standing),
    "untilgreen.solveHere": solveHere,
    "untilgreen.solveFile": () => inFile(client, messages.SOLVE),
    "untilgreen.solveAll": () => everywhere(client, messages.SOLVE),
    "untilgreen.solveNote": () => solveWithNote(client),
    "untilgreen.testFile": () => inFile(client, messages.TEST),
    "untilgreen.testAll": () => everywhere(client, messages.TEST),
    "untilgreen.stopAll": () => client.wish(messages.STOP, {}),
    "untilgreen.reviewFix": (job?: unknown) => (isJob(job) ? review.open({ job }) : review.openNewest()),
    "untilgreen.reviewOther": () => review.choose(),
    "untilgreen.applyFix": (job?: unknown) => review.apply(isJob(job) ? job : undefined),
    "untilgreen.applyFiles": () => review.applyFiles(),
    "untilgreen.discardFix": (job?: unknown) => review.discard(isJob(job) ? job : undefined),
    "untilgreen.undoLast": () => undo(client),
    "untilgreen.switchWatch": () => chooseWatch(client),
    "untilgreen.showTimeline": () => timeline.show(),
    "untilgreen.runDoctor": () => doctor(context, client, log),
    "untilgreen.showOutput": () => log.show(),
    "untilgreen.restart": () => client.restart(),
    "untilgreen.openExample": () => openExample(context),
    "untilgreen.solveExample": () => solveExample(context),
  };
  return vscode.Disposable.from(
    ...Object.entries(table).map(([name, run]) => vscode.commands.registerCommand(name, run)),
  );
}

/** Buttons above an editor hand over what is in it. */
function isJob(given: unknown): given is string {
  return typeof given === "string";
}

/** The test or stub at the cursor, as the light bulb would offer it. */
async function solveHere(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    return;
  }
  const offered = await vscode.commands.executeCommand<vscode.CodeAction[]>(
    "vscode.executeCodeActionProvider",
    editor.document.uri,
    editor.selection,
    messages.QUICK_FIX,
  );
  const solve = offered.find((action) => action.command?.command === messages.SOLVE)?.command;
  if (solve) {
    await vscode.commands.executeCommand(solve.command, ...(solve.arguments ?? []));
  } else {
    void vscode.window.showInformationMessage("untilgreen: there is no test at the cursor.");
  }
}

async function inFile(client: Client, command: string): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri;
  if (uri) {
    await carryOut(client, command, { uri: uri.toString(), tests: [pathInFolder(uri)] });
  }
}

async function everywhere(client: Client, command: string): Promise<void> {
  const folder = await chosenFolder();
  if (folder) {
    await carryOut(client, command, { uri: folder.toString() });
  }
}

/** As a lens would; the server's own commands are there as long as it is. */
async function carryOut(client: Client, command: string, args: messages.SolveArguments): Promise<void> {
  await (client.isRunning ? vscode.commands.executeCommand(command, args) : client.complain());
}

async function solveWithNote(client: Client): Promise<void> {
  const folder = await chosenFolder();
  const prompt = "What should whoever writes the fix know?";
  const note = folder && (await vscode.window.showInputBox({ title: "Solve until green", prompt }));
  if (folder && note !== undefined) {
    await carryOut(client, messages.SOLVE, { uri: folder.toString(), note });
  }
}

async function undo(client: Client): Promise<void> {
  const folder = await chosenFolder();
  if (folder) {
    await client.wish(messages.UNDO, { uri: folder.toString() });
  }
}

/** Also in a window without a folder, where a walkthrough is read: then about the example. */
async function doctor(
  context: vscode.ExtensionContext,
  client: Client,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const isEmpty = !vscode.workspace.workspaceFolders?.length && !vscode.window.activeTextEditor;
  const folder = isEmpty ? vscode.Uri.joinPath(context.extensionUri, "example") : await chosenFolder();
  if (!folder) {
    return;
  }
  const title = "untilgreen: looking at this machine";
  const diagnosis = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, async () => {
    await client.settled();
    return client.ask<messages.Diagnosis>(messages.DOCTOR, { uri: folder.toString() });
  });
  if (!diagnosis) {
    await client.complain();
    return;
  }
  const wrong = diagnosis.checks.filter((check) => check.state !== "good");
  const said = diagnosis.canSolve ? "Everything is here that a solve needs." : "Something is missing.";
  const noted = wrong.map(({ name, detail, remedy }) => [`${name}: ${detail}`, remedy].map(sentence).join(" ").trim());
  const more = diagnosis.canSolve && noted.length ? ["Also noted:", ...noted] : noted;
  const show = diagnosis.canSolve ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
  if (await show(["untilgreen:", said, ...more].join(" "), "Show Output")) {
    log.show();
  }
}

/** From a name on as it is written, else with a capital letter, and with its full stop. */
function sentence(text: string): string {
  const begun = /^\w+:/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return !begun || /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
