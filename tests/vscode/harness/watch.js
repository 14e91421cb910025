// Watch mode in the real VS Code: a save is enough, and the Test Explorer's continuous run switches it.

const assert = require("node:assert");
const fs = require("node:fs");
const vscode = require("vscode");
const { suite, until } = require("./suite.js");
const { api, diagnosed, idle, open, replace, uriOf } = require("./window.js");

const watch = async (mode) => {
  const { client } = await api();
  const uri = vscode.workspace.workspaceFolders[0].uri.toString();
  return client.ask("untilgreen.watch", mode ? { uri, mode } : { uri });
};

exports.run = suite("watch", [
  ["watch mode is off at first", async () => {
    const { client, started } = await api();
    await started;
    await until("the server runs", () => client.isRunning);
    assert.deepEqual(await watch(), { mode: "off" });
  }],

  ["a save is enough to see what fails", async () => {
    const { standing } = await api();
    assert.equal((await watch("diagnose")).mode, "diagnose");
    await until("the status tells of it", () => standing.status.watch?.some(({ mode }) => mode === "diagnose"));
    const document = await open("total.py");
    await replace(document, "return a - b", "return a - b - 0");
    await document.save();
    await open("test_total.py");
    await diagnosed("test_total.py", 1);
    await idle();
    assert.equal((await watch("off")).mode, "off");
  }],

  ["a continuous run is watch mode until it is switched off", async () => {
    const { tests } = await api();
    const source = new vscode.CancellationTokenSource();
    const request = new vscode.TestRunRequest(undefined, undefined, tests.run, true);
    await tests.run.runHandler(request, source.token);
    assert.equal((await watch()).mode, "diagnose");
    source.cancel();
    await until("it is off", async () => (await watch()).mode === "off");
  }],

  ["a continuous run does not outlive its window, and a mode that was chosen stays", async () => {
    const { client, tests } = await api();
    const request = new vscode.TestRunRequest(undefined, undefined, tests.run, true);
    const again = async () => {
      await tests.run.runHandler(request, new vscode.CancellationTokenSource().token);
      assert.equal((await watch()).mode, "diagnose");
      // As a window that is opened anew: nobody cancelled anything.
      const { continuous } = tests;
      continuous.dispose();
      tests.continuous = new continuous.constructor(continuous.context, client);
    };
    await again();
    await client.restart();
    await until("it is off", async () => (await watch()).mode === "off");
    await again();
    await watch("suggest");
    await client.restart();
    await until("nothing is kept", () => Object.keys(tests.continuous.kept).length === 0);
    assert.equal((await watch()).mode, "suggest");
    await watch("off");
  }],

  ["with suggestions a save leads to a fix that waits", async () => {
    const { standing } = await api();
    await watch("suggest");
    const document = await open("total.py");
    await replace(document, "return a - b - 0", "return a - b");
    await document.save();
    await until("a fix that waits", () => standing.fix, 90_000);
    assert.ok(vscode.workspace.textDocuments.find((open) => open.uri.path === uriOf("total.py").path).getText().includes("return a - b"));
    await watch("off");
  }],

  ["in mode fix a save is mended, and what is taken back stays so", async () => {
    const { client } = await api();
    const document = await open("total.py");
    await replace(document, "return a - b", "return a - b  # mine");
    await watch("fix");
    await document.save();
    const onDisk = () => fs.readFileSync(uriOf("total.py").fsPath, "utf8");
    await until("the fix on disk", () => onDisk().includes("return a + b  # mine"), 90_000);
    await until("no marks", () => !vscode.languages.getDiagnostics(uriOf("test_total.py")).length);
    await client.ask("untilgreen.undo", { uri: uriOf("total.py").toString() });
    await until("it is taken back", () => onDisk().includes("return a - b  # mine"));
    await idle();
    assert.ok(onDisk().includes("return a - b  # mine"));
    await watch("off");
  }],

  ["a continuous run that begins without a server says so, and begins with it", async () => {
    const { client, tests } = await api();
    let complaints = 0;
    client.complain = async () => void complaints++;
    const source = new vscode.CancellationTokenSource();
    await client.stop();
    try {
      await tests.run.runHandler(new vscode.TestRunRequest(undefined, undefined, tests.run, true), source.token);
    } finally {
      delete client.complain;
      await client.restart();
    }
    assert.equal(complaints, 1);
    await until("it is on", async () => (await watch()).mode === "diagnose");
    source.cancel();
    await until("it is off", async () => (await watch()).mode === "off");
  }],

  ["of several continuous runs the one that does more counts, as long as it is on", async () => {
    const { tests } = await api();
    const begun = (profile) => {
      const source = new vscode.CancellationTokenSource();
      profile.runHandler(new vscode.TestRunRequest(undefined, undefined, profile, true), source.token);
      return source;
    };
    const [run, solve] = [begun(tests.run), begun(tests.solve)];
    await until("it suggests", async () => (await watch()).mode === "suggest");
    solve.cancel();
    await until("it only runs", async () => (await watch()).mode === "diagnose");
    // What the user chose meanwhile stays.
    await watch("fix");
    run.cancel();
    await until("nothing is kept", () => Object.keys(tests.continuous.kept).length === 0);
    assert.equal((await watch()).mode, "fix");
    await watch("off");
  }],
]);
