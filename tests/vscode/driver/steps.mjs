// A suite that looks at the screen: its checks build on each other, as the steps of a person do.

import fs from "node:fs";
import { PLACES } from "./projects.mjs";
import { Window } from "./window.mjs";

/** Open the suite's own place with this file, and take one step after the other until one fails. */
export async function steps(code, folder, suite, file, checks) {
  fs.writeFileSync(`${folder}/data/Machine/settings.json`, JSON.stringify({ "untilgreen.apply": "ask" }));
  code.trusts(suite !== "saving");
  const window = await Window.open(code, PLACES[suite](folder), file);
  for (const [name, check] of checks(window, code)) {
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
    fs.appendFileSync(`${folder}/results.jsonl`, `${JSON.stringify(result)}\n`);
    if (error) {
      // The next step of a person would be another one.
      break;
    }
  }
  await window.page.close();
}
