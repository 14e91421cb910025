// Watch mode as a person sees it: a mistake is saved, and mended.

import { steps } from "./steps.mjs";
import { strange, trusted } from "./trusting.mjs";

const ways = (window, code) => [
  ...strange(window, code).map((check) => [check]),
  [...trusted(window, code), ...saving(window)],
];

export const run = (code, folder) => steps(code, folder, "saving", "total.py", ways);

const choose = async (window, mode) => {
  await window.chosen(`mode ${mode}`, () => window.command("untilgreen: Watch Mode…"), [window.pick(mode)]);
};

const saving = (window) => [
  ["a mistake that is saved is mended, and can be taken back", async () => {
    await window.status("untilgreen").waitFor({ timeout: 120_000 });
    await choose(window, "Fix");
    await window.status(/untilgreen/).locator(".codicon-eye").waitFor();
    await window.told(/watch mode: fix/);
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
    await choose(window, "Off");
    await window.status(/untilgreen/).locator(".codicon-check").waitFor();
  }],
];
