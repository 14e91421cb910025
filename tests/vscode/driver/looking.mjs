// What a person sees of the demo project. Each picture has an assertion beside it.

import assert from "node:assert";

const MINUTE = 60_000;

export const checks = (window) => [
  ["a failing test has a squiggle and a lens", async () => {
    await window.lens("Solve until green").waitFor({ timeout: 2 * MINUTE });
    await window.command("untilgreen: Run All Tests in the Sandbox");
    await window.page.locator(".squiggly-error").first().waitFor();
    await window.lens(/Run \(1 of 4 failed/).waitFor();
    await window.go(21, 5);
    await window.shot("vscode-lens");
  }],

  ["the Test Explorer shows what passed, and what was expected", async () => {
    await window.command("Testing: Focus on Test Explorer View");
    await window.command("Test: Run All Tests");
    const failed = window.page.locator(".test-explorer .monaco-list-row .codicon-testing-failed-icon");
    await failed.first().waitFor();
    await window.expand("teashop");
    await window.expand("test_prices.py");
    await window.test("test_shipping").locator(".codicon-testing-failed-icon").waitFor();
    await window.test("test_total").locator(".codicon-testing-passed-icon").waitFor();
    await window.quiet();
    // A result that comes late closes it, and then it is opened once more.
    const peek = window.page.locator(".zone-widget", { hasText: "Expected" }).first();
    await window.until("expected beside actual", async () => {
      if (!(await peek.isVisible())) {
        await window.go(21, 5);
        await window.command("Test: Peek Output");
      }
      return (await peek.isVisible()) && /Actual/.test(await peek.innerText());
    });
    await window.shot("vscode-tests");
    await window.page.keyboard.press("Escape");
    await window.command("View: Show Explorer");
  }],

  ["the quick-fix menu offers to solve", async () => {
    await window.go(21, 12);
    await window.quickFix("Solve until green: this test (test_shipping)");
    await window.shot("vscode-quick-fix");
  }],

  ["a solve shows its progress, with a way to cancel it", async () => {
    await window.row("Solve until green: this test (test_shipping)").click();
    const notice = window.notice("Solve until green: test_shipping");
    // It stands still when the mouse can rest on it; both are looked for at once, as a solve may be brief.
    await Promise.all([
      notice.locator(".monaco-button", { hasText: "Cancel" }).hover(),
      window.status(/preparing|baseline|planning|coding|testing|reflecting|verifying|sandbox/).waitFor(),
    ]);
    await window.shot("vscode-progress");
  }],

  ["the fix is asked about, and applied by a click", async () => {
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.answer(/passes now|pass now/, "Apply");
    await window.onDisk("src/teashop/prices.py", (text) => text.includes("if cents >= free_from:"));
    await window.quiet();
  }],

  ["the timeline tells the way to green, in light and dark", async () => {
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#title", { hasText: "Solve until green: tests/test_prices.py::test_shipping" }).waitFor();
    await page.locator("#attempts li.good").first().waitFor();
    assert.match(await page.locator("#attempts li").first().innerText(), /Attempt 1/);
    assert.match(await page.locator("svg[role=img]").getAttribute("aria-label"), /first run: \d+ of \d+/);
    assert.ok((await page.locator("#history li").count()) >= 2);
    const hasRoom = () => page.locator("html").evaluate((html) => html.scrollWidth <= html.clientWidth);
    assert.ok(await hasRoom(), "the page is wider than its place");
    await window.command("Notifications: Clear All Notifications");
    const light = await window.background(page);
    await window.shot("vscode-timeline-light");
    await window.command("Preferences: Toggle between Light/Dark Themes");
    await window.page.locator(".monaco-workbench.vs-dark").waitFor();
    await window.until("another background", async () => (await window.background(page)) !== light);
    await window.shot("vscode-timeline-dark");
    await window.command("View: Close Editor");
  }],

  ["a fix of several files is reviewed side by side", async () => {
    await window.command("untilgreen: Solve until Green: Everything Failing");
    await window.status("fix ready").waitFor({ timeout: 3 * MINUTE });
    await window.answer(/Change src/, "Review");
    await window.tab("untilgreen: verified fix").waitFor();
    await window.page.locator(".multiDiffEntry .monaco-diff-editor").first().waitFor();
    await window.page.locator(".multiDiffEntry .char-insert").first().waitFor();
    assert.doesNotMatch(await window.page.locator(".multiDiffEntry .header").first().innerText(), /before|after/);
    for (const name of ["Apply Fix", "Apply Some Files of the Fix…", "Discard Fix"]) {
      await window.title(name).waitFor();
    }
    assert.equal(await window.page.locator(".tab", { hasText: "untilgreen: verified fix" }).count(), 1);
    await window.shot("vscode-review");
  }],

  ["some files of a fix are chosen, verified again and written", async () => {
    await window.title("Apply Some Files of the Fix…").click();
    const rows = window.page.locator(".quick-input-list .monaco-list-row");
    await rows.first().waitFor();
    const names = await rows.allInnerTexts();
    assert.ok(names.length >= 2, names.join());
    const left = names.at(-1).trim();
    const before = window.read(left);
    await rows.last().locator("input, .monaco-checkbox").first().click();
    await window.shot("files");
    await window.page.locator(".quick-input-action .monaco-button").first().click();
    const first = names[0].trim();
    const old = window.read(first);
    await window.onDisk(first, (text) => text !== old, 2 * MINUTE);
    assert.equal(window.read(left), before);
    await window.quiet();
  }],

  ["the status item has a menu", async () => {
    await window.status("untilgreen").click();
    for (const label of ["Solve until green", "Undo the last solve", "Watch", "Timeline", "Doctor", "Output"]) {
      await window.page.locator(".quick-input-list .monaco-list-row", { hasText: label }).first().waitFor();
    }
    await window.shot("menu");
    await window.page.keyboard.press("Escape");
  }],
];
