// A window with two workspace folders: one server, and each job knows which folder it is about.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { environment } = require("./calc.js");
const { suite, until } = require("./suite.js");
const { api, diagnosed, idle, open, root, run, setting, solvedBy, tabs, watchedRuns } = require("./window.js");

const onDisk = (file, n) => fs.readFileSync(path.join(root(n), file), "utf8");

/** What the notifications of this window said; whoever drives it writes that down. */
function heard() {
  const file = path.join(path.dirname(process.env.UNTILGREEN_TEST_RESULTS), "notices.txt");
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : "";
}

exports.run = suite("folders", [
  ["a folder that has tests is enough to start it, without any editor", async () => {
    // Asking for what it exports would start it, too.
    await until("it is active", () => vscode.extensions.getExtension("untilgreen.untilgreen")?.isActive);
    assert.deepEqual(tabs(), []);
  }],

  ["the first window sets up the server, and says so meanwhile", async () => {
    const { client, started } = await api();
    await started;
    assert.equal(client.problem, "");
    // That may have been over before the window showed anything, so once more, with the list in sight.
    await vscode.commands.executeCommand("notifications.showList");
    fs.rmSync(environment(), { recursive: true });
    const again = client.restart();
    await until("it is told", () => /setting up its server: (making an environment|installing packages)/.test(heard()));
    await again;
    assert.equal(client.problem, "");
    await vscode.commands.executeCommand("notifications.hideList");
  }],

  ["both folders are in the Test Explorer, and run together", async () => {
    const { client, started, tests } = await api();
    await started;
    await until("the server runs", () => client.isRunning);
    await until("both folders", () => tests.controller.items.size === 2);
    const token = new vscode.CancellationTokenSource().token;
    const watched = watchedRuns(tests);
    // The job of the first folder is over before the second is asked for, which is the same run.
    let asked = 0;
    tests.ask = async (...args) => {
      await (asked++ ? idle() : undefined);
      return Object.getPrototypeOf(tests).ask.apply(tests, args);
    };
    await tests.run.runHandler(new vscode.TestRunRequest(), token);
    delete tests.ask;
    await diagnosed("test_calc.py", 3, 0);
    await diagnosed("test_counts.py", 1, 1);
    await idle();
    const [told] = await watched.ended(1);
    assert.equal(told.failures.size, 4);
    assert.equal(told.late, 0);
  }],

  ["a solve in one folder leaves the other alone", async () => {
    await setting("apply", "auto");
    const before = onDisk("calc.py", 0);
    await open("test_counts.py", 1);
    await solvedBy(() => vscode.commands.executeCommand("untilgreen.solveFile"));
    await until("the fix", () => onDisk("counts.py", 1).includes("n + 1"));
    assert.equal(onDisk("calc.py", 0), before);
    await diagnosed("test_counts.py", 0, 1);
    await diagnosed("test_calc.py", 3, 0);
  }],

  ["each folder has the interpreter that was selected for it", async () => {
    const { client } = await api();
    const python = vscode.extensions.getExtension("ms-python.python").exports;
    const { configuration } = client.client.clientOptions.middleware.workspace;
    const uris = vscode.workspace.workspaceFolders.map(({ uri }) => uri.toString());
    const asked = { items: [{}, ...uris.map((scopeUri) => ({ scopeUri }))] };
    const nothing = async () => asked.items.map(() => ({ python: null }));
    const told = async () => (await configuration(asked, undefined, nothing)).map(({ python }) => python);
    assert.deepEqual(await told(), [null, null, null]);
    python.select("/two/bin/python3", root(1));
    assert.deepEqual(await told(), [null, null, "/two/bin/python3"]);
    python.select("python", root(1));
    python.select("/both/bin/python3");
    // Where folders differ, there is none for all of them.
    assert.deepEqual(await told(), [null, "/both/bin/python3", null]);
    python.select("python");
  }],

  ["an undo is the folder's own", async () => {
    await open("test_counts.py", 1);
    await idle();
    await run("untilgreen.undoLast");
    await until("the old text", () => !onDisk("counts.py", 1).includes("n + 1"));
  }],
]);
