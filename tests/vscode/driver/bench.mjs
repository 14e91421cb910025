// node bench.mjs FOLDER VSIX ROUNDS: how long a person waits, in seconds, as one line of JSON.

import fs from "node:fs";
import { start } from "./code.mjs";
import { PLACES } from "./projects.mjs";
import { Window } from "./window.mjs";

const [folder, vsix, rounds] = process.argv.slice(2);
const MINUTE = 60_000;
const TEXT = "window open → text of the file, VS Code alone";
const LENS = "window open → first lens";
const EDIT = "choosing the fix → edit on screen";
const taken = { [TEXT]: [], [LENS]: [], [EDIT]: [] };
const code = await start(folder, vsix);
try {
  await code.serve(false);
  fs.writeFileSync(`${folder}/data/Machine/settings.json`, JSON.stringify({ "untilgreen.apply": "auto" }));
  // The first window makes the server's environment, which a user waits for once.
  for (let round = 0; round <= Number(rounds); round++) {
    const place = `${folder}/round${round}`;
    fs.mkdirSync(place);
    await once(PLACES.screen(place), round > 0);
  }
} finally {
  await code.stop();
}
console.log(JSON.stringify(taken));

async function once(root, counts) {
  const opened = performance.now();
  const window = await Window.open(code, root, "tests/test_prices.py");
  const text = performance.now();
  await window.lens("Solve until green").waitFor({ timeout: 3 * MINUTE });
  const first = performance.now();
  await window.command("untilgreen: Run All Tests in the Sandbox");
  await window.page.locator(".squiggly-error").first().waitFor({ timeout: MINUTE });
  await window.go(21, 12);
  await window.quickFix("Solve until green: this test (test_shipping)", (row) => row.click());
  const chosen = performance.now();
  await window.file("src/teashop/prices.py");
  await window.page.locator(".view-line", { hasText: "cents >= free_from" }).waitFor({ timeout: 3 * MINUTE });
  const edited = performance.now();
  await window.page.close();
  if (counts) {
    taken[TEXT].push((text - opened) / 1000);
    taken[LENS].push((first - opened) / 1000);
    taken[EDIT].push((edited - chosen) / 1000);
  }
}
