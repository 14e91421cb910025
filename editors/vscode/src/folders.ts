// Which workspace folder is meant.

import * as path from "node:path";
import * as vscode from "vscode";

/** That of the active editor, else the only one, else one that the user picks. */
export async function chosenFolder(): Promise<vscode.Uri | undefined> {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = active && vscode.workspace.getWorkspaceFolder(active);
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folder ?? folders.length <= 1) {
    return (folder ?? folders[0])?.uri ?? (active?.scheme === "file" ? active : undefined);
  }
  return (await vscode.window.showWorkspaceFolderPick())?.uri;
}

/** What the user calls a folder that the server names. */
export function nameOf(folder: string): string {
  const uri = vscode.Uri.parse(folder);
  return vscode.workspace.getWorkspaceFolder(uri)?.name ?? path.basename(uri.fsPath);
}

/** A file's path as the server names it: from its workspace folder, with slashes. */
export function pathInFolder(uri: vscode.Uri): string {
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const relative = folder ? path.relative(folder.uri.fsPath, uri.fsPath) : path.basename(uri.fsPath);
  return relative.split(path.sep).join("/");
}
