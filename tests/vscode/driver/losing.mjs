// The server is gone, for a moment or for longer: what is left on the screen says so, and leads to a remedy.

import assert from "node:assert";
import fs from "node:fs";
import { REPOSITORY } from "./code.mjs";
import { EVERYTHING, mended, script, STOCK, unscripted } from "./scripting.mjs";

/** Offered when there is no server. */
const WITHOUT = ["Doctor: Is Everything Here That a Solve Needs?", "Menu", "Open the Example", "Restart Server", "Show Output"];

/** A button that was drawn for a server that is gone; a click may come just too late. */
const click = (button) => button.evaluate((made) => made.click());

export const checks = (window, code) => [
  ["a job whose server died says so in the timeline, and a click that comes too late is answered", async () => {
    const before = window.read(STOCK);
    const page = window.webview();
    const nothing = { hypothesis: "Nothing at all.", files: { [STOCK]: mended(window, "0") } };
    await script(window, [nothing, { delay: 600 }]);
    await window.command(EVERYTHING);
    const stop = await page.getByRole("button", { name: "Stop" }).elementHandle();
    const changes = await page.getByRole("button", { name: `See the changes in ${STOCK}` }).elementHandle();
    // It dies while somebody waits for its answer.
    const [server] = code.servers();
    process.kill(server, "SIGSTOP");
    await click(stop);
    process.kill(server, "SIGKILL");
    await window.notice(/its server (ended before it answered|is not running)|does not run any more/).waitFor();
    await page.locator("#state", { hasText: "Broke off with its server" }).waitFor();
    assert.equal(await page.locator("#buttons button, #attempts button").count(), 0);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    await unscripted(window);
    // Another server answers, which knows nothing of these jobs.
    await click(changes);
    await window.notice(/nothing that is still kept to look at/).waitFor();
    await click(window.late);
    await window.notice(/no fix that is still kept/).waitFor();
    await click(stop);
    await window.notice("untilgreen: that job does not run any more.").waitFor();
    // The journal still tells of them.
    const { job } = JSON.parse(await window.late.getAttribute("data-wish"));
    await page.locator(`#history button[data-job="${job}"]`).click();
    await page.locator("#note", { hasText: "This fix is no longer kept." }).waitFor();
    assert.equal(await page.locator("#buttons button").count(), 0);
    assert.equal(window.read(STOCK), before);
    await window.quiet();
  }],

  ["what is wrong comes with buttons that lead to its remedy", async () => {
    const own = `${code.folder}/own`;
    const wrong = `untilgreen.path names ${own}`;
    window.settings({ "untilgreen.apply": "ask", "untilgreen.path": own });
    await window.notice(wrong).waitFor();
    await window.quiet();
    // Whatever is asked for without a server is answered so.
    await click(window.late);
    await window.answer(wrong, "Open Settings");
    const settings = window.page.locator(".settings-editor");
    await settings.locator(".setting-item-contents", { hasText: "The command untilgreen" }).first().waitFor();
    await window.shot("remedy");
    await window.page.keyboard.press("Escape");
    await window.command("View: Close All Editors");
    await settings.waitFor({ state: "hidden" });
    assert.deepEqual((await window.offered("untilgreen: ")).sort(), WITHOUT);
    await window.quiet();
    await window.command("untilgreen: Restart Server");
    // Only then it has been tried again, and in vain.
    await window.notice(wrong).waitFor();
    fs.symlinkSync(`${REPOSITORY}/.venv/bin/untilgreen`, own);
    await window.answer(wrong, "Try Again");
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    assert.deepEqual(code.servers(), []);
    window.settings({ "untilgreen.apply": "ask" });
    await window.until("the extension's own server", () => code.servers().length === 1);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    await window.quiet();
  }],

  ["the output opens from the menu", async () => {
    await window.menu(["Output"]);
    const panel = window.page.locator(".part.panel");
    await panel.locator(".output-view").first().waitFor();
    await window.until("its own channel", async () => /untilgreen/.test(await panel.locator("select").first().inputValue()));
    await window.shot("output");
    await window.command("View: Hide Panel");
  }],
];
