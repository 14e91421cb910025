// The server's private environments: one for each wheel, made when it is needed, mended when it is broken, and
// removed when nobody used it for a while.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, utimes } from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";
import { answerOf, elsewhere, findPython } from "./python";
import { Remediable } from "./remedy";

const DAY = 24 * 60 * 60 * 1000;
/** Another window may still use an environment, also one of another version. */
const KEPT_DAYS = 14;
const PIP = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-compile", "--quiet"];
const QUESTION = "import untilgreen; print(untilgreen.__file__)";

/** The Python of the environment of this wheel; what takes time is shown. */
export async function environmentOf(wheel: string, home: string, log: vscode.LogOutputChannel): Promise<string> {
  const key = createHash("sha256").update(await readFile(wheel)).digest("hex").slice(0, 16);
  const folder = path.join(home, key);
  if (!(await works(folder))) {
    await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: "untilgreen: setting up its server" },
      (progress) => make(folder, wheel, progress, log),
    );
    await removeUnused(home, key, log);
  }
  const now = new Date();
  await utimes(folder, now, now).catch((error) => log.warn(`${folder}: ${error}`));
  return pythonIn(folder);
}

/** The Python that it was made with may be gone, or be another one by now. */
async function works(folder: string): Promise<boolean> {
  return (await answerOf(pythonIn(folder), ["-I", "-c", QUESTION])) !== "";
}

async function make(
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
    // Another window may have been faster; what is left of a broken one goes.
    if (!(await works(folder))) {
      await rm(folder, { recursive: true, force: true });
      await rename(unfinished, folder);
    }
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Environments of other versions, and what a closed window left behind. */
async function removeUnused(home: string, key: string, log: vscode.LogOutputChannel): Promise<void> {
  for (const name of (await readdir(home)).filter((other) => other !== key)) {
    const folder = path.join(home, name);
    try {
      const days = (Date.now() - (await stat(folder)).mtimeMs) / DAY;
      if (days > (name.includes("-") ? 1 : KEPT_DAYS)) {
        await rm(folder, { recursive: true, force: true });
      }
    } catch (error) {
      // Another window does the same, and was faster.
      log.info(`${folder}: ${error}`);
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
    const child = spawn(command, args, { cwd: elsewhere(), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (data: Buffer) => log.info(data.toString().trimEnd()));
    }
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(failure(args.includes("pip")))));
  });
}

function failure(withPip: boolean): Remediable {
  const what = withPip ? "its packages could not be installed" : "no environment could be made";
  const how = withPip
    ? "Check that pip reaches your package index"
    : "Check that Python has venv (on Debian and Ubuntu: the package python3-venv)";
  return new Remediable(`untilgreen could not set up its server: ${what}. ${how}, then try again.`, [
    "Show Output",
    "Try Again",
  ]);
}
