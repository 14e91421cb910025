// A small broken project to try it on: copied from the extension, opened in a window of its own.

import * as vscode from "vscode";

const OPENED = "untilgreen.exampleToOpen";

function placeOf(context: vscode.ExtensionContext): vscode.Uri {
  return vscode.Uri.joinPath(context.globalStorageUri, "example", "teashop");
}

function isHere(context: vscode.ExtensionContext): boolean {
  const place = placeOf(context).fsPath;
  return vscode.workspace.workspaceFolders?.some((folder) => folder.uri.fsPath === place) ?? false;
}

/** A new copy each time, so that it is broken again. */
export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const target = placeOf(context);
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, "example"), target, { overwrite: true });
  await context.globalState.update(OPENED, target.toString());
  await vscode.commands.executeCommand("vscode.openFolder", target, { forceNewWindow: true });
}

/** In its own window only: a walkthrough may be read beside the user's project, which is not meant. */
export async function solveExample(context: vscode.ExtensionContext): Promise<void> {
  if (isHere(context)) {
    await vscode.commands.executeCommand("untilgreen.solveAll");
  } else {
    await openExample(context);
  }
}

/** In the window of the example: show a test that fails. */
export async function showExample(context: vscode.ExtensionContext): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  if (folder && folder.toString() === context.globalState.get(OPENED)) {
    await context.globalState.update(OPENED, undefined);
    await vscode.window.showTextDocument(vscode.Uri.joinPath(folder, "tests", "test_prices.py"));
    await vscode.commands.executeCommand("untilgreen.testAll");
  }
}
