// What a person clicks: in the timeline, above a diff, in notifications, in the menu and in the walkthrough.

import assert from "node:assert";
import fs from "node:fs";
import { REPOSITORY } from "./code.mjs";
import { Window } from "./window.mjs";

const MINUTE = 60_000;
const STOCK = "src/teashop/stock.py";
const EVERYTHING = "untilgreen: Solve until Green: Everything Failing";

export const checks = (window, code) => [
  ["the timeline is live, and rivals and attempts can be looked at", async () => {
    const rival = mended(window, "self._counts.get(name) or 0");
    await script(window, [
      { hypothesis: "There is nothing.", files: { [STOCK]: mended(window, "0") } },
      { delay: 3, files: { [STOCK]: mended(window, "self._counts.get(name, 0)") }, rivals: [{ [STOCK]: rival }] },
    ]);
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#title").waitFor();
    await window.command(EVERYTHING);
    await page.locator("#attempts li.bad", { hasText: "There is nothing." }).waitFor();
    await page.locator("#buttons", { hasText: "Stop" }).waitFor();
    const changes = page.getByRole("button", { name: `See the changes in ${STOCK}` });
    await changes.first().focus();
    await page.locator("#buttons", { hasText: "Apply" }).waitFor();
    // The list was drawn anew, and the keyboard is where it was.
    await changes.nth(1).waitFor();
    assert.ok(await changes.first().evaluate((button) => button === document.activeElement));
    await window.command("Notifications: Clear All Notifications");
    await changes.first().click();
    await window.tab("untilgreen: attempt 1").waitFor();
    await window.title("Apply Fix").waitFor({ state: "detached" });
    await window.title("Look at a Rival or an Attempt…").click();
    for (const label of ["The fix", "Attempt 1"]) {
      await window.choice(label).waitFor();
    }
    await window.choice("Rival 1").click();
    await window.tab("untilgreen: rival 1").waitFor();
    await window.title("Apply Fix").waitFor();
    await window.tab("untilgreen: attempt 1").waitFor({ state: "detached" });
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

  ["a solve is cancelled in its notification, or stopped from the menu, and what it tried can be looked at", async () => {
    const before = window.read(STOCK);
    const nothing = { hypothesis: "Nothing at all.", files: { [STOCK]: mended(window, "0") } };
    await script(window, [nothing, { delay: 600, files: { [STOCK]: mended(window, "1") } }]);
    const ended = () => window.status(/^\s*untilgreen/).locator(".codicon-check").waitFor();
    await window.command(EVERYTHING);
    const notice = window.notice("Solve until green");
    await window.status("coding").waitFor();
    await window.answer("Solve until green", "Cancel");
    await ended();
    await notice.waitFor({ state: "hidden" });
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await window.command(EVERYTHING);
    // While it runs, and after it was stopped.
    const changes = page.getByRole("button", { name: `See the changes in ${STOCK}` });
    await page.locator("#buttons", { hasText: "Stop" }).waitFor();
    await page.locator("#attempts li.bad", { hasText: "Nothing at all." }).waitFor();
    await changes.waitFor();
    await window.status("coding").click();
    await window.choice("Stop").click();
    await ended();
    await changes.click();
    await window.tab("untilgreen: attempt 1").waitFor();
    await window.page.locator(".multiDiffEntry .char-insert").first().waitFor();
    await window.command("View: Close All Editors");
    assert.equal(window.read(STOCK), before);
    await window.settings({ "untilgreen.apply": "ask" });
    await window.told(/offline/);
  }],

  ["a fix is discarded, and another applied, by the buttons above the diff", async () => {
    const before = window.read(STOCK);
    await window.command(EVERYTHING);
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.answer(/Change src/, "Review");
    await window.title("Discard Fix").click();
    await window.tab("untilgreen: verified fix").waitFor({ state: "detached" });
    await window.status("fix ready").waitFor({ state: "detached" });
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

  ["what is wrong comes with buttons that lead to its remedy", async () => {
    const own = `${code.folder}/own`;
    window.settings({ "untilgreen.apply": "ask", "untilgreen.path": own });
    await window.answer(`untilgreen.path names ${own}`, "Open Settings");
    const settings = window.page.locator(".settings-editor");
    await settings.locator(".setting-item-contents", { hasText: "The command untilgreen" }).first().waitFor();
    await window.shot("remedy");
    await window.page.keyboard.press("Escape");
    await window.command("View: Close All Editors");
    await settings.waitFor({ state: "hidden" });
    await window.quiet();
    await window.command("untilgreen: Restart Server");
    await window.status("untilgreen").locator(".codicon-error").waitFor();
    fs.symlinkSync(`${REPOSITORY}/.venv/bin/untilgreen`, own);
    await window.answer(`untilgreen.path names ${own}`, "Try Again");
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    assert.deepEqual(code.servers(), []);
    window.settings({ "untilgreen.apply": "ask" });
    await window.until("the extension's own server", () => code.servers().length === 1);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    await window.quiet();
  }],

  ["the walkthrough shows its steps, asks the doctor, and opens the example instead of solving this project", async () => {
    // Pictures are beside the steps where there is room.
    await window.command("View: Toggle Primary Side Bar Visibility");
    await window.command("Welcome: Open Walkthrough...");
    await window.choice("From red to green").click();
    const page = window.page.locator(".gettingStartedContainer");
    const step = (title) => page.locator(".getting-started-step", { hasText: title });
    const words = page.frameLocator(".getting-started-media iframe.webview").frameLocator("#active-frame");
    await words.getByRole("heading", { name: "Where tests run" }).waitFor();
    await page.getByRole("button", { name: "Ask the doctor" }).click();
    await window.notice("Everything is here that a solve needs.").waitFor();
    // What is done leads on to the next step, at any moment until then.
    const picture = page.locator(".getting-started-media img");
    await window.until("the picture of the last step", async () => {
      if (await picture.isVisible()) {
        return picture.evaluate((image) => image.naturalWidth > 0);
      }
      await step("Look at what was changed").click();
      return false;
    });
    assert.match(await picture.getAttribute("alt"), /^A fix of several files/);
    await window.shot("walkthrough");
    const solve = page.getByRole("button", { name: "Solve the example" });
    await window.until("the step that solves", async () => {
      await step("Solve until green").click();
      return solve.isVisible();
    });
    const opening = code.context.waitForEvent("page", { timeout: 2 * MINUTE });
    await solve.click();
    const root = `${code.folder}/data/User/globalStorage/untilgreen.untilgreen/example/teashop`;
    const example = new Window(await opening, root, code);
    example.page.setDefaultTimeout(2 * MINUTE);
    await example.page.locator(".tab", { hasText: "test_prices.py" }).waitFor();
    await example.page.locator(".squiggly-error").first().waitFor();
    assert.equal(await window.status("coding").count(), 0);
    await example.lens(/Run \(1 of 4 failed/).getByText("Solve until green").click();
    await example.status("fix ready").waitFor();
    await example.answer(/Change src/, "Apply");
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
