// node main.mjs FOLDER VSIX SUITE...: run suites in one VS Code, one window each; results are lines of JSON in FOLDER.

import fs from "node:fs";
import path from "node:path";
import { start } from "./code.mjs";
import { PLACES } from "./projects.mjs";
import { run as saving } from "./saving.mjs";
import { run as screen } from "./screen.mjs";

const HERE = path.resolve(import.meta.dirname, "..");
const MINUTES = 60_000;
const SCREENS = { saving, screen };
const [folder, vsix, ...suites] = process.argv.slice(2);
const code = await start(folder, vsix);
let status = 0;
try {
  for (const suite of suites) {
    const began = Date.now();
    const looks = SCREENS[suite];
    await code.serve(!looks);
    await (looks ? looks(code, folder) : host(suite));
    console.log(`${suite}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  }
} catch (error) {
  console.error(error);
  await code.page?.screenshot({ path: `${folder}/failed.png` }).catch(() => {});
  status = 1;
}
await code.stop();
process.exit(status);

/** A suite that runs inside the extension host, beside the installed extension. */
async function host(suite) {
  const ended = Promise.withResolvers();
  const { page, load } = await code.open(PLACES[suite](folder), [
    ["extensionDevelopmentPath", code.remote(`${HERE}/harness/python`)],
    ["extensionTestsPath", code.remote(`${HERE}/harness/${suite}.js`)],
  ]);
  page.setDefaultTimeout(2 * MINUTES);
  await page.exposeFunction("codeAutomationExit", () => ended.resolve());
  await page.exposeFunction("codeAutomationLog", (kind, args) => {
    if (kind === "error") {
      fs.appendFileSync(`${folder}/host.log`, `${args.join(" ")}\n`);
    }
  });
  // What was said to the user is the first thing to read when a check fails.
  const heard = new Set();
  const notices = setInterval(async () => {
    const said = await page.locator(".notification-list-item-message").allInnerTexts().catch(() => []);
    const news = said.filter((text) => !heard.has(text));
    news.forEach((text) => heard.add(text) && fs.appendFileSync(`${folder}/notices.txt`, `${suite}: ${text}\n`));
  }, 250);
  const timer = setTimeout(() => ended.reject(new Error(`${suite} took too long`)), 6 * MINUTES);
  try {
    await load();
    await ended.promise;
  } finally {
    clearTimeout(timer);
    clearInterval(notices);
    await page.close();
  }
}
