// What a person sees of the demo project. Each picture has an assertion beside it.

import assert from "node:assert";
import fs from "node:fs";
import { REPOSITORY } from "./code.mjs";
import { EVERYTHING, script, unscripted, WITHOUT_A_SERVER } from "./scripting.mjs";

const MINUTE = 60_000;
const THIS_TEST = "Solve until green: this test (test_shipping)";
/** Offered in a Python file, when something was solved before; and beside that, while there is a fix. */
const USUALLY = [
  ...WITHOUT_A_SERVER,
  "Solve until Green: This Test",
  "Solve until Green: This File",
  "Solve until Green: Everything Failing",
  "Solve until Green, with a Note…",
  "Run Tests of This File in the Sandbox",
  "Run All Tests in the Sandbox",
  "Look at a Rival or an Attempt…",
  "Undo Last Solve",
  "Watch Mode…",
  "Show Timeline",
];
const WITH_A_FIX = ["Review Fix", "Apply Fix", "Apply Some Files of the Fix…", "Discard Fix"];

export const checks = (window, code) => [
  ["a failing test has a squiggle, a lens and a mark in the gutter", async () => {
    await window.lens("Solve until green").waitFor({ timeout: 4 * MINUTE });
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
  }],

  ["the Test Explorer solves until green, and can be stopped there", async () => {
    await script(window, [{ delay: 600 }]);
    await window.command("Testing: Focus on Test Explorer View");
    const profiles = async () => {
      await window.test("test_shipping").click({ button: "right", timeout: 10_000 });
      await window.page.locator(".monaco-menu .action-item", { hasText: "Execute Using Profile" }).click({ timeout: 10_000 });
    };
    await window.chosen("a profile", profiles, ["Solve until green", "Run in sandbox"].map((label) => window.choice(label)));
    await window.status("coding").waitFor();
    await window.notice("Solve until green: test_shipping").waitFor();
    await window.command("Test: Cancel Test Run");
    await window.status(/^\s*untilgreen/).locator(".codicon-check").waitFor();
    await unscripted(window);
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

  ["a lens solves; the fix is asked about, and applied by a click", async () => {
    await window.lens(/Run \(1 of 4 failed/).getByText("Solve until green").click();
    await window.status("fix ready").waitFor({ timeout: 2 * MINUTE });
    await window.answer(/passes now|pass now/, "Apply");
    await window.onDisk("src/teashop/prices.py", (text) => text.includes("if cents >= free_from:"));
    await window.lens(/Run \(4 passed/).waitFor();
    await window.quiet();
  }],

  ["the palette offers what can be done now, and the status item has a menu of it", async () => {
    assert.deepEqual((await window.offered("untilgreen: ")).sort(), USUALLY.toSorted());
    const labels = ["Solve until green", "Undo the last solve", "Watch", "Timeline", "Doctor", "Output"];
    await window.menu(labels, () => window.shot("menu"));
    const field = window.page.locator(".quick-input-widget input").first();
    assert.match(await field.getAttribute("placeholder"), /^ready · sandbox: bubblewrap · offline$/);
    await window.page.keyboard.press("Escape");
  }],

  ["the doctor is asked from the menu", async () => {
    await window.menu(["Doctor"]);
    await window.notice("Everything is here that a solve needs.").waitFor();
    await window.command("Notifications: Clear All Notifications");
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
    // No Python file has the focus, so that none is meant.
    const offered = [...USUALLY.filter((title) => !/This (Test|File)/.test(title)), ...WITH_A_FIX];
    assert.deepEqual((await window.offered("untilgreen: ")).sort(), offered.sort());
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
    // Nothing that the mouse rests on explains itself.
    await window.page.mouse.move(640, 4);
    const light = await window.background(page);
    await window.shot("vscode-timeline-light");
    await window.command("Preferences: Toggle between Light/Dark Themes");
    await window.page.locator(".monaco-workbench.vs-dark").waitFor();
    await window.until("another background", async () => (await window.background(page)) !== light);
    await window.page.mouse.move(640, 4);
    await window.page.locator(".workbench-hover").waitFor({ state: "hidden" });
    await window.shot("vscode-timeline-dark");
  }],

  ["the timeline is for keyboards and screen readers", async () => {
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
  }],

  ["the timeline runs no other scripts, and takes nothing from elsewhere", async () => {
    const page = window.webview();
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
