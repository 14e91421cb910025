// Watch mode as a person sees it: a mistake is saved, and mended.

import { steps } from "./steps.mjs";
import { strange, trusted } from "./trusting.mjs";

const ways = (window, code) => [
  ...strange(window, code).map((check) => [check]),
  [...trusted(window, code), ...saving(window)],
];

export const run = (code, folder) => steps(code, folder, "saving", "total.py", ways);

/** One list closes and another opens when the server answered. */
const choose = (window, mode, open) =>
  window.chosen(`mode ${mode}`, () => open().then(() => window.pick(mode).waitFor({ timeout: 10_000 })), [window.pick(mode)]);

const saving = (window) => [
  ["code that is not finished is waited for, and the status says so", async () => {
    await window.status("untilgreen").waitFor({ timeout: 120_000 });
    await choose(window, "Fix", () => window.menu(["Watch…"]));
    await window.status(/untilgreen/).locator(".codicon-eye").waitFor();
    await window.told(/watch mode: fix, watching$/);
    // `return a + b` goes on, and nobody knows how.
    await window.go(2, 17);
    await window.page.keyboard.type(" +");
    await window.page.keyboard.press("Control+s");
    await window.told(/watch mode: fix, waiting: total\.py does not parse yet \(line 2\)$/);
    await window.page.keyboard.press("Backspace");
    await window.page.keyboard.press("Backspace");
    await window.page.keyboard.press("Control+s");
    await window.told(/watch mode: fix, watching$/);
  }],

  ["a mistake that is saved is mended, and can be taken back", async () => {
    // `return a + b`: the sign is replaced by another one.
    await window.go(2, 14);
    await window.page.keyboard.press("Delete");
    await window.page.keyboard.type("-");
    await window.page.keyboard.press("Control+s");
    await window.onDisk("total.py", (text) => text.includes("return a - b"));
    // It stays where the mouse rests.
    const notice = window.notice("Fixed total.py");
    await notice.hover({ timeout: 120_000 });
    await notice.locator(".codicon-notifications-expand").click();
    await window.onDisk("total.py", (text) => text.includes("return a + b"));
    const row = window.page.locator(".explorer-folders-view .monaco-list-row", { hasText: "test_total.py" });
    await window.until("no mark beside the test", async () => !/\d/.test(await row.innerText()));
    await window.shot("vscode-watch");
    await window.command("untilgreen: Undo Last Solve");
    await window.onDisk("total.py", (text) => text.includes("return a - b"));
    await choose(window, "Off", () => window.command("untilgreen: Watch Mode…"));
    await window.status(/untilgreen/).locator(".codicon-check").waitFor();
  }],
];
