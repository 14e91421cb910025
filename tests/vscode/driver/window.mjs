// One window of VS Code, by what a person calls the things in it.

import fs from "node:fs";
import { until } from "./code.mjs";

const SECONDS = 1000;

export class Window {
  /** Open a folder with one of its files, and wait for the text. */
  static async open(code, root, file) {
    const { page, load } = await code.open(root, [["openFile", code.remote(`${root}/${file}`)]]);
    page.setDefaultTimeout(45 * SECONDS);
    await load();
    await page.locator(".editor-instance .view-line").first().waitFor({ timeout: 90 * SECONDS });
    return new Window(page, root, code);
  }

  constructor(page, root, code) {
    Object.assign(this, { page, root, code, until: (what, found) => until(what, 30 * SECONDS, found) });
  }

  lens(text) {
    return this.page.locator(".codelens-decoration", { hasText: text }).first();
  }

  row(text) {
    return this.page.locator(".action-widget .monaco-list-row", { hasText: text }).first();
  }

  notice(text) {
    return this.page.locator(".notifications-toasts .notification-list-item", { hasText: text }).first();
  }

  status(text) {
    return this.page.locator("[id='untilgreen.untilgreen.untilgreen']", { hasText: text }).first();
  }

  /** What the status item says to whoever hears it or rests the mouse on it. */
  told(words) {
    const item = this.page.locator("[id='untilgreen.untilgreen.untilgreen'] a");
    return this.until(`the status tells ${words}`, async () => words.test(await item.getAttribute("aria-label")));
  }

  /** A row of a list to choose from, by the whole of its label. */
  pick(label) {
    const name = this.page.locator(".label-name").getByText(label, { exact: true });
    return this.page.locator(".quick-input-list .monaco-list-row").filter({ has: name }).first();
  }

  /** The same, by a part of it. */
  choice(text) {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** Settings of this machine, from now on. */
  settings(values) {
    fs.writeFileSync(`${this.code.folder}/data/Machine/settings.json`, JSON.stringify(values));
  }

  tab(text) {
    return this.page.locator(".tab", { hasText: text }).first();
  }

  /** A button above the editor. */
  title(name) {
    return this.page.locator(`.editor-actions .action-label[aria-label^="${name}"]`).first();
  }

  /** The page inside of a webview. */
  webview() {
    return this.page.frameLocator("iframe.webview.ready").last().frameLocator("#active-frame");
  }

  background(frame) {
    return frame.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor);
  }

  /** From the command palette, which closes when an editor that opens or closes takes the focus; then once more. */
  async command(title) {
    const palette = this.page.locator(".quick-input-widget");
    const row = palette.locator(".monaco-list-row", { hasText: title }).first();
    await until(`the command ${title}`, 45 * SECONDS, async () => {
      try {
        await this.page.keyboard.press("F1");
        await palette.locator("input").first().fill(`>${title}`, { timeout: 3 * SECONDS });
        await row.click({ timeout: 5 * SECONDS });
        return true;
      } catch {
        await this.page.keyboard.press("Escape");
        return false;
      }
    });
  }

  /** By its whole name: `test_prices.py` is another than `prices.py`. */
  async file(name) {
    const label = name.split("/").at(-1);
    await this.page.keyboard.press("Control+p");
    await this.page.locator(".quick-input-widget input").first().fill(name);
    await this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${label}"]`).first().click();
    await this.page.locator(`.tab.active[aria-label^="${label}"]`).first().waitFor();
  }

  /** Put the cursor there, by keyboard. */
  async go(line, column) {
    await this.page.keyboard.press("Control+1");
    await this.page.keyboard.press("Control+g");
    await this.page.keyboard.type(`${line}:${column}`);
    await this.page.keyboard.press("Enter");
  }

  /** A row of the Test Explorer. */
  test(name) {
    return this.page.locator(".test-explorer .monaco-list-row", { hasText: name }).first();
  }

  async expand(name) {
    const row = this.test(name);
    await row.waitFor();
    if ((await row.getAttribute("aria-expanded")) === "false") {
      await row.locator(".monaco-tl-twistie").click();
    }
  }

  read(file) {
    return fs.readFileSync(`${this.root}/${file}`, "utf8");
  }

  onDisk(file, holds, milliseconds = 45 * SECONDS) {
    return until(`${file} on disk`, milliseconds, () => holds(this.read(file)));
  }

  /** Nothing runs, and no notification hides what is below it. */
  async quiet() {
    await until("quiet", 60 * SECONDS, async () => !(await this.page.locator(".statusbar-item .codicon-sync").count()));
    await this.command("Notifications: Clear All Notifications");
  }

  async shot(name) {
    const folder = `${this.code.folder}/shots`;
    fs.mkdirSync(folder, { recursive: true });
    const path = `${folder}/${name.replaceAll(/[^\w-]+/g, "-")}.png`;
    // What fades in or out is taken as it will be.
    await this.page.screenshot({ path, animations: "disabled" });
    if (process.env.UNTILGREEN_SHOTS && name.startsWith("vscode-")) {
      fs.mkdirSync(process.env.UNTILGREEN_SHOTS, { recursive: true });
      fs.copyFileSync(path, `${process.env.UNTILGREEN_SHOTS}/${name}.png`);
    }
  }
}
