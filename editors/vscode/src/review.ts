// Looking at a fix before it is written: all its files side by side, with Apply and Discard above them.

import * as vscode from "vscode";
import type { Client } from "./client";
import * as messages from "./messages";
import { setContext, type Standing } from "./state";

/** What the diff on the screen shows. */
interface Looked extends messages.ReviewArguments {
  title: string;
  /** Whether it was waiting for the user when it was opened. */
  waiting: boolean;
}

/** Of the two sides of a diff: the file's own path, and behind it the document that the server has. */
const SIDE = "untilgreen-review";

/** One review at a time; the newest is what the buttons mean. */
export class Review implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private looked: Looked | undefined;
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SIDE, this);

  constructor(
    private readonly client: Client,
    private readonly standing: Standing,
  ) {
    // Written or discarded elsewhere, by a notification for example.
    standing.onChange(() => {
      if (this.looked?.waiting && !this.isWaiting(this.looked.job)) {
        void this.close();
      }
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const asked = { uri: uri.query };
    return (await this.client.request<{ text: string }>("workspace/textDocumentContent", asked))?.text ?? "";
  }

  dispose(): void {
    this.provider.dispose();
  }

  /** A fix, a rival, or an earlier attempt. */
  async open(wanted: messages.ReviewArguments): Promise<void> {
    const reviewed = await this.client.ask<messages.Reviewed>(messages.REVIEW, wanted);
    await this.show(wanted, reviewed ?? {});
  }

  /** The answer of the server, from whoever asked for it. */
  async show(wanted: messages.ReviewArguments, reviewed: messages.Reviewed): Promise<void> {
    if (!reviewed.job || !reviewed.files) {
      void vscode.window.showWarningMessage(`untilgreen: ${reviewed.reason ?? "There is nothing to look at."}`);
      return;
    }
    await this.close();
    const title = titleOf(wanted);
    this.looked = { ...wanted, title, waiting: this.isWaiting(reviewed.job) };
    const changes = reviewed.files.map(({ path, uri, before, after }) => [
      vscode.Uri.parse(uri),
      side(path, before),
      side(path, after),
    ]);
    setContext("review", kindOf(wanted));
    await vscode.commands.executeCommand("vscode.changes", title, changes);
  }

  /** True when it was one of our documents, and is shown as a diff. */
  shown(uri: vscode.Uri): boolean {
    if (uri.scheme !== messages.SCHEME) {
      return false;
    }
    const [job] = uri.path.split("/").filter(Boolean);
    if (this.looked?.job !== job) {
      void this.open({ job });
    }
    return true;
  }

  async apply(): Promise<void> {
    const { job, rival } = this.looked ?? { job: this.standing.fix?.job };
    if (job) {
      await this.write({ job, rival });
    }
  }

  /** Some files only; the server verifies that part again before it is written. */
  async applyFiles(): Promise<void> {
    const { job, rival } = this.looked ?? { job: this.standing.fix?.job };
    const reviewed = job && (await this.client.ask<messages.Reviewed>(messages.REVIEW, { job, rival }));
    if (!job || !reviewed) {
      return;
    }
    const paths = reviewed.files?.map((file) => file.path) ?? [];
    const chosen = await vscode.window.showQuickPick(
      paths.map((label) => ({ label, picked: true })),
      { canPickMany: true, title: "Files to change", placeHolder: "A part is verified again before it is written." },
    );
    if (chosen?.length) {
      const files = chosen.length < paths.length ? chosen.map((item) => item.label) : undefined;
      await this.write({ job, rival, files });
    }
  }

  async discard(): Promise<void> {
    const job = this.looked?.job ?? this.standing.fix?.job;
    if (job) {
      await this.client.ask(messages.DISCARD, { job });
      await this.close();
    }
  }

  /** Rivals and earlier attempts of the newest fix. */
  async choose(): Promise<void> {
    const job = this.looked?.job ?? this.standing.fix?.job;
    const reviewed = job && (await this.client.ask<messages.Reviewed>(messages.REVIEW, { job }));
    if (!job || !reviewed) {
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
    const chosen = await vscode.window.showQuickPick([fix, ...rivals, ...attempts], {
      title: "Look at",
      matchOnDetail: true,
    });
    if (chosen) {
      await this.open(chosen.wanted);
    }
  }

  async close(): Promise<void> {
    const title = this.looked?.title;
    this.looked = undefined;
    setContext("review", "");
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => title && tab.label.startsWith(title)));
  }

  private isWaiting(job: string): boolean {
    return this.standing.status.fixes.some((fix) => fix.job === job);
  }

  private async write(wanted: messages.ApplyArguments): Promise<void> {
    const answer = await this.client.ask<messages.Started>(messages.APPLY, wanted);
    if (answer && !answer.job) {
      void vscode.window.showWarningMessage(`untilgreen: ${answer.reason}`);
    }
  }
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
