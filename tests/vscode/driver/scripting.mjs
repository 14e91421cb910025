// A solver that does what a check says: which proposals come, and how long it thinks.

import fs from "node:fs";

export const EVERYTHING = "untilgreen: Solve until Green: Everything Failing";
/** What the palette offers when there is no server. */
export const WITHOUT_A_SERVER = [
  "Doctor: Is Everything Here That a Solve Needs?",
  "Menu",
  "Open the Example",
  "Restart Server",
  "Show Output",
];
export const STOCK = "src/teashop/stock.py";

/** The last mistake of the shop, mended in some way. */
export function mended(window, value) {
  return window.read(STOCK).replace("return self._counts[name]", `return ${value}`);
}

/** From now on these are the proposals; beside other settings, if any. */
export async function script(window, proposals, settings = {}) {
  const file = `${window.code.folder}/script.json`;
  fs.writeFileSync(file, JSON.stringify({ proposals }));
  await window.settings({ ...settings, "untilgreen.apply": "ask", "untilgreen.solver": `scripted:${file}` });
  await window.told(/scripted/);
}

/** The built-in repair again. */
export async function unscripted(window) {
  await window.settings({ "untilgreen.apply": "ask" });
  await window.told(/offline/);
}
