// The output: what the server writes beside the protocol, at the level that each line names, and what went wrong here.

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type * as vscode from "vscode";

const LEVELS = { DEBUG: "debug", INFO: "info", WARNING: "warn", ERROR: "error", CRITICAL: "error" } as const;

/** A line without a level, as those of a traceback, goes with the one before it; a stray one is nobody's alarm. */
export function readLog(lines: Readable, log: vscode.LogOutputChannel): void {
  let level: (typeof LEVELS)[keyof typeof LEVELS] = "info";
  createInterface({ input: lines, crlfDelay: Infinity }).on("line", (line) => {
    const [, named, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    level = LEVELS[named as keyof typeof LEVELS] ?? level;
    log[level](named in LEVELS ? rest : line);
  });
}

/** Work that nobody waits for: why it failed is told, and breaks nothing else. */
export function aside(log: vscode.LogOutputChannel, work: Thenable<unknown> | undefined): void {
  work?.then(undefined, (error) => log.error(error instanceof Error ? error : String(error)));
}
