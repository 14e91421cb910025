// What a person clicks: in the timeline, above a diff, in notifications and in the menu.

import assert from "node:assert";
import { EVERYTHING, mended, script, STOCK } from "./scripting.mjs";

const MINUTE = 60_000;

export const checks = (window) => [
  ["the timeline is live, and rivals and attempts can be looked at", async () => {
    const rival = mended(window, "self._counts.get(name) or 0");
    await script(window, [
      { hypothesis: "There is nothing.", files: { [STOCK]: mended(window, "0") }, spent: { tokens: 1200, usd: 0.0123 } },
      { delay: 3, files: { [STOCK]: mended(window, "self._counts.get(name, 0)") }, rivals: [{ [STOCK]: rival }] },
    ]);
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#title").waitFor();
    await window.command(EVERYTHING);
    await page.locator("#attempts li.bad", { hasText: "There is nothing." }).filter({ hasText: "$0.0123" }).waitFor();
    await page.locator("#facts", { hasText: "1,200 tokens · $0.0123" }).waitFor();
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
    const others = () => window.title("Look at a Rival or an Attempt…").click();
    await window.chosen("a rival", others, ["Rival 1", "The fix", "Attempt 1"].map((label) => window.choice(label)));
    await window.tab("untilgreen: rival 1").waitFor();
    await window.title("Apply Fix").waitFor();
    await window.tab("untilgreen: attempt 1").waitFor({ state: "detached" });
  }],

  ["a rival is chosen in the timeline, and its undo is told there", async () => {
    const before = window.read(STOCK);
    await window.tab("untilgreen timeline").click();
    const page = window.webview();
    await page.locator("#facts", { hasText: "rivals may behave differently" }).waitFor();
    await page.locator("#rivals pre .added", { hasText: "self._counts.get(name) or 0" }).waitFor();
    await window.shot("rivals");
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

  ["a solve is stopped from the menu, and what it tried can be looked at, while it runs and after", async () => {
    const before = window.read(STOCK);
    const nothing = { hypothesis: "Nothing at all.", files: { [STOCK]: mended(window, "0") } };
    await script(window, [nothing, { delay: 600 }]);
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await window.command(EVERYTHING);
    const changes = page.getByRole("button", { name: `See the changes in ${STOCK}` });
    await page.locator("#buttons", { hasText: "Stop" }).waitFor();
    await page.locator("#attempts li.bad", { hasText: "Nothing at all." }).waitFor();
    await changes.waitFor();
    assert.ok((await window.offered("untilgreen: ")).includes("Stop"));
    await window.menu(["Stop"]);
    await window.status(/^\s*untilgreen/).locator(".codicon-check").waitFor();
    await changes.click();
    await window.tab("untilgreen: attempt 1").waitFor();
    await window.page.locator(".multiDiffEntry .char-insert").first().waitFor();
    await window.command("View: Close All Editors");
    assert.equal(window.read(STOCK), before);
  }],

  ["a fix is discarded, and another applied, by the buttons above the diff", async () => {
    const before = window.read(STOCK);
    await script(window, [{ files: { [STOCK]: mended(window, "self._counts.get(name, 0)") } }]);
    await window.command("untilgreen: Show Timeline");
    await window.command(EVERYTHING);
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    // For a later story: a button that is gone from the page can be clicked by whoever was just too late.
    window.late = await window.webview().getByRole("button", { name: "Apply" }).elementHandle();
    await window.answer(/Change src/, "Review");
    await window.title("Discard Fix").click();
    await window.tab("untilgreen: verified fix").waitFor({ state: "detached" });
    await window.status("fix ready").waitFor({ state: "detached" });
    assert.equal(window.read(STOCK), before);
    await window.quiet();
    await window.command(EVERYTHING);
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.menu(["Review the fix", "Apply the fix", "Discard the fix"]);
    await window.title("Apply Fix").click();
    await window.onDisk(STOCK, (text) => text !== before);
    await window.tab("untilgreen: verified fix").waitFor({ state: "detached" });
    await window.quiet();
    await window.menu(["Undo the last solve"]);
    await window.onDisk(STOCK, (text) => text === before);
    await window.quiet();
  }],
];
