// What the server last said about itself, and the context keys that menus and buttons hang on.

import * as vscode from "vscode";
import type { Client } from "./client";
import type { WaitingFix, Status } from "./messages";

const NOTHING: Status = {
  health: "ok",
  quiescent: true,
  message: "",
  sandbox: "",
  solver: "",
  model: "",
  folders: [],
  jobs: [],
  fixes: [],
  watch: [],
};

/** The standing status. */
export class Standing {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onChange = this.changes.event;
  status = NOTHING;
  isRunning = false;

  constructor(private readonly client: Client) {
    client.onStatus((status) => this.set(status, this.client.isRunning));
    client.onLife((alive) => this.set(alive ? this.status : NOTHING, alive));
  }

  get problem(): string {
    return this.client.problem;
  }

  /** The newest fix that waits for the user. */
  get fix(): WaitingFix | undefined {
    return this.status.fixes?.at(-1);
  }

  private set(status: Status, isRunning: boolean): void {
    this.status = status;
    this.isRunning = isRunning;
    setContext("running", isRunning);
    setContext("busy", status.jobs.length > 0);
    setContext("hasFix", this.fix !== undefined);
    this.changes.fire();
  }
}

export function setContext(name: string, value: boolean | string): void {
  void vscode.commands.executeCommand("setContext", `untilgreen.${name}`, value);
}
