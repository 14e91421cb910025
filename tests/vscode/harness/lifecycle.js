// The server's own life: where it comes from, how it ends, and what is said when it does not come.

const assert = require("node:assert");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const vscode = require("vscode");
const { environment, servers } = require("./calc.js");
const { until } = require("./suite.js");
const { api, diagnosed, idle, open, pythonOf, root, run, watchedRuns } = require("./window.js");

const OWN = path.resolve(__dirname, "../../../.venv/bin/untilgreen");
const DAY = 24 * 60 * 60;
const setPath = (value) => vscode.workspace.getConfiguration("untilgreen").update("path", value, true);

/** Whatever happens, the next check has the extension's own server. */
async function withPaths(work) {
  const { client } = await api();
  try {
    await work(client);
  } finally {
    await setPath(undefined);
    await until("our own is back", () => servers().length === 1 && client.isRunning);
  }
  assert.equal(client.problem, "");
}

/** The same server in another wheel, as a new version brings it: a few words more at its end, which zip allows. */
function otherWheel() {
  const folder = path.join(vscode.extensions.getExtension("untilgreen.untilgreen").extensionPath, "server");
  const file = path.join(folder, fs.readdirSync(folder)[0]);
  const bytes = fs.readFileSync(file);
  const other = Buffer.concat([bytes, Buffer.from("newer")]);
  other.writeUInt16LE("newer".length, bytes.length - 2);
  fs.writeFileSync(file, other);
  const key = createHash("sha256").update(other).digest("hex").slice(0, 16);
  return { key, giveBack: () => fs.writeFileSync(file, bytes) };
}

/** What goes to the output while something is done, each line with its level, as if this were the level of it all. */
async function logged(logLevel, work) {
  const { client } = await api();
  const { log } = client;
  const lines = [];
  const note = (level) => (text, ...more) => {
    lines.push(`${level}: ${text}`);
    log[level](text, ...more);
  };
  client.log = new Proxy(log, {
    get: (_, name) => (name === "logLevel" ? logLevel : /^(trace|debug|info|warn|error)$/.test(name) ? note(name) : log[name]),
  });
  try {
    await work();
  } finally {
    client.log = log;
  }
  return lines;
}

/** With other words in the environment of this window; they are given back. */
async function having(words, work) {
  const before = Object.keys(words).map((name) => [name, process.env[name]]);
  Object.assign(process.env, words);
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      value === undefined ? delete process.env[name] : (process.env[name] = value);
    }
  }
}

