// What a person clicks: in the timeline, above a diff, in notifications, in the menu and in the walkthrough.

import assert from "node:assert";
import fs from "node:fs";
import { Window } from "./window.mjs";

const MINUTE = 60_000;
const STOCK = "src/teashop/stock.py";
const EVERYTHING = "untilgreen: Solve until Green: Everything Failing";

export const checks = (window, code) => [
  ["the timeline is live, and rivals and attempts can be looked at", async () => {
    const rival = mended(window, "self._counts.get(name) or 0");
    await script(window, [
      { hypothesis: "There is nothing.", files: { [STOCK]: mended(window, "0") } },
      { delay: 4, files: { [STOCK]: mended(window, "self._counts.get(name, 0)") }, rivals: [{ [STOCK]: rival }] },
    ]);
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#title").waitFor();
    await window.command(EVERYTHING);
    await page.locator("#attempts li.bad", { hasText: "There is nothing." }).waitFor({ timeout: MINUTE });
    await page.locator("#buttons", { hasText: "Stop" }).waitFor();
    await page.locator("#buttons", { hasText: "Apply" }).waitFor({ timeout: MINUTE });
    await window.command("Notifications: Clear All Notifications");
    await page.getByRole("button", { name: `See the changes in ${STOCK}` }).first().click();
    await window.tab("untilgreen: attempt 1").waitFor();
    assert.equal(await window.title("Apply Fix").count(), 0);
    await window.title("Look at a Rival or an Earlier Attempt…").click();
    for (const label of ["The fix", "Attempt 1"]) {
      await window.choice(label).waitFor();
    }
    await window.choice("Rival 1").click();
    await window.tab("untilgreen: rival 1").waitFor();
    await window.title("Apply Fix").waitFor();
    assert.equal(await window.tab("untilgreen: attempt 1").count(), 0);
  }],

  ["a rival is chosen in the timeline, and its undo is told there", async () => {
    const before = window.read(STOCK);
    await window.tab("untilgreen timeline").click();
    const page = window.webview();
    await page.getByRole("button", { name: "Choose this one" }).click();
    await window.onDisk(STOCK, (text) => text.includes("self._counts.get(name) or 0"));
    await window.until("nothing left to choose", async () => !(await page.getByText("Choose this one").count()));
    assert.equal(await page.locator("#buttons", { hasText: "Apply" }).count(), 0);
    await window.command("untilgreen: Undo Last Solve");
    await window.onDisk(STOCK, (text) => text === before);
    await page.getByRole("button", { name: `Undo: ${STOCK}` }).click();
    await page.locator("#title", { hasText: `Undo: ${STOCK}` }).waitFor();
    assert.equal(await page.locator("#buttons button").count(), 0);
    await page.getByRole("button", { name: "test_prices.py::test_shipping" }).first().click();
    await page.locator("#title", { hasText: "Solve until green: tests/test_prices.py::test_shipping" }).waitFor();
    await window.quiet();
    await window.command("View: Close All Editors");
  }],

  ["a solve is cancelled in its notification, and stopped from the menu", async () => {
    const before = window.read(STOCK);
    await script(window, [{ delay: 600, files: { [STOCK]: mended(window, "0") } }]);
    const ended = () => window.status(/^\s*untilgreen/).locator(".codicon-check").waitFor({ timeout: MINUTE });
    await window.command(EVERYTHING);
    const notice = window.notice("Solve until green");
    await window.status("coding").waitFor({ timeout: MINUTE });
    await notice.locator(".monaco-button", { hasText: "Cancel" }).click();
    await ended();
    await notice.waitFor({ state: "hidden" });
    await window.command(EVERYTHING);
    await window.status("coding").waitFor({ timeout: MINUTE });
    await window.status("coding").click();
    await window.choice("Stop").click();
    await ended();
    assert.equal(window.read(STOCK), before);
    await window.settings({ "untilgreen.apply": "ask" });
    await window.told(/offline/);
  }],

  ["a fix is discarded, and another applied, by the buttons above the diff", async () => {
    const before = window.read(STOCK);
    await window.command(EVERYTHING);
    const notice = window.notice(/Change src/);
    await notice.waitFor({ timeout: 2 * MINUTE });
    await notice.locator(".monaco-button", { hasText: "Review" }).click();
    await window.title("Discard Fix").click();
    await window.tab("untilgreen: verified fix").waitFor({ state: "detached" });
    assert.equal(window.read(STOCK), before);
    await window.quiet();
    await window.command(EVERYTHING);
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.status("fix ready").click();
    for (const label of ["Apply the fix", "Discard the fix"]) {
      await window.choice(label).waitFor();
    }
    await window.choice("Review the fix").click();
    await window.title("Apply Fix").click();
    await window.onDisk(STOCK, (text) => text !== before);
    await window.tab("untilgreen: verified fix").waitFor({ state: "detached" });
    await window.quiet();
  }],

  ["the walkthrough asks the doctor, and opens the example instead of solving this project", async () => {
    // Pictures are beside the steps where there is room.
    await window.command("View: Toggle Primary Side Bar Visibility");
    await window.command("Welcome: Open Walkthrough...");
    await window.choice("From red to green").click();
    const page = window.page.locator(".gettingStartedContainer");
    await page.getByRole("button", { name: "Ask the doctor" }).click();
    await window.notice("Everything is here that a solve needs.").waitFor({ timeout: MINUTE });
    await page.locator(".getting-started-step", { hasText: "Look at what was changed" }).click();
    await page.locator(".getting-started-step", { hasText: "Solve until green" }).click();
    const opening = code.context.waitForEvent("page", { timeout: MINUTE });
    await page.getByRole("button", { name: "Solve the example" }).click();
    const root = `${code.folder}/data/User/globalStorage/untilgreen.untilgreen/example/teashop`;
    const example = new Window(await opening, root, code);
    example.page.setDefaultTimeout(MINUTE);
    await example.page.locator(".tab", { hasText: "test_prices.py" }).waitFor();
    await example.page.locator(".squiggly-error").first().waitFor({ timeout: 2 * MINUTE });
    assert.equal(await window.status("coding").count(), 0);
    await example.lens(/Run \(1 of 4 failed/).getByText("Solve until green").click();
    const notice = example.notice(/Change src/);
    await notice.waitFor({ timeout: 2 * MINUTE });
    await notice.locator(".monaco-button", { hasText: "Apply" }).click();
    await example.onDisk("src/teashop/prices.py", (text) => text.includes("if cents >= free_from:"));
    await example.page.close();
  }],
];

/** The last mistake of the shop, mended in some way. */
function mended(window, value) {
  return window.read(STOCK).replace("return self._counts[name]", `return ${value}`);
}

/** From now on these are the proposals. */
async function script(window, proposals) {
  const file = `${window.code.folder}/script.json`;
  fs.writeFileSync(file, JSON.stringify({ proposals }));
  await window.settings({ "untilgreen.apply": "ask", "untilgreen.solver": `scripted:${file}` });
  await window.told(/scripted/);
}
