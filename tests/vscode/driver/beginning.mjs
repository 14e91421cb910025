// How a new user begins: a walkthrough, and an example in a window of its own.

import assert from "node:assert";
import { Window } from "./window.mjs";

const MINUTE = 60_000;

export const checks = (window, code) => [
  ["the walkthrough shows its steps, asks the doctor, and opens the example instead of solving this project", async () => {
    const walks = () => window.command("Welcome: Open Walkthrough...");
    await window.chosen("the walkthrough", walks, [window.choice("From red to green")]);
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
