// A small broken project to try it on: copied from the extension, opened in a window of its own.

import * as vscode from "vscode";

const OPENED = "untilgreen.exampleToOpen";

/** A new copy each time, so that it is broken again. */
export async function openExample(context: vscode.ExtensionContext): Promise<void> {
  const target = vscode.Uri.joinPath(context.globalStorageUri, "example", "teashop");
  await vscode.workspace.fs.copy(vscode.Uri.joinPath(context.extensionUri, "example"), target, { overwrite: true });
  await context.globalState.update(OPENED, target.toString());
  await vscode.commands.executeCommand("vscode.openFolder", target, { forceNewWindow: true });
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
