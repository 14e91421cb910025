// A folder of a stranger: nothing of ours starts before the user trusts it.

import assert from "node:assert";

/** Each of them is seen by itself. */
export const strange = (window, code) => [
  ["in a folder that is not trusted its page says why it is off, and describes its pictures", async () => {
    const { page } = window;
    await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
    await window.command("Extensions: Show Installed Extensions");
    await page.locator(".extension-list-item", { hasText: "untilgreen" }).first().click();
    await page.locator(".extension-editor").getByText("so it does nothing until you trust it").waitFor();
    const about = window.webview();
    await about.getByRole("heading", { name: "untilgreen for VS Code" }).waitFor();
    const pictures = await about.locator("img").evaluateAll((found) =>
      found.map(({ alt, naturalWidth }) => ({ alt, isShown: naturalWidth > 0 })),
    );
    assert.ok(pictures.length >= 3 && pictures.every(({ alt }) => alt.startsWith("VS Code: ")), JSON.stringify(pictures));
    // Pictures of the web alone are shown here; should that change, the README must say so.
    assert.ok(pictures.every(({ isShown }) => !isShown));
    await window.shot("page");
  }],

  ["in a folder that is not trusted it does not run", async () => {
    const { page } = window;
    await window.command("Developer: Show Running Extensions");
    const running = page.locator(".runtime-extensions-editor");
    await running.locator(".extension").first().waitFor();
    // A part of a long list is shown at a time; those that began last may be at its end.
    const names = new Set();
    await window.until("the whole list", async () => {
      const rows = running.locator(".monaco-list-row");
      const seen = await rows.evaluateAll((all) =>
        all.map((row) => ({ text: row.innerText, isLast: row.ariaPosInSet === row.ariaSetSize })),
      );
      seen.forEach(({ text }) => names.add(text));
      await running.locator(".monaco-list").first().press("PageDown");
      return seen.some(({ isLast }) => isLast);
    });
    assert.ok(names.size > 5, [...names].join());
    assert.doesNotMatch([...names].join(), /untilgreen/);
    assert.equal(await window.status(/./).count(), 0);
    await window.shot("untrusted");
    await page.keyboard.press("Escape");
    await running.waitFor({ state: "detached" });
  }],

  ["in a folder that is not trusted there never was a server of it", async () => {
    // By now all extensions that may run do, and pages were opened and read.
    assert.deepEqual([...code.seen], []);
  }],
];

export const trusted = (window, code) => [
  ["it starts when the folder is trusted", async () => {
    await window.command("Workspaces: Manage Workspace Trust");
    await window.page.locator(".workspace-trust-editor").getByRole("button", { name: /^Trust/ }).first().click();
    // The first server of all installs its packages, which takes a busy machine longer than anything else here.
    await window.status("untilgreen").locator(".codicon-check").waitFor({ timeout: 240_000 });
    await window.until("its server was seen", () => code.seen.size > 0);
    await window.command("View: Close All Editors");
    await window.command("View: Show Explorer");
    await window.file("total.py");
  }],
];
