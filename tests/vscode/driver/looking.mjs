// What a person sees of the demo project. Each picture has an assertion beside it.

import assert from "node:assert";
import fs from "node:fs";
import { REPOSITORY } from "./code.mjs";
import { EVERYTHING, script, unscripted } from "./scripting.mjs";

const MINUTE = 60_000;
const THIS_TEST = "Solve until green: this test (test_shipping)";
/** Offered while there is a server, and while there is a fix. */
const ALWAYS = ["Solve until Green: Everything Failing", "Run All Tests in the Sandbox", "Watch Mode…", "Show Timeline"];
const WITH_A_FIX = ["Review Fix", "Apply Fix", "Apply Some Files of the Fix…", "Discard Fix"];

export const checks = (window, code) => [
  ["a failing test has a squiggle, a lens and a mark in the gutter", async () => {
    await window.lens("Solve until green").waitFor({ timeout: 2 * MINUTE });
    await window.command("untilgreen: Run All Tests in the Sandbox");
    await window.page.locator(".squiggly-error").first().waitFor();
    await window.lens(/Run \(1 of 4 failed/).waitFor();
    await window.page.locator(".glyph-margin-widgets .codicon-testing-failed-icon").first().waitFor();
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

  ["the quick-fix menu offers to solve, and the solve shows its progress with a way to cancel it", async () => {
    // One that would think for ten minutes.
    await script(window, [{ delay: 600 }]);
    await window.go(21, 12);
    await window.quickFix(THIS_TEST, async (row) => {
      await window.shot("vscode-quick-fix");
      await row.click({ timeout: 10_000 });
    });
    const notice = window.notice("Solve until green: test_shipping");
    await window.status("coding").waitFor();
    await notice.locator(".monaco-button", { hasText: "Cancel" }).hover();
    await window.shot("vscode-progress");
    await window.answer("Solve until green: test_shipping", "Cancel");
    await window.status(/^\s*untilgreen/).locator(".codicon-check").waitFor();
    await notice.waitFor({ state: "hidden" });
    await unscripted(window);
  }],

  ["a fix is asked about, and applied by a click", async () => {
    await window.go(21, 12);
    await window.quickFix(THIS_TEST, (row) => row.click({ timeout: 10_000 }));
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.answer(/passes now|pass now/, "Apply");
    await window.onDisk("src/teashop/prices.py", (text) => text.includes("if cents >= free_from:"));
    await window.quiet();
  }],

  ["the palette offers what can be done now, and the status item has a menu of it", async () => {
    const offered = await window.offered("untilgreen: ");
    assert.deepEqual(ALWAYS.filter((title) => !offered.includes(title)), [], offered.join());
    const meaningless = ["Stop", "Solve the Example", ...WITH_A_FIX];
    assert.deepEqual(meaningless.filter((title) => offered.includes(title)), []);
    const labels = ["Solve until green", "Undo the last solve", "Watch", "Timeline", "Doctor", "Output"];
    await window.menu(labels, () => window.shot("menu"));
    await window.page.keyboard.press("Escape");
  }],

  ["a fix of several files is reviewed side by side", async () => {
    await window.command(EVERYTHING);
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
    // Lines are seen to their end where there is room.
    await window.command("View: Toggle Primary Side Bar Visibility");
    await window.shot("vscode-review");
    const offered = await window.offered("untilgreen: ");
    assert.deepEqual(WITH_A_FIX.filter((title) => !offered.includes(title)), [], offered.join());
  }],

  ["the timeline tells the way to green, in light and dark", async () => {
    await window.file("tests/test_prices.py");
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#title", { hasText: "Solve until green: all tests" }).waitFor();
    await page.locator("#buttons", { hasText: "Apply" }).waitFor();
    await page.locator("#attempts li.good").first().waitFor();
    assert.match(await page.locator("#attempts li").first().innerText(), /Attempt 1/);
    assert.match(await page.locator("svg[role=img]").getAttribute("aria-label"), /first run: \d+ of \d+; attempt 1/);
    assert.match(await page.locator("#facts").innerText(), /\d+ of \d+ tests passed · .+ s · .+ candidates · no cost/);
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
  }],

  ["the timeline is for keyboards and screen readers, and takes nothing from elsewhere", async () => {
    await window.command("untilgreen: Show Timeline");
    const page = window.webview();
    await page.locator("#attempts li").first().waitFor();
    for (const [role, name] of [["navigation", "History"], ["list", "Attempts"], ["group", "Actions"], ["img", /^Tests that pass/]]) {
      await page.getByRole(role, { name }).waitFor();
    }
    await page.getByRole("status").waitFor();
    assert.equal(await page.getByRole("heading", { level: 1 }).count(), 1);
    // The first key leads to the first button, which shows it; Enter is a click.
    const first = page.locator("#buttons button").first();
    await page.locator("#title").click();
    await window.page.keyboard.press("Tab");
    await window.until("the first button", () => first.evaluate((button) => button === document.activeElement));
    assert.match(await first.evaluate((button) => getComputedStyle(button).outline), /solid 2px/);
    await page.locator("#history button:not([aria-current])").first().press("Enter");
    await page.locator("#title", { hasNotText: "Solve until green: all tests" }).waitFor();
    const refused = await page.locator("body").evaluate(async (body) => {
      const told = new Set();
      document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => told.add(effectiveDirective));
      const add = (name, properties) => body.append(Object.assign(document.createElement(name), properties));
      add("script", { textContent: "document.title = 'it ran'" });
      add("style", { textContent: "body { color: red }" });
      add("img", { src: "https://nowhere.invalid/picture.png" });
      await fetch("https://nowhere.invalid/").catch(() => {});
      await new Promise((resolve) => setTimeout(resolve));
      return [...told, document.title].sort();
    });
    const directives = ["connect-src", "img-src", "script-src-elem", "style-src-elem"];
    assert.deepEqual(refused, [...directives, "untilgreen timeline"]);
    await window.command("View: Close Editor");
    await window.tab("untilgreen timeline").waitFor({ state: "detached" });
  }],

  ["the page of the timeline draws a journal by itself, wherever it is shown", async () => {
    const jobs = `${code.folder}/state/jobs`;
    const lines = (job) => fs.readFileSync(`${jobs}/${job}`, "utf8").trim().split("\n").map((line) => JSON.parse(line));
    const events = fs.readdirSync(jobs).sort().reverse().map(lines).find((told) => told.some(({ type }) => type === "tested"));
    const page = await code.context.newPage();
    try {
      const media = `${REPOSITORY}/editors/vscode/media`;
      await page.route("http://page.test/**", (route) => route.fulfill({ path: media + new URL(route.request().url()).pathname }));
      await page.goto("http://page.test/timeline.html");
      await page.evaluate((events) => window.postMessage({ type: "journal", job: events[0].job, events }, "*"), events);
      await page.locator("#title", { hasText: "Solve until green: " }).waitFor();
      await page.locator("#attempts li.good").first().waitFor();
      await page.locator("svg[role=img] circle").nth(1).waitFor();
    } finally {
      await page.close();
    }
  }],

  ["some files of a fix are chosen, verified again and written", async () => {
    await window.tab("untilgreen: verified fix").click();
    const rows = window.page.locator(".quick-input-list .monaco-list-row");
    let names;
    let before;
    await window.chosen("the files", () => window.title("Apply Some Files of the Fix…").click(), [rows.first()], async () => {
      names = (await rows.allInnerTexts()).map((name) => name.trim());
      before = new Map(names.map((name) => [name, window.read(name)]));
      await rows.last().locator("input, .monaco-checkbox").first().click({ timeout: 10_000 });
      await window.shot("files");
      await window.page.locator(".quick-input-action .monaco-button").first().click({ timeout: 10_000 });
    });
    const [left, ...others] = names.toReversed();
    assert.ok(others.length >= 1, names.join());
    await window.notice(/alone: verified again/).waitFor({ timeout: 2 * MINUTE });
    for (const name of others) {
      await window.onDisk(name, (text) => text !== before.get(name));
    }
    assert.equal(window.read(left), before.get(left));
    await window.quiet();
  }],
];
