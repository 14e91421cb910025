// Failing tests are seen, solved and undone.

const assert = require("node:assert");
const fs = require("node:fs");
const vscode = require("vscode");
const { ADD, BROKEN, isBroken, isFixed, servers, solve, undo } = require("./calc.js");
const { until } = require("./suite.js");
const { actions, api, diagnosed, open, replace, root, run, setting, solvedBy } = require("./window.js");

exports.checks = [
  ["the server comes with the extension, in an environment of its own", async () => {
    const { client, standing, started } = await api();
    await started;
    assert.equal(client.problem, "");
    await until("the server runs", () => standing.isRunning);
    const [pid, ...others] = servers();
    assert.deepEqual(others, []);
    // A stranger's files are not beside it.
    assert.notEqual(fs.readlinkSync(`/proc/${pid}/cwd`), root());
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

  ["the palette solves the test at the cursor, and only that", async () => {
    await setting("apply", "ask");
    await open("test_calc.py");
    const editor = vscode.window.activeTextEditor;
    const at = new vscode.Position(11, 4);
    editor.selection = new vscode.Selection(at, at);
    const { client, standing } = await api();
    const begun = [];
    const ears = client.onEvent((event) => event.type === "job_started" && begun.push(event.tests));
    await solvedBy(() => vscode.commands.executeCommand("untilgreen.solveHere"));
    ears.dispose();
    assert.deepEqual(begun, [["test_calc.py::test_sub"]]);
    await until("a fix that waits", () => standing.fix);
    await vscode.commands.executeCommand("untilgreen.discardFix");
    await until("no fix waits", () => standing.fix === undefined);
  }],

  ["settings count at once, in the server that runs", async () => {
    const { client, standing } = await api();
    const before = servers();
    const deaths = [];
    const ears = client.onLife((alive) => alive || deaths.push("gone"));
    const ran = async (args) => {
      await setting("pytest_args", args);
      tests.outcomes.clear();
      await run("untilgreen.testFile");
      return [...tests.outcomes.keys()].filter((id) => id.includes("test_calc.py::")).length;
    };
    const { tests } = await api();
    await open("test_calc.py");
    assert.equal(await ran(["-k", "test_sub"]), 1);
    assert.equal(await ran(undefined), 4);
    await setting("solver", "scripted:/nowhere.json");
    await until("the status tells of it", () => standing.status.solver === "scripted");
    await setting("solver", undefined);
    await until("the status tells of it", () => standing.status.solver === "offline");
    ears.dispose();
    assert.deepEqual([servers(), deaths], [before, []]);
    await diagnosed("test_calc.py", 3);
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
];
