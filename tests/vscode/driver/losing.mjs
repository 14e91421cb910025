// The server is gone, for a moment or for longer: what is left on the screen says so, and leads to a remedy.

import assert from "node:assert";
import fs from "node:fs";
import { REPOSITORY } from "./code.mjs";
import { EVERYTHING, mended, script, STOCK, unscripted, WITHOUT_A_SERVER } from "./scripting.mjs";

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
    await window.noticed(/its server (ended before it answered|is not running)|does not run any more/);
    await page.locator("#state", { hasText: "Broke off with its server" }).waitFor();
    assert.equal(await page.locator("#buttons button, #attempts button").count(), 0);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    await unscripted(window);
    // Another server answers, which knows nothing of these jobs.
    await click(changes);
    await window.noticed(/nothing that is still kept to look at/);
    await click(window.late);
    await window.noticed(/no fix that is still kept/);
    await click(stop);
    await window.noticed("untilgreen: that job does not run any more.");
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
    await window.noticed(wrong);
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
    assert.deepEqual((await window.offered("untilgreen: ")).sort(), WITHOUT_A_SERVER);
    await window.quiet();
    await window.command("untilgreen: Restart Server");
    // Only then it has been tried again, and in vain.
    await window.noticed(wrong);
    // A server of the user's own, and all that is said to it.
    const program = `#!/bin/sh\ntee -a "${code.folder}/said" | "${REPOSITORY}/.venv/bin/untilgreen" "$@"\n`;
    fs.writeFileSync(own, program, { mode: 0o755 });
    await window.answer(wrong, "Try Again");
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    assert.deepEqual(code.servers(), []);
    await window.quiet();
  }],

  ["a note goes to the server along with the solve", async () => {
    // It would think for ten minutes, so that it can be stopped however slow this machine is.
    await script(window, [{ delay: 600 }], { "untilgreen.path": `${code.folder}/own` });
    const field = window.page.locator(".quick-input-widget", { hasText: "What should whoever writes the fix know?" });
    await window.until("the field for a note", async () => {
      await window.command("untilgreen: Solve until Green, with a Note…");
      return field.locator("input").first().fill("Mind the gap.", { timeout: 10_000 }).then(() => true, () => false);
    });
    await field.locator("input").first().press("Enter");
    const said = () => fs.readFileSync(`${code.folder}/said`, "utf8");
    await window.until("it was said", () => /"command":"untilgreen.solve","arguments":\[{.*"note":"Mind the gap\."/.test(said()));
    await window.menu(["Stop"]);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    window.settings({ "untilgreen.apply": "ask" });
    await window.until("the extension's own server", () => code.servers().length === 1);
    await window.status("untilgreen").locator(".codicon-check").waitFor();
    await window.quiet();
  }],

  ["the output opens from the menu, and has levels", async () => {
    await window.menu(["Output"]);
    const panel = window.page.locator(".part.panel");
    await panel.locator(".output-view").first().waitFor();
    await window.until("its own channel", async () => /untilgreen/.test(await panel.locator("select").first().inputValue()));
    await window.shot("output");
    // Who reads it chooses how much there is of it, as in every channel that knows levels; its lines are seen elsewhere,
    // as this VS Code writes no logs without a part of it that is not built here.
    const menu = window.page.locator(".monaco-menu");
    const opened = async () => {
      await panel.locator(".action-label.codicon-gear").first().click({ timeout: 10_000 });
      await menu.waitFor({ timeout: 10_000 });
    };
    await window.until("the levels", () => opened().then(() => true, () => false));
    const levels = (await menu.locator(".action-item .action-label").allInnerTexts()).map((level) => level.trim());
    assert.deepEqual(levels.slice(0, 5), ["Trace", "Debug", "Info", "Warning", "Error"]);
    assert.equal((await menu.locator(".action-menu-item.checked").innerText()).trim(), "Info");
    await window.page.keyboard.press("Escape");
    await window.command("View: Hide Panel");
  }],
];
