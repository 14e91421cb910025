// A fix is looked at before it is written, and what is looked at is what is written.

const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { ADD, BROKEN, isBroken, isFixed, onDisk, solve, undo } = require("./calc.js");
const { until } = require("./suite.js");
const { api, idle, root, setting, solvedBy, tabs, uriOf } = require("./window.js");

const SUB_ALONE = BROKEN.replace("return a + b", "return a - b");
const isThere = (title) => tabs().some((label) => label.startsWith(title));
const isOpen = (title) => until(`${title} is open`, () => isThere(title));
const isClosed = (title) => until(`${title} is closed`, () => !isThere(title));

exports.checks = [
  ["asked first, a fix touches nothing until it is applied", async () => {
    const { standing } = await api();
    await setting("apply", "ask");
    await solvedBy(solve("test_calc.py::test_add"));
    const fix = await until("a fix that waits", () => standing.fix);
    assert.equal(onDisk("calc.py"), BROKEN);
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await isOpen("untilgreen: verified fix");
    const side = async (name) => {
      const uri = vscode.Uri.parse(`untilgreen:/${fix.job}/1/${name}/calc.py`);
      return (await vscode.workspace.openTextDocument(uri)).getText();
    };
    assert.equal(await side("before"), BROKEN);
    assert.ok((await side("after")).startsWith(ADD));
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await isFixed();
    await isClosed("untilgreen: verified fix");
    assert.equal(standing.fix, undefined);
    await undo();
    await isBroken();
  }],

  ["a fix that is discarded touches nothing, and is not what is applied later", async () => {
    const { standing } = await api();
    await solvedBy(solve("test_calc.py::test_add"));
    const { job } = await until("a fix that waits", () => standing.fix);
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await isOpen("untilgreen: verified fix");
    await vscode.commands.executeCommand("untilgreen.discardFix");
    await until("no fix waits", () => standing.fix === undefined);
    await isClosed("untilgreen: verified fix");
    assert.equal(onDisk(), BROKEN);
    // Looked at once more, and put away by hand; then comes another fix.
    await vscode.commands.executeCommand("untilgreen.reviewFix", job);
    await isOpen("untilgreen: verified fix");
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await isClosed("untilgreen: verified fix");
    await solvedBy(solve("test_calc.py::test_sub"));
    await until("another fix that waits", () => standing.fix && standing.fix.job !== job);
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await until("the other fix", () => onDisk() === SUB_ALONE);
    await undo();
    await isBroken();
  }],

  ["a review that cannot be shown keeps no other from the screen", async () => {
    const { client, standing } = await api();
    await solvedBy(solve("test_calc.py::test_add"));
    const { job } = await until("a fix that waits", () => standing.fix);
    client.listeners.answered("untilgreen.review", [{ job }], { job, files: [null] });
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await isOpen("untilgreen: verified fix");
    await vscode.commands.executeCommand("untilgreen.discardFix");
    await isClosed("untilgreen: verified fix");
  }],

  ["attempts and rivals can be looked at, and only what is shown is applied", async () => {
    const { standing } = await api();
    const script = path.join(root(), "..", "script.json");
    const wrong = BROKEN.replace("a - b", "a * b");
    const rival = BROKEN.replace("a - b", "sum((a, b))");
    const right = { hypothesis: "a sum", files: { "calc.py": BROKEN.replace("a - b", "b + a") } };
    const proposals = [{ hypothesis: "a product", files: { "calc.py": wrong } }, { ...right, rivals: [{ "calc.py": rival }] }];
    fs.writeFileSync(script, JSON.stringify({ proposals }));
    await setting("solver", `scripted:${script}`);
    await solvedBy(solve("test_calc.py::test_add"));
    const { job } = await until("a fix that waits", () => standing.fix);
    await vscode.commands.executeCommand("untilgreen.reviewFix");
    await isOpen("untilgreen: verified fix");
    await vscode.commands.executeCommand("untilgreen.review", { job, attempt: 1 });
    await isOpen("untilgreen: attempt 1");
    await isClosed("untilgreen: verified fix");
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await idle();
    assert.equal(onDisk(), BROKEN);
    await vscode.commands.executeCommand("untilgreen.review", { job, rival: 1 });
    await isOpen("untilgreen: rival 1");
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await until("the rival", () => onDisk() === rival);
    await setting("solver", undefined);
    await undo();
    await isBroken();
  }],

  ["attempts of a job without a fix can be looked at, and never applied", async () => {
    const { standing } = await api();
    const script = path.join(root(), "..", "script.json");
    const wrong = BROKEN.replace("a - b", "a * b");
    fs.writeFileSync(script, JSON.stringify({ proposals: [{ hypothesis: "a product", files: { "calc.py": wrong } }] }));
    await setting("solver", `scripted:${script}`);
    const { job, verdict } = await solvedBy(solve("test_calc.py::test_add"));
    assert.equal(verdict.kind, "stuck");
    assert.equal(standing.fix, undefined);
    // A list to choose from, with the attempt as the only entry of it.
    const chosen = vscode.commands.executeCommand("untilgreen.reviewOther");
    await until("the attempt is chosen", async () => {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      return isThere("untilgreen: attempt 1");
    });
    await chosen;
    const uri = vscode.Uri.parse(`untilgreen:/${job}/1/after/calc.py`);
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), wrong);
    await vscode.commands.executeCommand("untilgreen.applyFix");
    await idle();
    assert.equal(onDisk(), BROKEN);
    // Asked for without a number it is not called a fix.
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await isClosed("untilgreen: attempt 1");
    await vscode.commands.executeCommand("untilgreen.reviewFix", job);
    await isOpen("untilgreen: attempt 1");
    await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
    await setting("solver", undefined);
  }],

  ["a fix of several files is one review, however many documents are asked for", async () => {
    const { client } = await api();
    const asked = [];
    client.ask = async (...args) => void asked.push(args);
    try {
      for (const name of ["a.py", "b.py", "c.py", "a.py", "b.py"]) {
        assert.ok(client.listeners.shown(vscode.Uri.parse(`untilgreen:/job/1/after/${name}`)));
      }
    } finally {
      delete client.ask;
    }
    assert.equal(asked.length, 2);
    assert.equal(client.listeners.shown(uriOf("calc.py")), false);
  }],
];
