// Two Pythons: one that can run the server, found on this machine; and the one that the user selected for the
// project, which is never run here and only tells the sandbox what to use.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

const CANDIDATES =
  process.platform === "win32"
    ? [["py", "-3"], ["python3"], ["python"]]
    : [["python3"], ["python3.14"], ["python3.13"], ["python3.12"], ["python3.11"], ["python"]];
const QUESTION = "import ensurepip, sys, venv; print(sys.version_info >= (3, 11)); print(sys.executable)";

/**
 * Where programs are started: in a workspace, modules and programs of a stranger would be found first. Not every user
 * has a home folder; VS Code itself lies somewhere.
 */
export function elsewhere(): string {
  return existsSync(homedir()) ? homedir() : path.dirname(process.execPath);
}

/** A Python ≥ 3.11 that can make a virtual environment, or undefined. */
export async function findPython(): Promise<string | undefined> {
  for (const [command, ...args] of CANDIDATES) {
    const [newEnough, executable] = (await answerOf(command, [...args, "-I", "-c", QUESTION])).split(/\r?\n/);
    if (newEnough === "True" && executable) {
      return executable;
    }
  }
  return undefined;
}

/** What a program says; nothing when it fails. */
export function answerOf(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: elsewhere(), timeout: 20_000 };
    execFile(command, args, options, (error, stdout) => resolve(error ? "" : stdout));
  });
}

/** What the Python extension says that the user chose; nothing where these folders differ. */
export async function selectedInterpreter(folders: readonly vscode.Uri[]): Promise<string | undefined> {
  const environments = await environmentsOfUser();
  const chosen = folders.map((folder) => environments?.getActiveEnvironmentPath(folder)?.path);
  const [first] = folders.length ? chosen : [environments?.getActiveEnvironmentPath()?.path];
  // Without a choice it names the bare command.
  return first && first !== "python" && chosen.every((other) => other === first) ? first : undefined;
}

/** Tells when the user chooses another interpreter. */
export async function onInterpreter(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await environmentsOfUser())?.onDidChangeActiveEnvironmentPath(changed);
}

interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } | undefined;
  onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

/** Undefined without the Python extension, or when it cannot do its work. */
async function environmentsOfUser(): Promise<Environments | undefined> {
  const extension = vscode.extensions.getExtension<{ environments?: Environments }>("ms-python.python");
  try {
    return (extension?.isActive ? extension.exports : await extension?.activate())?.environments;
  } catch {
    return undefined;
  }
}
