// The server that the user named in `untilgreen.path`: a path, also from the home folder, or a command on the PATH.

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { homedir } from "node:os";
import * as path from "node:path";

/** Where it lies, or undefined when there is no such program. */
export async function findNamed(named: string): Promise<string | undefined> {
  for (const place of placesOf(named)) {
    if (await isProgram(place)) {
      return place;
    }
  }
  return undefined;
}

/** Never the current folder: that may be a stranger's. */
function placesOf(named: string): string[] {
  if (/^~[\\/]/.test(named)) {
    return [path.join(homedir(), named.slice(2))];
  }
  if (/[\\/]/.test(named)) {
    return path.isAbsolute(named) ? [named] : [];
  }
  const folders = (process.env.PATH ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const endings = process.platform === "win32" ? ["", ".exe"] : [""];
  return folders.flatMap((folder) => endings.map((ending) => path.join(folder, named + ending)));
}

async function isProgram(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}
