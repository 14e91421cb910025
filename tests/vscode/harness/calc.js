// The broken project of most checks, and what is done with it again and again.

const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { processesWith, until } = require("./suite.js");
const { idle, root, run, uriOf } = require("./window.js");

exports.BROKEN = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n";
exports.ADD = "def add(a, b):\n    return a + b\n";
exports.onDisk = (file = "calc.py") => fs.readFileSync(path.join(root(), file), "utf8");
exports.isFixed = () => until("the fix on disk", () => exports.onDisk().startsWith(exports.ADD));
exports.isBroken = () => until("the old text on disk", () => exports.onDisk() === exports.BROKEN);

exports.undo = async () => {
  // What is still being written cannot be taken back.
  await idle();
  await run("untilgreen.undoLast");
};

exports.solve = (test) => () =>
  vscode.commands.executeCommand("untilgreen.solve", { uri: uriOf("calc.py").toString(), tests: [test] });

/** Processes of the extension's own server, and none that one of them has just made and that is still called so. */
exports.servers = () => {
  // Of this VS Code alone: there may be others beside it.
  const place = path.join(path.dirname(process.env.UNTILGREEN_TEST_RESULTS), "data/User/globalStorage/untilgreen.untilgreen/server/");
  const found = processesWith(place).filter((pid) =>
    text(`/proc/${pid}/cmdline`).includes("serve"),
  );
  return found.filter((pid) => !found.includes(Number(/^PPid:\s*(\d+)$/m.exec(text(`/proc/${pid}/status`))?.[1])));
};

function text(file) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** The private environment, as the server's own command names it. */
exports.environment = () => {
  const [pid] = exports.servers();
  return /^(.*?server\/[0-9a-f]+)\//.exec(fs.readFileSync(`/proc/${pid}/cmdline`, "utf8"))[1];
};
