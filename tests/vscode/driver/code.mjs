// Real VS Code (code-server) on a free port of this machine, and a real browser; all they write lies in one folder.

import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import { processesWith } from "../harness/suite.js";

export const REPOSITORY = path.resolve(import.meta.dirname, "../../..");
const TOOLS = fs.realpathSync(`${REPOSITORY}/.cache/vscode`);
const { chromium } = createRequire(`${TOOLS}/driver/`)("playwright-core");
const ENTRY = `${TOOLS}/code-server/node_modules/code-server/out/node/entry.js`;
const BROWSER = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"];
const QUIET = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "telemetry.telemetryLevel": "off",
  "chat.disableAIFeatures": true,
  "extensions.autoUpdate": false,
  "extensions.autoCheckUpdates": false,
  "extensions.ignoreRecommendations": true,
  "git.enabled": false,
  "files.autoSave": "off",
  "editor.minimap.enabled": false,
  "testing.automaticallyOpenPeekView": "never",
  "testing.automaticallyOpenTestResults": "neverOpen",
};

/** A browser, and the extension installed from its .vsix. */
export async function start(folder, vsix) {
  for (const name of ["data/User", "data/Machine", "extensions", "state"]) {
    fs.mkdirSync(`${folder}/${name}`, { recursive: true });
  }
  const code = new Code(folder);
  code.trusts(true);
  await run([...code.options, "--install-extension", vsix], environment(folder), `${folder}/install.log`);
  code.context = await chromium.launchPersistentContext(`${folder}/browser`, {
    executablePath: "/usr/bin/chromium",
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: BROWSER,
  });
  return code;
}

class Code {
  constructor(folder) {
    this.folder = folder;
    this.options = ["--config", `${folder}/config.yaml`, "--user-data-dir", `${folder}/data`];
    this.options.push("--extensions-dir", `${folder}/extensions`);
  }

  /**
   * A server for the windows to come. For tests inside the extension host it needs its smoke-test driver, without
   * which they are passed over in silence; for the screen it must not have it, as it hides notifications.
   */
  async serve(withDriver) {
    if (this.server && this.withDriver === withDriver) {
      return;
    }
    await this.leave();
    this.withDriver = withDriver;
    this.port = await freePort();
    const log = fs.openSync(`${this.folder}/server.log`, "a");
    const more = ["--auth", "none", "--bind-addr", `127.0.0.1:${this.port}`, "--disable-telemetry"];
    more.push("--disable-update-check", "--disable-getting-started-override");
    more.push(...(withDriver ? ["--vscode-option", "enable-smoke-test-driver"] : []));
    const stdio = ["ignore", log, log];
    const server = spawn(process.execPath, [ENTRY, ...this.options, ...more], { stdio, env: environment(this.folder) });
    this.server = server;
    await until("code-server", 60_000, () => answers(this.port) || (server.exitCode !== null && fail("it ended")));
  }

  /** Whether windows to come trust every folder, or ask the user first, as VS Code does where nobody changed it. */
  trusts(everything) {
    const settings = { ...QUIET, "security.workspace.trust.enabled": !everything };
    fs.writeFileSync(`${this.folder}/data/User/settings.json`, JSON.stringify(settings));
  }

  /** Processes of the extension's own server, in all windows. */
  servers() {
    const serving = new Set(processesWith("-m untilgreen serve"));
    const place = `${this.folder}/data/User/globalStorage/untilgreen.untilgreen/server/`;
    return processesWith(place).filter((pid) => serving.has(pid));
  }

  /** When those of earlier windows are gone, every server is noted, also one that is gone when somebody looks. */
  async watchServers() {
    await until("no server of an earlier window", 60_000, () => this.servers().length === 0);
    clearInterval(this.watching);
    this.seen = new Set();
    this.watching = setInterval(() => this.servers().forEach((pid) => this.seen.add(pid)), 200);
  }

  /** The uri by which the window knows a file of this machine. */
  remote(file) {
    return `vscode-remote://127.0.0.1:${this.port}${encodeURI(file)}`;
  }

  /** A new window on a folder or a .code-workspace file. */
  async open(place, payload = []) {
    const page = await this.context.newPage();
    const log = fs.createWriteStream(`${this.folder}/console.log`, { flags: "a" });
    page.on("console", (message) => log.write(`${message.type()} ${message.text()}\n`));
    const kind = place.endsWith(".code-workspace") ? "workspace" : "folder";
    const told = JSON.stringify([...payload, ["skipWelcome", "true"]]);
    const query = new URLSearchParams({ [kind]: place, payload: told });
    this.page = page;
    return { page, load: () => page.goto(`http://127.0.0.1:${this.port}/?${query}`) };
  }

  async leave() {
    if (this.server) {
      await ended(this.server);
      this.server = undefined;
    }
  }

  async stop() {
    clearInterval(this.watching);
    await Promise.allSettled([this.context?.close()]);
    await this.leave();
  }
}

/** The first true answer; fails when there is none in time. */
export async function until(what, milliseconds, found) {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const answer = await found();
    if (answer) {
      return answer;
    }
    if (Date.now() > deadline) {
      throw new Error(`it did not come in ${milliseconds / 1000} s: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Nothing of the user's own, and nothing left in the user's folders. */
function environment(folder) {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PYTHON|UNTILGREEN_|VIRTUAL_ENV|VSCODE_)/.test(name));
  return {
    ...Object.fromEntries(kept),
    XDG_CONFIG_HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_STATE_HOME: folder,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    UNTILGREEN_STATE: `${folder}/state`,
    UNTILGREEN_CONFIG: "/dev/null",
    UNTILGREEN_SANDBOX: "bubblewrap",
    UNTILGREEN_SOLVER: "offline",
    // For whoever works on one check.
    UNTILGREEN_TEST_ONLY: process.env.VSCODE_CHECKS ?? "",
    UNTILGREEN_TEST_RESULTS: `${folder}/results.jsonl`,
  };
}

function run(args, env, log) {
  const out = fs.openSync(log, "w");
  const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ["ignore", out, out], env });
  return new Promise((resolve, reject) =>
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(fs.readFileSync(log, "utf8"))))),
  );
}

async function ended(child) {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGTERM");
    await Promise.race([
      new Promise((resolve) => child.once("exit", resolve)),
      new Promise((resolve) => setTimeout(resolve, 10_000)),
    ]);
    child.kill("SIGKILL");
  }
}

function answers(port) {
  return new Promise((resolve) =>
    http
      .get(`http://127.0.0.1:${port}/healthz`, (answer) => resolve(answer.resume().statusCode === 200))
      .on("error", () => resolve(false)),
  );
}

function freePort() {
  return new Promise((resolve) => {
    const server = http.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function fail(why) {
  throw new Error(why);
}
