// A suite that looks at the screen: its checks build on each other, as the steps of a person do.

import fs from "node:fs";
import { PLACES } from "./projects.mjs";
import { Window } from "./window.mjs";

/** Open the suite's own place with this file, and go some ways, each one step after the other until one fails. */
export async function steps(code, folder, suite, file, ways) {
  fs.writeFileSync(`${folder}/data/Machine/settings.json`, JSON.stringify({ "untilgreen.apply": "ask" }));
  code.trusts(suite !== "saving");
  await code.watchServers();
  // For whoever works on one check, and knows what it builds on.
  const only = new RegExp(process.env.VSCODE_CHECKS ?? "");
  const window = await Window.open(code, PLACES[suite](folder), file);
  for (const way of ways(window, code)) {
    for (const step of way.filter(([name]) => only.test(name))) {
      if (await failed(step, window, suite)) {
        // The next step of a person would be another one.
        break;
      }
    }
  }
  await window.page.close();
}

async function failed([name, check], window, suite) {
  const began = Date.now();
  let error = "";
  try {
    await check();
  } catch (thrown) {
    error = String(thrown?.stack ?? thrown);
    await window.shot(`failed ${name}`);
    await window.command("Notifications: Show Notifications").catch(() => {});
    await window.shot(`failed ${name} notices`);
  }
  const result = { suite, name, error, seconds: (Date.now() - began) / 1000 };
  fs.appendFileSync(`${window.code.folder}/results.jsonl`, `${JSON.stringify(result)}\n`);
  return error !== "";
}
