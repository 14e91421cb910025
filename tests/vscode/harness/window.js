// What a check does in a window: open, type, run commands, and wait for what follows.

const vscode = require("vscode");
const { until } = require("./suite.js");

/** What the extension exports. */
exports.api = async () => {
  const extension = await until("the extension", () => vscode.extensions.getExtension("untilgreen.untilgreen"));
  return extension.activate();
};

exports.root = (n = 0) => vscode.workspace.workspaceFolders[n].uri.fsPath;

const uriOf = (file, n = 0) => vscode.Uri.joinPath(vscode.workspace.workspaceFolders[n].uri, file);
exports.uriOf = uriOf;

exports.open = async (file, n = 0) => {
  const document = await vscode.workspace.openTextDocument(uriOf(file, n));
  await vscode.window.showTextDocument(document, { preview: false });
  return document;
};

/** Nothing runs, and nothing is being written. */
exports.idle = async () => {
  const { client } = await exports.api();
  await until("idle", async () => (await client.request("untilgreen/status", {}))?.quiescent);
};

/** A command of ours, and the end of what it started. */
exports.run = async (command, ...args) => {
  const answer = await vscode.commands.executeCommand(command, ...args);
  await exports.idle();
  return answer;
};

/** Some way to start a solve; the last event of it. */
exports.solvedBy = async (start) => {
  const { client } = await exports.api();
  const last = new Promise((resolve) => {
    const ears = client.onEvent((event) => {
      if (event.type === "finished" || event.type === "failed") {
        ears.dispose();
        resolve(event);
      }
    });
  });
  await start();
  const event = await last;
  await exports.idle();
  return event;
};

/** Our marks in a file, as soon as there are that many. */
exports.diagnosed = (file, count, n = 0) =>
  until(`${count} diagnostics in ${file}`, () => {
    const marks = vscode.languages.getDiagnostics(uriOf(file, n)).filter((mark) => mark.source === "untilgreen");
    return marks.length === count && marks;
  });

exports.actions = (file, range, n = 0) =>
  vscode.commands.executeCommand("vscode.executeCodeActionProvider", uriOf(file, n), range);

/** A setting of the user's, and the server that knows of it. */
exports.setting = async (name, value) => {
  const { client } = await exports.api();
  await vscode.workspace.getConfiguration("untilgreen").update(name, value, vscode.ConfigurationTarget.Global);
  await exports.idle();
  return client;
};

/** What the doctor says of the interpreter that the sandbox would use. */
exports.pythonOf = async (file, n = 0) => {
  const { client } = await exports.api();
  const told = await client.ask("untilgreen.doctor", { uri: uriOf(file, n).toString() });
  const { detail, remedy } = told.checks.find((check) => check.name === "python");
  return `${detail} ${remedy}`;
};

/** Type over a part of a document. */
exports.replace = async (document, before, after) => {
  const at = document.getText().indexOf(before);
  const edit = new vscode.WorkspaceEdit();
  const range = new vscode.Range(document.positionAt(at), document.positionAt(at + before.length));
  edit.replace(document.uri, range, after);
  await vscode.workspace.applyEdit(edit);
};

/** The labels of all open tabs. */
exports.tabs = () => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.label));

/** Test runs as VS Code is told of them from now on; `ended(n)` waits for that many to be over. */
exports.watchedRuns = (tests) => {
  const { controller } = tests;
  const { createTestRun } = controller;
  const runs = [];
  tests.controller = new Proxy(controller, {
    get: (_, name) => (name === "createTestRun" ? (...args) => seen(createTestRun(...args)) : controller[name]),
  });
  const seen = (run) => {
    const told = { failures: new Map(), late: 0, isOver: false };
    runs.push(told);
    return new Proxy(run, {
      get: (_, name) => (...args) => {
        told.late += told.isOver ? 1 : 0;
        if (name === "failed") {
          told.failures.set(args[0].id, [args[1]].flat());
        }
        told.isOver ||= name === "end";
        return run[name](...args);
      },
    });
  };
  return {
    ended: async (count) => {
      await until("the runs end", () => runs.filter((told) => told.isOver).length >= count);
      tests.controller = controller;
      return runs;
    },
  };
};