exports.checks = [
  ["a server that dies in the middle of a job is started again", async () => {
    const { client, standing, tests } = await api();
    fs.writeFileSync(path.join(root(), "test_slow.py"), "import time\n\n\ndef test_slow():\n    time.sleep(600)\n");
    await open("test_slow.py");
    const id = vscode.workspace.workspaceFolders[0].uri.toString();
    const item = await until("the slow test", () => tests.tree.get(`${id} test_slow.py::test_slow`));
    const watched = watchedRuns(tests);
    await tests.run.runHandler(new vscode.TestRunRequest([item]), new vscode.CancellationTokenSource().token);
    await until("it runs", () => standing.status.jobs.length === 1);
    const born = new Promise((resolve) => client.onLife((alive) => alive && resolve()));
    const [pid] = servers();
    process.kill(pid, "SIGSTOP");
    // Who waits for an answer of it does not wait for ever.
    const answer = client.wish("untilgreen.stop", { job: standing.status.jobs[0] });
    process.kill(pid, "SIGKILL");
    assert.equal(await answer, undefined);
    await watched.ended(1);
    await born;
    assert.ok(standing.isRunning);
    assert.equal(client.problem, "");
    fs.rmSync(path.join(root(), "test_slow.py"));
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
    assert.equal(servers().length, 1);
  }],

  ["a user without a home folder has a server, too", async () => {
    const { client } = await api();
    await having({ HOME: "/nowhere" }, () => client.restart());
    assert.equal(client.problem, "");
    assert.equal(servers().length, 1);
    await client.restart();
  }],

  ["the interpreter that the user selected is the sandbox's", async () => {
    const { client } = await api();
    const python = vscode.extensions.getExtension("ms-python.python").exports;
    const said = () => pythonOf("calc.py");
    let told = 0;
    const { client: line } = client;
    line.sendNotification = (...args) => {
      told += args[0] === "workspace/didChangeConfiguration" ? 1 : 0;
      return Object.getPrototypeOf(line).sendNotification.apply(line, args);
    };
    python.select("/nowhere/bin/python3");
    // However often the server was started, it is told once.
    assert.equal(told, 1);
    delete line.sendNotification;
    await until("the server knows", async () => (await said()).includes("/nowhere"));
    python.select("python");
    await until("the server knows again", async () => !(await said()).includes("/nowhere"));
  }],

  ["a path that is wrong comes with its remedy", () => withPaths(async (client) => {
    const { standing, tests } = await api();
    const remedy = /untilgreen\.path names (.+), which .+ Correct the setting, or leave it empty/;
    const lines = await logged(vscode.LogLevel.Info, async () => {
      for (const wrong of ["/no/such/untilgreen", "no-such-untilgreen", "./untilgreen", root(), "/bin/true"]) {
        await setPath(wrong);
        await until(`the problem with ${wrong}`, () => remedy.exec(client.problem)?.[1] === wrong);
        assert.equal(standing.isRunning, false);
      }
    });
    assert.equal(lines.filter((line) => line.startsWith("error: untilgreen.path names ")).length, 5, lines.join("\n"));
    assert.ok(!lines.some((line) => line.startsWith("trace")), lines.join("\n"));
    // Nobody waits for a run that nothing can carry out.
    const watched = watchedRuns(tests);
    await tests.run.runHandler(new vscode.TestRunRequest(), new vscode.CancellationTokenSource().token);
    await watched.ended(1);
  })],

  ["a server of the user's own is used, by its path or by its name", () => withPaths(async (client) => {
    const bin = path.join(root(), "..", "bin");
    fs.mkdirSync(bin);
    const says = "echo WARNING own: look out >&2\necho and a line of it >&2\n";
    fs.writeFileSync(path.join(bin, "untilgreen"), `#!/bin/sh\n${says}exec "${OWN}" "$@"\n`, { mode: 0o755 });
    await having({ PATH: `${bin}:${process.env.PATH}`, HOME: path.join(root(), "..") }, async () => {
      for (const named of [OWN, "~/bin/untilgreen"]) {
        await setPath(named);
        await until(`${named} answers`, async () => !servers().length && client.isRunning && (await idle(), true));
        assert.equal(client.problem, "");
      }
      // What it says and what is said to it goes to the output, each at its level.
      const lines = await logged(vscode.LogLevel.Trace, async () => {
        await setPath("untilgreen");
        await until("it runs", () => client.isRunning && client.client.outputChannel === client.log);
        await pythonOf("calc.py");
      });
      const told = [/^info: starting .*bin\/untilgreen serve$/, /^warn: own: look out$/, /^warn: and a line of it$/];
      told.push(/^info: .*python: good\./s, /^trace: .*workspace\/executeCommand/);
      assert.deepEqual(told.filter((line) => !lines.some((other) => line.test(other))), [], lines.join("\n"));
    });
  })],

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

  ["packages that cannot be installed come with a remedy", async () => {
    const { client } = await api();
    const folder = environment();
    fs.renameSync(folder, `${folder}-aside`);
    try {
      await having({ PIP_NO_INDEX: "1" }, () => client.restart());
      assert.match(client.problem, /packages could not be installed\. Check that pip reaches your package index/);
      assert.deepEqual(fs.readdirSync(path.dirname(folder)), [`${path.basename(folder)}-aside`]);
    } finally {
      fs.renameSync(`${folder}-aside`, folder);
    }
  }],

  ["another wheel gets another environment, made anew where one is broken, out of reach of the workspace", async () => {
    const { client } = await api();
    await client.restart();
    const mine = environment();
    const { birthtimeMs } = fs.statSync(mine);
    const beside = (name) => path.join(path.dirname(mine), name);
    const long = Date.now() / 1000 - 40 * DAY;
    fs.mkdirSync(beside("0123456789abcdef"));
    fs.mkdirSync(beside("fedcba9876543210"));
    fs.utimesSync(beside("0123456789abcdef"), long, long);
    const modules = ["ensurepip", "venv", "pip", "untilgreen", "sitecustomize"].map((name) => path.join(root(), `${name}.py`));
    const marker = path.join(root(), "..", "ran");
    const before = process.cwd();
    const wheel = otherWheel();
    const other = beside(wheel.key);
    fs.mkdirSync(path.join(other, "bin"), { recursive: true });
    fs.symlinkSync("/nowhere/python3", path.join(other, "bin/python"));
    try {
      modules.forEach((file) => fs.writeFileSync(file, `open(${JSON.stringify(marker)}, "a").write(__file__)\n`));
      process.chdir(root());
      // Without what it needs it is made in a moment, and cannot serve; the first window has shown that it can.
      const lines = await having({ PIP_NO_DEPS: "1" }, () => logged(vscode.LogLevel.Info, () => client.restart()));
      assert.ok(lines.includes(`info: starting ${other}/bin/python -I -m untilgreen serve`), lines.join("\n"));
      assert.ok(fs.existsSync(path.join(other, "lib")), "it was not made anew");
      // What nobody used for long is gone; what another window may use is not.
      const left = fs.readdirSync(path.dirname(mine)).sort();
      assert.deepEqual(left, [path.basename(mine), wheel.key, "fedcba9876543210"].sort());
      wheel.giveBack();
      // And the first wheel has its own as it was.
      await client.restart();
      assert.equal(client.problem, "");
      assert.equal(environment(), mine);
      assert.equal(fs.statSync(mine).birthtimeMs, birthtimeMs);
      assert.notEqual(fs.readlinkSync(`/proc/${servers()[0]}/cwd`), root());
      assert.ok(!fs.existsSync(marker), "code of the workspace ran here");
    } finally {
      process.chdir(before);
      modules.forEach((file) => fs.rmSync(file, { force: true }));
      wheel.giveBack();
      fs.rmSync(other, { recursive: true });
    }
  }],

  ["what goes wrong where nobody waits is told in the output", async () => {
    const { client, standing, tests, timeline } = await api();
    const [folder] = vscode.workspace.workspaceFolders;
    const sources = Array.from({ length: 2 }, () => new vscode.CancellationTokenSource());
    await open("test_calc.py");
    await timeline.show();
    await tests.run.runHandler(new vscode.TestRunRequest(undefined, undefined, tests.run, true), sources[0].token);
    tests.ask = async () => ({ job: "nobody's" });
    await tests.run.runHandler(new vscode.TestRunRequest(), sources[1].token);
    const wanted = ["experimental/discoverTest", "untilgreen/status", "untilgreen.watch", "untilgreen.stop", "untilgreen.history"];
    const asked = new Set();
    const lines = await logged(vscode.LogLevel.Info, async () => {
      client.request = async (method, params) => {
        asked.add(params.command ?? method);
        throw new Error(`planted in ${params.command ?? method}`);
      };
      try {
        client.changed(client.client, client.client.state);
        client.statuses.fire(standing.status);
        sources.forEach((source) => source.cancel());
        await until("all were asked", () => wanted.every((name) => asked.has(name)));
      } finally {
        delete client.request;
        delete tests.ask;
        tests.end("nobody's");
      }
    });
    const told = (name) => lines.some((line) => line.startsWith(`error: Error: planted in ${name}`));
    assert.deepEqual(wanted.filter((name) => !told(name)), [], lines.join("\n"));
    // What could not be switched off then is so with the next server.
    await client.restart();
    const watch = () => client.ask("untilgreen.watch", { uri: folder.uri.toString() });
    await until("it is off", async () => (await watch()).mode === "off");
    timeline.panel.dispose();
    await until("the timeline is closed", () => !timeline.panel);
  }],

  ["a timeline that is closed while it opens is no error", async () => {
    const { timeline } = await api();
    let panel;
    Object.defineProperty(timeline, "panel", {
      configurable: true,
      get: () => panel,
      set: (made) => {
        panel = made;
        // The page is still being read.
        queueMicrotask(() => made?.dispose());
      },
    });
    try {
      await timeline.show();
      assert.equal(panel, undefined);
    } finally {
      Object.defineProperty(timeline, "panel", { configurable: true, writable: true, value: undefined });
    }
  }],

  // The last: nothing is shown in the Test Explorer after it.
  ["the end of the extension is the end of its runs", async () => {
    const { client, tests } = await api();
    const testId = `${vscode.workspace.workspaceFolders[0].uri} test_calc.py::test_sub`;
    const tell = () => client.states.fire({ testId, state: { tag: "passed" } });
    const watched = watchedRuns(tests);
    tell();
    tests.dispose();
    tell();
    const runs = await watched.ended(0);
    assert.deepEqual(runs.map(({ isOver, late }) => [isOver, late]), [[true, 0]]);
  }],
];
