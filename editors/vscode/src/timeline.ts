// The timeline: a static page in a webview that is handed events, live ones and those of the journal.

import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { Client } from "./client";
import { chosenFolder } from "./folders";
import * as messages from "./messages";
import { aside } from "./output";
import type { Review } from "./review";
import type { Standing } from "./state";

/** Most jobs that are remembered for a page that is opened later. */
const MOST_JOBS = 20;
/** News come in bursts; the history is read once after each. */
const PAUSE_MS = 300;

/** What the page may ask for. */
type Wish =
  | { type: "ready" }
  | { type: "open"; job: string }
  | { type: "review"; job: string; attempt?: number; rival?: number }
  | { type: "apply"; job: string; rival?: number }
  | { type: "stop"; job: string };

/** At most one page in the window. */
export class Timeline implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private folder: vscode.Uri | undefined;
  private readonly jobs = new Map<string, messages.Event[]>();
  private readonly subscriptions: vscode.Disposable[];
  private waiting = "";
  private refreshing: NodeJS.Timeout | undefined;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly client: Client,
    private readonly standing: Standing,
    private readonly review: Review,
  ) {
    this.subscriptions = [
      client.onEvent((event) => this.happened(event)),
      standing.onChange(() => this.stands()),
      client.onTestState(() => this.refresh()),
      client.onLife((alive) => alive || this.gone()),
    ];
  }

  async show(): Promise<void> {
    this.folder = (await chosenFolder()) ?? this.folder;
    if (this.panel) {
      this.panel.reveal();
      await this.sendHistory();
      return;
    }
    const media = vscode.Uri.joinPath(this.context.extensionUri, "media");
    const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel("untilgreen.timeline", "untilgreen timeline", column, {
      enableScripts: true,
      localResourceRoots: [media],
      retainContextWhenHidden: true,
    });
    this.panel = panel;
    panel.iconPath = vscode.Uri.joinPath(media, "icon.png");
    panel.onDidDispose(() => (this.panel = undefined));
    panel.webview.onDidReceiveMessage((wish: Wish) => aside(this.client.log, this.wished(wish)));
    const html = await page(panel.webview, media);
    // It may be closed by now.
    if (this.panel === panel) {
      panel.webview.html = html;
    }
  }

  dispose(): void {
    clearTimeout(this.refreshing);
    vscode.Disposable.from(...this.subscriptions).dispose();
    this.panel?.dispose();
  }

  private happened(event: messages.Event): void {
    const told = this.jobs.get(event.job) ?? [];
    this.jobs.set(event.job, [...told, event]);
    for (const old of [...this.jobs.keys()].slice(0, -MOST_JOBS)) {
      this.jobs.delete(old);
    }
    this.send({ type: "event", event });
  }

  /** What a server knew is gone with it: its jobs are history, and nothing of them can be stopped or looked at. */
  private gone(): void {
    this.jobs.clear();
    this.send({ type: "gone" });
  }

  private async wished(wish: Wish): Promise<void> {
    switch (wish.type) {
      case "ready":
        for (const event of [...this.jobs.values()].flat()) {
          this.send({ type: "event", event });
        }
        this.sendWaiting();
        return this.sendHistory();
      case "open":
        return this.sendJob(wish.job);
      case "review":
        return this.review.open({ job: wish.job, attempt: wish.attempt, rival: wish.rival });
      case "apply":
        return this.review.write({ job: wish.job, rival: wish.rival });
      case "stop":
        return this.stop(wish.job);
    }
  }

  private async stop(job: string): Promise<void> {
    if ((await this.client.wish<boolean>(messages.STOP, { job })) === false) {
      void vscode.window.showInformationMessage("untilgreen: that job does not run any more.");
    }
  }

  private stands(): void {
    if (JSON.stringify(this.fixes) !== this.waiting) {
      this.sendWaiting();
    }
    this.refresh();
  }

  /** Whatever changes how things stand, the journal knows of it. */
  private refresh(): void {
    clearTimeout(this.refreshing);
    this.refreshing = setTimeout(() => aside(this.client.log, this.sendHistory()), PAUSE_MS);
  }

  private get fixes(): string[] {
    return this.standing.status.fixes.map((fix) => fix.job);
  }

  private sendWaiting(): void {
    this.waiting = JSON.stringify(this.fixes);
    this.send({ type: "waiting", jobs: this.fixes });
  }

  private async sendHistory(): Promise<void> {
    if (this.folder && this.panel) {
      const jobs = await this.client.ask<object[]>(messages.HISTORY, { uri: this.folder.toString() });
      if (jobs) {
        this.send({ type: "history", jobs });
      }
    }
  }

  /** The way of a job of an earlier day, from the journal. */
  private async sendJob(job: string): Promise<void> {
    const uri = this.folder?.toString() ?? "";
    const events = await this.client.wish<messages.Event[]>(messages.HISTORY, { uri, job, events: true });
    if (events) {
      this.send({ type: "journal", job, events });
    }
  }

  private send(message: object): void {
    void this.panel?.webview.postMessage(message);
  }
}

/** The page as it lies in the folder, with addresses and a policy that a webview understands. */
async function page(webview: vscode.Webview, media: vscode.Uri): Promise<string> {
  const file = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(media, "timeline.html"));
  const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(media, name)).toString();
  const nonce = randomBytes(16).toString("hex");
  return new TextDecoder()
    .decode(file)
    .replace("script-src 'self'", `script-src 'nonce-${nonce}'`)
    .replace("style-src 'self'", `style-src ${webview.cspSource}`)
    .replace('href="timeline.css"', `href="${address("timeline.css")}"`)
    .replace('src="timeline.js"', `nonce="${nonce}" src="${address("timeline.js")}"`);
}
