// Where the server comes from: the command that the user named, or a private environment made from the wheel that
// this extension carries, so that client and server always match.

import { readdir } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { environmentOf } from "./environment";
import { findNamed } from "./named";
import { elsewhere } from "./python";
import { Remediable } from "./remedy";

/** What to run, with which arguments, and where. */
export interface Command {
  command: string;
  args: string[];
  options: { cwd: string };
}

/** The command that starts the server. It never starts in the workspace, whose files are a stranger's. */
export async function serverCommand(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Command> {
  const options = { cwd: elsewhere() };
  const named = namedServer();
  if (named) {
    const command = await findNamed(named);
    if (!command) {
      throw wrongPath(named, "which is no program that can be run");
    }
    return { command, args: ["serve"], options };
  }
  const home = vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
  const python = await environmentOf(await bundledWheel(context), home, log);
  // Isolated: what the user's shell says about Python is for other programs.
  return { command: python, args: ["-I", "-m", "untilgreen", "serve"], options };
}

/** Why it did not start, with the setting that may be to blame. */
export function whyNot(error: unknown): Error {
  const named = namedServer();
  if (error instanceof Remediable || !named) {
    return error instanceof Error ? error : new Error(String(error));
  }
  return wrongPath(named, "which does not answer as a server of untilgreen");
}

function namedServer(): string {
  return vscode.workspace.getConfiguration("untilgreen").get<string | null>("path")?.trim() ?? "";
}

function wrongPath(named: string, why: string): Remediable {
  return new Remediable(
    `untilgreen.path names ${named}, ${why}. Correct the setting, ` +
      "or leave it empty to use the server that comes with the extension.",
    ["Open Settings", "Show Output", "Try Again"],
  );
}

async function bundledWheel(context: vscode.ExtensionContext): Promise<string> {
  const folder = context.asAbsolutePath("server");
  const wheels = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
  return path.join(folder, wheels[0]);
}
