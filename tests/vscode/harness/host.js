// Inside the extension host of the real VS Code: the installed extension, its own server, the real sandbox.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { processesWith, suite, until } = require("./suite.js");
const { actions, api, diagnosed, idle, open, replace, root, run, setting, solvedBy, tabs, uriOf } = require("./window.js");

const ADD = "def add(a, b):\n    return a + b\n";
const BROKEN = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n";
const onDisk = (file) => fs.readFileSync(path.join(root(), file), "utf8");
const isFixed = () => until("the fix on disk", () => onDisk("calc.py").startsWith(ADD));
const isBroken = () => until("the old text on disk", () => onDisk("calc.py") === BROKEN);
const undo = async () => {
  // What is still being written cannot be taken back.
  await idle();
  await run("untilgreen.undoLast");
};
const solve = (test) => () =>
  vscode.commands.executeCommand("untilgreen.solve", { uri: uriOf("calc.py").toString(), tests: [test] });
const servers = () => processesWith("globalStorage/untilgreen.untilgreen/server/");

exports.run = suite("host", [
  ["the server comes with the extension, in an environment of its own", async () => {
    const { client, standing, started } = await api();
    await started;
    assert.equal(client.problem, "");
    await until("the server runs", () => standing.isRunning);
    assert.equal(servers().filter((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("serve")).length, 1);
  }],

  ["failing tests have diagnostics, lenses and hovers", async () => {
    const document = await open("test_calc.py");
    await run("untilgreen.testFile");
    const marks = await diagnosed("test_calc.py", 3);
    assert.match(marks.map((mark) => mark.message).join(), /expected: 1/);
    await until("lenses that tell of the run", async () => {
      const lenses = await vscode.commands.executeCommand("vscode.executeCodeLensProvider", document.uri, 20);
      const titles = lenses.map((lens) => lens.command?.title ?? "");
      return titles.some((title) => /^Run \(2 of 3 failed/.test(title)) && titles.includes("Solve until green");
    });
    const at = marks[0].range.start;
    const hovers = await vscode.commands.executeCommand("vscode.executeHoverProvider", document.uri, at);
    assert.match(hovers.flatMap((hover) => hover.contents.map((part) => part.value)).join(), /expected: 3/);
  }],

  ["an action solves, and the edit is saved on disk", async () => {
    await setting("apply", "auto");
    const [mark] = await diagnosed("test_calc.py", 3);
    const offered = await actions("test_calc.py", mark.range);
    const action = offered.find(({ title }) => title === "Solve until green: this test (test_add)");
    assert.ok(action, offered.map(({ title }) => title).join());
    await solvedBy(() => vscode.commands.executeCommand(action.command.command, ...action.command.arguments));
    await isFixed();
    await diagnosed("test_calc.py", 1);
  }],

  ["what was solved can be undone", async () => {
    await undo();
    await isBroken();
    await diagnosed("test_calc.py", 3);
  }],

  ["asked first, a fix touches nothing until it is applied", async () => {
    const { standing } = await api();
    await setting("apply", "ask");
    await solvedBy(solve("test_calc.py::test_add"));
    const fix = await until("a fix that waits", () => standing.fix);
    assert.equal(onDisk("calc.py"), BROKEN);
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await until("the diff", () => tabs().some((label) => label.startsWith("untilgreen: verified fix")));
    const side = async (name) => {
      const uri = vscode.Uri.parse(`untilgreen:/${fix.job}/1/${name}/calc.py`);
      return (await vscode.workspace.openTextDocument(uri)).getText();
    };
    assert.equal(await side("before"), BROKEN);
    assert.ok((await side("after")).startsWith(ADD));
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await isFixed();
    await until("the diff is closed", () => !tabs().some((label) => label.startsWith("untilgreen: verified fix")));
    assert.equal(standing.fix, undefined);
    await undo();
    await isBroken();
  }],

  ["a fix that is discarded touches nothing", async () => {
    const { standing } = await api();
    await solvedBy(solve("test_calc.py::test_add"));
    await until("a fix that waits", () => standing.fix);
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await vscode.commands.executeCommand("untilgreen.discardFix");
    await until("no fix waits", () => standing.fix === undefined);
    await until("the diff is closed", () => !tabs().some((label) => label.startsWith("untilgreen: verified fix")));
    assert.equal(onDisk("calc.py"), BROKEN);
  }],

  ["unsaved changes are what runs", async () => {
    const document = await open("test_calc.py");
    await replace(document, "sub(3, 2) == 1", "sub(3, 2) == 5");
    await run("untilgreen.testFile");
    await diagnosed("test_calc.py", 2);
    assert.ok(document.isDirty);
    await vscode.commands.executeCommand("workbench.action.files.revert");
    await until("the saved text is back", () => !document.isDirty);
  }],

  ["what is typed during a solve is kept", async () => {
    await setting("apply", "auto");
    const document = await open("calc.py");
    const { client } = await api();
    const typed = new Promise((resolve) => {
      const ears = client.onEvent((event) => {
        if (event.type === "baseline_done") {
          ears.dispose();
          resolve(replace(document, "def sub(a, b):\n", "def sub(a, b):\n    # typed meanwhile\n"));
        }
      });
    });
    await solvedBy(solve("test_calc.py::test_add"));
    await typed;
    await until("both", () => document.getText().startsWith(ADD) && document.getText().includes("# typed meanwhile"));
    await open("calc.py");
    await replace(document, document.getText(), BROKEN);
    await document.save();
  }],

  ["the Test Explorer shows tests without running them", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    await open("test_words.py");
    await until("the tests", () => tests.tree.get(`${id} test_words.py::TestInitial::test_other`));
    assert.deepEqual([...tests.controller.items].map(([, item]) => item.label), [path.basename(root())]);
    assert.equal(tests.tree.get(`${id} test_words.py::TestInitial`).children.size, 2);
    assert.equal(tests.tree.get(`${id} test_words.py::TestInitial::test_other`).range.start.line, 7);
  }],

  ["the Test Explorer runs in the sandbox", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const file = tests.tree.get(`${id} test_calc.py`);
    const token = new vscode.CancellationTokenSource().token;
    tests.outcomes.clear();
    await tests.run.runHandler(new vscode.TestRunRequest([file]), token);
    await until("the outcomes", () => tests.outcomes.get(`${id} test_calc.py::test_sub`) === "failed");
    assert.equal(tests.outcomes.get(`${id} test_calc.py::test_add[0-0-0]`), "passed");
    assert.equal(tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`), "failed");
    assert.equal(tests.tree.get(`${id} test_calc.py::test_add`).children.size, 3);
    await idle();
  }],

  ["the Test Explorer solves until green", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const item = tests.tree.get(`${id} test_calc.py::test_add`);
    const token = new vscode.CancellationTokenSource().token;
    await solvedBy(() => tests.solve.runHandler(new vscode.TestRunRequest([item]), token));
    await isFixed();
    await until("the new outcome", () => tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`) === "passed");
    await undo();
    await isBroken();
    await until("the old outcome", () => tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`) === "failed");
  }],

  ["a run can be stopped, by cancelling or by command", async () => {
    const { client, standing, tests } = await api();
    fs.writeFileSync(path.join(root(), "test_slow.py"), "import time\n\n\ndef test_slow():\n    time.sleep(600)\n");
    await open("test_slow.py");
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const item = await until("the slow test", () => tests.tree.get(`${id} test_slow.py::test_slow`));
    const running = () => until("it runs", () => standing.status.jobs.length === 1);
    const source = new vscode.CancellationTokenSource();
    await tests.run.runHandler(new vscode.TestRunRequest([item]), source.token);
    await running();
    source.cancel();
    await idle();
    const ended = await solvedBy(async () => {
      await solve("test_slow.py")();
      await running();
      await vscode.commands.executeCommand("untilgreen.stopAll");
    });
    assert.equal(ended.verdict.kind, "stopped");
    fs.rmSync(path.join(root(), "test_slow.py"));
    assert.ok(client.isRunning);
  }],

  ["the interpreter that the user selected is the sandbox's", async () => {
    const { client } = await api();
    const python = vscode.extensions.getExtension("ms-python.python").exports;
    const said = async () => {
      const told = await client.ask("untilgreen.doctor", { uri: uriOf("calc.py").toString() });
      const { detail, remedy } = told.checks.find((check) => check.name === "python");
      return `${detail} ${remedy}`;
    };
    python.select("/nowhere/bin/python3");
    await until("the server knows", async () => (await said()).includes("/nowhere"));
    python.select("python");
    await until("the server knows again", async () => !(await said()).includes("/nowhere"));
  }],

  ["a server that dies is started again", async () => {
    const { client, standing } = await api();
    const [pid] = servers().filter((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("serve"));
    const born = new Promise((resolve) => client.onLife((alive) => alive && resolve()));
    process.kill(pid, "SIGKILL");
    await born;
    assert.ok(standing.isRunning);
    await open("test_calc.py");
    await run("untilgreen.testFile");
    await diagnosed("test_calc.py", 3);
  }],

  ["many wishes for a restart are one", async () => {
    const { client } = await api();
    let births = 0;
    const ears = client.onLife((alive) => (births += alive ? 1 : 0));
    await Promise.all(Array.from({ length: 6 }, () => vscode.commands.executeCommand("untilgreen.restart")));
    ears.dispose();
    assert.equal(births, 2);
    assert.equal(servers().filter((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("serve")).length, 1);
  }],

  ["a path that is wrong comes with its remedy", async () => {
    const { client, standing } = await api();
    await vscode.workspace.getConfiguration("untilgreen").update("path", "/no/such/untilgreen", true);
    await until("the problem", () => /Correct the setting, or leave it empty/.test(client.problem));
    assert.equal(standing.isRunning, false);
    await vscode.workspace.getConfiguration("untilgreen").update("path", undefined, true);
    await until("the server is back", () => client.isRunning);
    assert.equal(client.problem, "");
  }],

  ["without a Python that is new enough it says what to install", async () => {
    const { client } = await api();
    const folder = environment();
    fs.renameSync(folder, `${folder}-aside`);
    const { PATH } = process.env;
    try {
      process.env.PATH = "/nowhere";
      await client.restart();
      assert.match(client.problem, /Python 3\.11 or later with venv.*python3-venv.*untilgreen\.path/s);
    } finally {
      process.env.PATH = PATH;
      fs.renameSync(`${folder}-aside`, folder);
    }
    await client.restart();
    assert.equal(client.problem, "");
  }],

  ["commands that mean nothing now are not offered", async () => {
    const { packageJSON } = vscode.extensions.getExtension("untilgreen.untilgreen");
    const known = new Set(await vscode.commands.getCommands(true));
    const { commands, menus } = packageJSON.contributes;
    for (const { command } of commands) {
      assert.ok(known.has(command), command);
    }
    const hidden = new Map(menus.commandPalette.map(({ command, when }) => [command, when]));
    assert.match(hidden.get("untilgreen.applyFix"), /hasFix/);
    assert.equal(packageJSON.capabilities.untrustedWorkspaces.supported, false);
  }],
]);

/** The private environment, as the server's own command names it. */
function environment() {
  const [pid] = servers();
  return /^(.*?server\/[0-9a-f]+)\//.exec(fs.readFileSync(`/proc/${pid}/cmdline`, "utf8"))[1];
}
