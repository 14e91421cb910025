// Where the server comes from: the command that the user named, or a private environment made from the wheel that
// this extension carries, so that client and server always match.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { findPython } from "./python";

/** What to run, and with which arguments. */
export interface Command {
  command: string;
  args: string[];
}

/** Something that the user can mend; the buttons say how. */
export class Remediable extends Error {
  constructor(
    message: string,
    readonly remedies: Remedy[],
  ) {
    super(message);
  }
}

export type Remedy = "Open Settings" | "Show Output" | "Try Again";

const DAY = 24 * 60 * 60 * 1000;
const PIP = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile", "--quiet"];

/** The command that starts the server; what takes time is shown. */
export async function serverCommand(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Command> {
  const named = vscode.workspace.getConfiguration("untilgreen").get<string | null>("path")?.trim();
  if (named) {
    await access(named).catch(() => {
      throw new Remediable(
        `untilgreen.path names ${named}, which is not there. Correct the setting, ` +
          "or leave it empty to use the server that comes with the extension.",
        ["Open Settings", "Try Again"],
      );
    });
    return { command: named, args: ["serve"] };
  }
  const wheel = await bundledWheel(context);
  const home = vscode.Uri.joinPath(context.globalStorageUri, "server").fsPath;
  const key = createHash("sha256").update(await readFile(wheel)).digest("hex").slice(0, 16);
  const folder = path.join(home, key);
  if (!(await exists(folder))) {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "untilgreen: setting up its server" },
      (progress) => makeEnvironment(folder, wheel, progress, log),
    );
    await removeOthers(home, key);
  }
  // Isolated: what the user's shell says about Python is for other programs.
  return { command: pythonIn(folder), args: ["-I", "-m", "untilgreen", "serve"] };
}

async function bundledWheel(context: vscode.ExtensionContext): Promise<string> {
  const folder = context.asAbsolutePath("server");
  const wheels = (await readdir(folder)).filter((name) => name.endsWith(".whl"));
  return path.join(folder, wheels[0]);
}

async function makeEnvironment(
  folder: string,
  wheel: string,
  progress: vscode.Progress<{ message: string }>,
  log: vscode.LogOutputChannel,
): Promise<void> {
  progress.report({ message: "looking for Python" });
  const python = await findPython();
  if (!python) {
    throw new Remediable(
      "untilgreen needs Python 3.11 or later with venv, and none was found on this machine. Install it " +
        "(on Debian and Ubuntu: python3 and python3-venv), or name an installed untilgreen in untilgreen.path.",
      ["Open Settings", "Try Again"],
    );
  }
  // It gets its name when it is whole: another window may be making the same, or this one may be closed.
  const unfinished = `${folder}-${process.pid}`;
  await mkdir(path.dirname(folder), { recursive: true });
  try {
    progress.report({ message: "making an environment" });
    await run(python, ["-I", "-m", "venv", unfinished], log);
    progress.report({ message: "installing packages" });
    await run(pythonIn(unfinished), [...PIP, `${wheel}[anthropic]`], log);
    await rename(unfinished, folder).catch(async (error) => {
      if (!(await exists(folder))) {
        throw error;
      }
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Environments of other versions, and what a closed window left behind. */
async function removeOthers(home: string, key: string): Promise<void> {
  for (const name of await readdir(home)) {
    const folder = path.join(home, name);
    const inTheMaking = name.includes("-") && Date.now() - (await stat(folder)).mtimeMs < DAY;
    if (name !== key && !inTheMaking) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

function pythonIn(folder: string): string {
  return process.platform === "win32"
    ? path.join(folder, "Scripts", "python.exe")
    : path.join(folder, "bin", "python");
}

function run(command: string, args: string[], log: vscode.LogOutputChannel): Promise<void> {
  log.info([command, ...args].join(" "));
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data: Buffer) => log.info(data.toString().trimEnd()));
    }
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) {
        resolve();
      } else {
        const what = args.includes("pip") ? "its packages could not be installed" : "no environment could be made";
        const how = args.includes("pip")
          ? "Check that pip reaches your package index"
          : "Check that Python has venv (on Debian and Ubuntu: the package python3-venv)";
        reject(
          new Remediable(`untilgreen could not set up its server: ${what}. ${how}, then try again.`, [
            "Show Output",
            "Try Again",
          ]),
        );
      }
    });
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
