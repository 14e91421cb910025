// The Test Explorer: what it shows, runs, solves and stops.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { isBroken, isFixed, solve, undo } = require("./calc.js");
const { until } = require("./suite.js");
const { api, idle, open, root, setting, solvedBy, watchedRuns } = require("./window.js");

exports.checks = [
  ["the Test Explorer shows tests without running them", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    await open("test_words.py");
    // A test that a run told of has its place when the file was read, too.
    await until("the tests", () => tests.tree.get(`${id} test_words.py::TestInitial::test_first`)?.range);
    assert.deepEqual([...tests.controller.items].map(([, item]) => item.label), [path.basename(root())]);
    assert.equal(tests.tree.get(`${id} test_words.py::TestInitial`).children.size, 2);
    assert.equal(tests.tree.get(`${id} test_words.py::TestInitial::test_first`).range.start.line, 7);
  }],

  ["the Test Explorer runs in the sandbox", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const file = tests.tree.get(`${id} test_calc.py`);
    const token = new vscode.CancellationTokenSource().token;
    tests.outcomes.clear();
    const watched = watchedRuns(tests);
    await tests.run.runHandler(new vscode.TestRunRequest([file]), token);
    await until("the outcomes", () => tests.outcomes.get(`${id} test_calc.py::test_sub`) === "failed");
    assert.equal(tests.outcomes.get(`${id} test_calc.py::test_add[0-0-0]`), "passed");
    assert.equal(tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`), "failed");
    assert.equal(tests.tree.get(`${id} test_calc.py::test_add`).children.size, 3);
    await idle();
    const [told] = await watched.ended(1);
    const [message] = told.failures.get(`${id} test_calc.py::test_sub`);
    assert.deepEqual([message.expectedOutput, message.actualOutput], ["1", "5"]);
    assert.equal(message.location.range.start.line, 11);
  }],

  ["the Test Explorer solves until green", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const item = tests.tree.get(`${id} test_calc.py::test_add`);
    const token = new vscode.CancellationTokenSource().token;
    await setting("apply", "auto");
    await solvedBy(() => tests.solve.runHandler(new vscode.TestRunRequest([item]), token));
    await isFixed();
    await until("the new outcome", () => tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`) === "passed");
    await undo();
    await isBroken();
    await until("the old outcome", () => tests.outcomes.get(`${id} test_calc.py::test_add[1-2-3]`) === "failed");
  }],

  ["cases that there are no more are gone with the next run, and with the server that knew of them", async () => {
    const { client, tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const file = path.join(root(), "test_cases.py");
    const write = (cases) => {
      const mark = cases ? `@pytest.mark.parametrize("n", ${cases})\ndef test_n(n):` : "def test_n(n=1):";
      fs.writeFileSync(file, `import pytest\n\n\n${mark}\n    assert n\n`);
    };
    const cases = () => [...(tests.tree.get(`${id} test_cases.py::test_n`)?.children ?? [])].map(([, { label }]) => label);
    const ran = async () => {
      const watched = watchedRuns(tests);
      const request = new vscode.TestRunRequest([tests.tree.get(`${id} test_cases.py`)]);
      await tests.run.runHandler(request, new vscode.CancellationTokenSource().token);
      await idle();
      await watched.ended(1);
      return cases();
    };
    write("[0, 1]");
    await until("the file", () => tests.tree.get(`${id} test_cases.py`));
    assert.deepEqual(await ran(), ["[0]", "[1]"]);
    write("[1, 2]");
    assert.deepEqual(await ran(), ["[1]", "[2]"]);
    // Reading the file says nothing of cases.
    await tests.controller.resolveHandler(tests.tree.get(`${id} test_cases.py`));
    assert.deepEqual(cases(), ["[1]", "[2]"]);
    write();
    assert.deepEqual(await ran(), []);
    write("[1, 2]");
    assert.deepEqual(await ran(), ["[1]", "[2]"]);
    await client.restart();
    assert.deepEqual(cases(), []);
    fs.rmSync(file);
    await until("the file is gone", () => !tests.tree.get(`${id} test_cases.py`));
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

  ["what is taken out of a run takes nothing else along", async () => {
    const { tests } = await api();
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const item = (name) => tests.tree.get(`${id} test_words.py${name}`);
    const request = new vscode.TestRunRequest([item("")], [item("::TestInitial::test_first_letter")]);
    const names = [...tests.tree.wanted(request).values()].flat().map(({ id }) => tests.tree.nameOf(id));
    assert.deepEqual(names, ["test_words.py::TestInitial::test_first"]);
  }],
];
