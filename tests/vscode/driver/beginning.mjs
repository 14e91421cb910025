// How a new user begins: a walkthrough, and an example in a window of its own.

import assert from "node:assert";
import { Window } from "./window.mjs";

const MINUTE = 60_000;

/** The walkthrough in a window, with room beside its steps for what they show. */
async function walkthrough(window) {
  if (await window.page.locator(".part.sidebar").isVisible()) {
    await window.command("View: Close Primary Side Bar");
  }
  const walks = () => window.command("Welcome: Open Walkthrough...");
  await window.chosen("the walkthrough", walks, [window.choice("From red to green")]);
  return window.page.locator(".gettingStartedContainer");
}

/** What is done leads on to the next step, at any moment until then. */
async function solves(window, page) {
  const button = page.getByRole("button", { name: "Solve the example" });
  await window.until("the step that solves", async () => {
    await page.locator(".getting-started-step", { hasText: "Solve until green" }).click();
    return button.isVisible();
  });
  await button.click();
}

export const checks = (window, code) => [
  ["the walkthrough shows its steps, asks the doctor, and opens the example instead of solving this project", async () => {
    const page = await walkthrough(window);
    const words = page.frameLocator(".getting-started-media iframe.webview").frameLocator("#active-frame");
    await words.getByRole("heading", { name: "Where tests run" }).waitFor();
    await page.getByRole("button", { name: "Ask the doctor" }).click();
    await window.notice("Everything is here that a solve needs.").waitFor();
    const picture = page.locator(".getting-started-media img");
    await window.until("the picture of the last step", async () => {
      if (await picture.isVisible()) {
        return picture.evaluate((image) => image.naturalWidth > 0);
      }
      await page.locator(".getting-started-step", { hasText: "Look at what was changed" }).click();
      return false;
    });
    assert.match(await picture.getAttribute("alt"), /^A fix of several files/);
    await window.shot("walkthrough");
    const opening = code.context.waitForEvent("page", { timeout: 2 * MINUTE });
    await solves(window, page);
    const root = `${code.folder}/data/User/globalStorage/untilgreen.untilgreen/example/teashop`;
    const example = new Window(await opening, root, code);
    example.page.setDefaultTimeout(2 * MINUTE);
    await example.page.locator(".tab", { hasText: "test_prices.py" }).waitFor();
    await example.page.locator(".squiggly-error").first().waitFor();
    assert.equal(await window.status("coding").count(), 0);
    await example.lens(/Run \(1 of 4 failed/).getByText("Solve until green").waitFor();
    await example.quiet();
    window.example = example;
  }],

  ["in the window of the example the walkthrough's button solves it", async () => {
    const { example } = window;
    const prices = "src/teashop/prices.py";
    const before = example.read(prices);
    const problems = example.page.locator("[id='status.problems'] a");
    assert.match(await problems.getAttribute("aria-label"), /\d/);
    const windows = code.context.pages().length;
    await solves(example, await walkthrough(example));
    await example.until("a fix, and no other window", async () => {
      assert.equal(code.context.pages().length, windows, "another window was opened");
      return example.status("fix ready").isVisible();
    });
    assert.equal(example.read(prices), before);
    await example.menu(["Apply the fix"]);
    await example.onDisk(prices, (text) => text.includes("if cents >= free_from:"));
    await example.until("all is green", async () => /No Problems/.test(await problems.getAttribute("aria-label")));
    await example.status(/^\s*untilgreen/).locator(".codicon-check").waitFor();
    await example.shot("example solved");
    await example.page.close();
  }],
];
