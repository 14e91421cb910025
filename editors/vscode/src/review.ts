// Looking at a fix before it is written: all its files side by side, with Apply and Discard above them.

import * as vscode from "vscode";
import type { Client } from "./client";
import * as messages from "./messages";
import { aside } from "./output";
import { setContext, type Standing } from "./state";

/** What the diff on the screen shows. */
interface Looked extends messages.ReviewArguments {
  title: string;
  /** Whether it was waiting for the user when it was opened. */
  waiting: boolean;
}

/** Of the two sides of a diff: the file's own path, and behind it the document that the server has. */
const SIDE = "untilgreen-review";

/** One review at a time; while it is on the screen, it is what the buttons mean. */
export class Review implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private looked: Looked | undefined;
  private opening: Promise<void> = Promise.resolve();
  /** What the server asked to show, one file after the other. */
  private told = { job: "", uris: new Set<string>() };
  /** The job that ended last with a fix; it can be looked at when it is already written. */
  private newest: string | undefined;
  /** The job that tried something last, whatever came of it. */
  private tried: string | undefined;
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly client: Client,
    private readonly standing: Standing,
  ) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SIDE, this),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => this.tabsChanged(closed)),
      vscode.window.tabGroups.onDidChangeTabGroups(() => this.tabsChanged([])),
      // Written or discarded elsewhere, by a notification for example.
      standing.onChange(() => {
        if (this.looked?.waiting && !this.isWaiting(this.looked.job)) {
          aside(client.log, this.close());
        }
      }),
      client.onEvent((event) => this.happened(event)),
      // What a server knew is gone with it.
      client.onLife((alive) => alive || this.forget()),
    ];
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const asked = { uri: uri.query };
    return (await this.client.request<{ text: string }>("workspace/textDocumentContent", asked))?.text ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The fix that waits, else the one that came last. */
  async openNewest(): Promise<void> {
    const job = this.standing.fix?.job ?? this.newest ?? this.tried;
    if (job) {
      await this.open({ job });
    } else {
      void vscode.window.showInformationMessage("untilgreen: there is no fix to look at. Solve a failing test first.");
    }
  }

  /** A fix, a rival, or an earlier attempt. */
  async open(wanted: messages.ReviewArguments): Promise<void> {
    const reviewed = await this.client.wish<messages.Reviewed>(messages.REVIEW, wanted);
    if (reviewed) {
      await this.show(wanted, reviewed);
    }
  }

  /** The answer of the server, from whoever asked for it; two at once are shown one after the other. */
  async show(wanted: messages.ReviewArguments, reviewed: messages.Reviewed): Promise<void> {
    const shown = this.opening.then(() => this.showNow(wanted, reviewed));
    // One that cannot be shown is its caller's; the next one is shown all the same.
    this.opening = shown.catch(() => {});
    return shown;
  }

  /** True when it was one of our documents, and is shown as a diff. */
  shown(uri: vscode.Uri): boolean {
    if (uri.scheme !== messages.SCHEME) {
      return false;
    }
    const [job] = uri.path.split("/").filter(Boolean);
    // A fix of several files is one diff; a file that is named once more begins another look.
    if (this.told.job !== job || this.told.uris.has(uri.path)) {
      this.told = { job, uris: new Set() };
      aside(this.client.log, this.open({ job }));
    }
    this.told.uris.add(uri.path);
    return true;
  }

  /** What is on the screen, or the job that is named, or the fix that waits. */
  async apply(named?: string): Promise<void> {
    const wanted = this.meant(named);
    if (wanted) {
      await this.write(wanted);
    }
  }

  /** Some files only; the server verifies that part again before it is written. */
  async applyFiles(): Promise<void> {
    const wanted = this.meant();
    const reviewed = wanted && (await this.client.wish<messages.Reviewed>(messages.REVIEW, wanted));
    if (!wanted || !reviewed?.job) {
      this.complain(reviewed);
      return;
    }
    const paths = reviewed.files?.map((file) => file.path) ?? [];
    const chosen = await vscode.window.showQuickPick(
      paths.map((label) => ({ label, picked: true })),
      { canPickMany: true, title: "Files to change", placeHolder: "A part is verified again before it is written." },
    );
    if (chosen?.length) {
      const files = chosen.length < paths.length ? chosen.map((item) => item.label) : undefined;
      await this.write({ ...wanted, files });
    }
  }

  async discard(named?: string): Promise<void> {
    const wanted = this.meant(named);
    const answer = wanted && (await this.client.wish<messages.Started>(messages.DISCARD, { job: wanted.job }));
    this.complain(answer);
    if (answer?.job && answer.job === this.looked?.job) {
      await this.close();
    }
  }

  /** Write a fix or a part of it; why that cannot be is shown. */
  async write(wanted: messages.ApplyArguments): Promise<void> {
    this.complain(await this.client.wish<messages.Started>(messages.APPLY, wanted));
  }

  /** Rivals and attempts of what is on the screen, or of the newest job; also of one that found no fix. */
  async choose(): Promise<void> {
    const job = this.onScreen?.job ?? this.standing.fix?.job ?? this.tried ?? this.newest;
    const reviewed = job ? await this.client.wish<messages.Reviewed>(messages.REVIEW, { job }) : undefined;
    if (!job || !reviewed?.job) {
      this.complain(reviewed);
      return;
    }
    const rivals = Array.from({ length: reviewed.rivals ?? 0 }, (_, n) => ({
      label: `$(git-compare) Rival ${n + 1}`,
      detail: reviewed.difference,
      wanted: { job, rival: n + 1 },
    }));
    const attempts = (reviewed.attempts ?? []).map(({ n, hypothesis }) => ({
      label: `$(history) Attempt ${n}`,
      detail: hypothesis,
      wanted: { job, attempt: n },
    }));
    const fix = { label: "$(verified) The fix", detail: reviewed.reason, wanted: { job } };
    const fixes = attemptIn(reviewed) ? [] : [fix];
    const chosen = await vscode.window.showQuickPick([...fixes, ...rivals, ...attempts], {
      title: "Look at",
      placeHolder: fixes.length ? "" : reviewed.reason,
      matchOnDetail: true,
    });
    if (chosen) {
      await this.open(chosen.wanted);
    }
  }

  async close(): Promise<void> {
    const tabs = this.tabs();
    this.looked = undefined;
    setContext("review", "");
    await vscode.window.tabGroups.close(tabs);
  }

  private async showNow(wanted: messages.ReviewArguments, reviewed: messages.Reviewed): Promise<void> {
    if (!reviewed.job || !reviewed.files) {
      this.complain({ job: null, reason: reviewed.reason ?? "There is nothing to look at." });
      return;
    }
    await this.close();
    // A job without a fix answers with its last attempt, and what an attempt is called may be the fix itself.
    const looked = { job: reviewed.job, rival: wanted.rival, attempt: attemptIn(reviewed) };
    const title = titleOf(looked);
    const changes = reviewed.files.map(({ path, uri, before, after }) => [
      vscode.Uri.parse(uri),
      side(path, before),
      side(path, after),
    ]);
    this.looked = { ...looked, title, waiting: this.isWaiting(reviewed.job) };
    setContext("review", kindOf(looked));
    await vscode.commands.executeCommand("vscode.changes", title, changes);
    this.tabsChanged([]);
  }

  private happened(event: messages.Event): void {
    if (event.type === "tested") {
      this.tried = event.job;
    } else if (event.type === "finished" && (event.verdict as { patch: unknown[] }).patch.length) {
      this.newest = event.job;
      this.tried = event.job;
    }
    setContext("hasAttempts", this.tried !== undefined);
  }

  private forget(): void {
    this.newest = undefined;
    this.tried = undefined;
    setContext("hasAttempts", false);
  }

  /** A review that was closed, or lies behind another tab, is not what anybody means. */
  private tabsChanged(closed: readonly vscode.Tab[]): void {
    const title = this.looked?.title;
    if (title && closed.some((tab) => tab.label.startsWith(title)) && !this.tabs().length) {
      this.looked = undefined;
    }
    setContext("review", this.onScreen ? kindOf(this.onScreen) : "");
  }

  private tabs(): vscode.Tab[] {
    const title = this.looked?.title;
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    return tabs.filter((tab) => title && tab.label.startsWith(title));
  }

  private get onScreen(): Looked | undefined {
    return this.tabs().some((tab) => tab.isActive) ? this.looked : undefined;
  }

  /** Undefined when there is nothing that could be written. */
  private meant(named?: string): messages.ApplyArguments | undefined {
    if (named) {
      return { job: named };
    }
    if (this.onScreen?.attempt) {
      const said = "an attempt is only there to be looked at; a fix or a rival of it can be applied.";
      void vscode.window.showWarningMessage(`untilgreen: ${said}`);
      return undefined;
    }
    const { job, rival } = this.onScreen ?? { job: this.standing.fix?.job };
    return job ? { job, rival } : undefined;
  }

  private isWaiting(job: string): boolean {
    return this.standing.status.fixes.some((fix) => fix.job === job);
  }

  private complain(answer?: messages.Started): void {
    if (answer && !answer.job) {
      void vscode.window.showWarningMessage(`untilgreen: ${answer.reason}`);
    }
  }
}

/** The number of the attempt that is answered with, when that is not the fix or a rival. */
function attemptIn({ attempt, attempts }: messages.Reviewed): number | undefined {
  return attempts?.find(({ n }) => String(n) === attempt)?.n;
}

/** With different paths VS Code would tell of a renamed file. */
function side(path: string, query: string): vscode.Uri {
  return vscode.Uri.from({ scheme: SIDE, path: `/${path}`, query });
}

/** VS Code adds how many files there are. */
function titleOf({ rival, attempt }: messages.ReviewArguments): string {
  return rival ? `untilgreen: rival ${rival}` : attempt ? `untilgreen: attempt ${attempt}` : "untilgreen: verified fix";
}

function kindOf({ rival, attempt }: messages.ReviewArguments): "fix" | "rival" | "attempt" {
  return rival ? "rival" : attempt ? "attempt" : "fix";
}
