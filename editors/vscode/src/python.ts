// Two Pythons: one that can run the server, found on this machine; and the one that the user selected for the
// project, which is never run here and only tells the sandbox what to use.

import { execFile } from "node:child_process";
import * as vscode from "vscode";

const CANDIDATES =
  process.platform === "win32"
    ? [["py", "-3"], ["python3"], ["python"]]
    : [["python3"], ["python3.14"], ["python3.13"], ["python3.12"], ["python3.11"], ["python"]];
const QUESTION = "import ensurepip, sys, venv; print(sys.version_info >= (3, 11)); print(sys.executable)";

/** A Python ≥ 3.11 that can make a virtual environment, or undefined. */
export async function findPython(): Promise<string | undefined> {
  for (const [command, ...args] of CANDIDATES) {
    const [newEnough, executable] = (await output(command, [...args, "-c", QUESTION])).split(/\r?\n/);
    if (newEnough === "True" && executable) {
      return executable;
    }
  }
  return undefined;
}

/** What the Python extension says that the user chose for a folder; undefined without that extension. */
export async function selectedInterpreter(resource?: vscode.Uri): Promise<string | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  if (!extension) {
    return undefined;
  }
  const api = extension.isActive ? extension.exports : await extension.activate();
  const path = api?.environments?.getActiveEnvironmentPath(resource)?.path;
  // Without a choice it names the bare command.
  return path && path !== "python" ? path : undefined;
}

/** Tells when the user chooses another interpreter. */
export async function onInterpreter(changed: () => void): Promise<vscode.Disposable | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  const api = extension && (extension.isActive ? extension.exports : await extension.activate());
  return api?.environments?.onDidChangeActiveEnvironmentPath(changed);
}

interface PythonExtension {
  environments?: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } | undefined;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

function output(command: string, args: string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: 20_000 }, (error, stdout) => resolve(error ? "" : stdout));
  });
}
