// The items of the Test Explorer, by the server's ids: a folder's uri, or that, a space, and a test's id or path.

import * as vscode from "vscode";
import type { Client } from "./client";
import * as messages from "./messages";
import { aside } from "./output";

const SEPARATOR = " ";

/** Filled as far as somebody looks. */
export class TestTree implements vscode.Disposable {
  private readonly items = new Map<string, vscode.TestItem>();
  private readonly subscriptions: vscode.Disposable[];

  constructor(
    private readonly client: Client,
    private readonly controller: vscode.TestController,
  ) {
    controller.resolveHandler = (item) => (item ? this.resolve(item.id) : this.begin());
    controller.refreshHandler = () => this.begin();
    this.subscriptions = [
      client.onDiscovered((told) => this.merge(told)),
      vscode.workspace.onDidOpenTextDocument((document) => this.opened(document)),
      vscode.workspace.onDidChangeWorkspaceFolders(() => aside(client.log, this.begin())),
      // What a server knew is gone with it: the next one cannot tell which cases there are no more.
      client.onLife((alive) => alive || this.forgetCases()),
    ];
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  /** The folders, their files, and the tests of the files that are open: those show in the gutter. */
  async begin(): Promise<void> {
    const top = await this.discover(null);
    const known = new Set(top.map((item) => item.id));
    this.controller.items.forEach((item) => {
      if (!known.has(item.id)) {
        this.forget(item);
      }
    });
    for (const { id } of top) {
      await this.resolve(id);
    }
    vscode.workspace.textDocuments.forEach((document) => this.opened(document));
  }

  /** What to run, by folder; a folder as a whole is the item of it. */
  wanted(request: vscode.TestRunRequest): Map<string, vscode.TestItem[]> {
    const include = request.include ?? [...this.controller.items].map(([, item]) => item);
    const exclude = new Set(request.exclude ?? []);
    const found = new Map<string, vscode.TestItem[]>();
    for (const item of include.flatMap((item) => [...without(item, exclude)])) {
      const [folder] = item.id.split(SEPARATOR, 1);
      found.set(folder, [...(found.get(folder) ?? []), item]);
    }
    return found;
  }

  /** The test's own id, or nothing for a folder. */
  nameOf(id: string): string {
    return id.includes(SEPARATOR) ? id.slice(id.indexOf(SEPARATOR) + 1) : "";
  }

  get(id: string): vscode.TestItem | undefined {
    return this.items.get(id);
  }

  /** The item of a test that ran; cases of a parametrised test, and files nobody looked at, appear this way. */
  ensure(id: string): vscode.TestItem | undefined {
    const known = this.items.get(id);
    if (known) {
      return known;
    }
    const name = this.nameOf(id);
    const [folder] = id.split(SEPARATOR, 1);
    const function_ = name.replace(/\[.*$/s, "");
    const above = function_ !== name ? function_ : function_.split("::").slice(0, -1).join("::");
    const parent = above ? this.ensure(folder + SEPARATOR + above) : this.items.get(folder);
    if (!parent) {
      return undefined;
    }
    const isFile = !name.includes("::");
    const label = isFile ? name : name.slice(above.length).replace(/^::/, "");
    const uri = isFile ? vscode.Uri.joinPath(vscode.Uri.parse(folder), name) : parent.uri;
    const item = this.add(parent, id, label, uri, isFile);
    item.range = isFile ? undefined : parent.range;
    if (isFile) {
      aside(this.client.log, this.resolve(id));
    }
    return item;
  }

  private async resolve(id: string): Promise<void> {
    await this.discover(id);
  }

  private async discover(testId: string | null): Promise<messages.TreeItem[]> {
    const told = await this.client.request<messages.Discovered>(messages.DISCOVER_TEST, { testId });
    if (told) {
      this.merge(told);
    }
    return told?.tests ?? [];
  }

  private merge({ tests, scope, scopeFile }: messages.Discovered): void {
    for (const told of tests) {
      const parent = told.parent ? this.items.get(told.parent) : undefined;
      if (told.parent && !parent) {
        continue;
      }
      const uri = told.textDocument ? vscode.Uri.parse(told.textDocument.uri) : undefined;
      const item = this.items.get(told.id) ?? this.add(parent, told.id, told.label, uri, told.canResolveChildren);
      if (told.range) {
        const { start, end } = told.range;
        item.range = new vscode.Range(start.line, start.character, end.line, end.character);
      }
    }
    const ids = new Set(tests.map((told) => told.id));
    for (const parent of scope ?? []) {
      this.prune(this.items.get(parent), ids);
    }
    for (const { uri } of scopeFile ?? []) {
      const file = vscode.Uri.parse(uri).toString();
      for (const item of this.items.values()) {
        if (item.uri?.toString() === file && !this.nameOf(item.id).includes("::")) {
          this.prune(item, ids);
        }
      }
    }
  }

  /** Children that are no longer told of; the cases of a test are known by running alone, and go when it is named. */
  private prune(parent: vscode.TestItem | undefined, told: Set<string>, isNamed = true): void {
    parent?.children.forEach((item) => {
      if (!told.has(item.id)) {
        if (isNamed || !isCase(item)) {
          this.forget(item);
        }
      } else if (this.nameOf(item.id).includes("::")) {
        this.prune(item, told, false);
      }
    });
  }

  private add(
    parent: vscode.TestItem | undefined,
    id: string,
    label: string,
    uri: vscode.Uri | undefined,
    canResolve: boolean,
  ): vscode.TestItem {
    const item = this.controller.createTestItem(id, label, uri);
    // Classes come together with their tests; only folders and files are asked for.
    item.canResolveChildren = canResolve && !id.includes("::");
    this.items.set(id, item);
    (parent?.children ?? this.controller.items).add(item);
    return item;
  }

  private forget(item: vscode.TestItem): void {
    item.children.forEach((child) => this.forget(child));
    this.items.delete(item.id);
    (item.parent?.children ?? this.controller.items).delete(item.id);
  }

  private forgetCases(): void {
    [...this.items.values()].filter(isCase).forEach((item) => this.forget(item));
  }

  private opened(document: vscode.TextDocument): void {
    const uri = document.uri.toString();
    for (const item of this.items.values()) {
      if (item.canResolveChildren && item.uri?.toString() === uri) {
        aside(this.client.log, this.resolve(item.id));
      }
    }
  }
}

/** An item, or the parts of it that are left when some are taken out. */
function* without(item: vscode.TestItem, exclude: Set<vscode.TestItem>): Generator<vscode.TestItem> {
  if (exclude.has(item)) {
    return;
  }
  if (![...exclude].some((other) => isBelow(other, item))) {
    yield item;
    return;
  }
  for (const [, child] of item.children) {
    yield* without(child, exclude);
  }
}

function isCase({ id, parent }: vscode.TestItem): boolean {
  return parent !== undefined && id.startsWith(`${parent.id}[`);
}

/** Names alone do not tell: `test_add_more` is not a part of `test_add`. */
function isBelow(item: vscode.TestItem, above: vscode.TestItem): boolean {
  return item.parent !== undefined && (item.parent === above || isBelow(item.parent, above));
}
