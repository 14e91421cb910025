// One window of VS Code, by what a person calls the things in it.

import fs from "node:fs";
import { until } from "./code.mjs";
import { small } from "./picture.mjs";

const SECONDS = 1000;
/** A busy machine is slow, not wrong. */
const PATIENCE = 90 * SECONDS;

export class Window {
  /** Open a folder with one of its files, and wait for the text. */
  static async open(code, root, file) {
    const { page, load } = await code.open(root, [["openFile", code.remote(`${root}/${file}`)]]);
    page.setDefaultTimeout(PATIENCE);
    await load();
    await page.locator(".editor-instance .view-line").first().waitFor({ timeout: 2 * PATIENCE });
    return new Window(page, root, code);
  }

  constructor(page, root, code) {
    Object.assign(this, { page, root, code, until: (what, found) => until(what, PATIENCE, found) });
  }

  lens(text) {
    return this.page.locator(".codelens-decoration", { hasText: text }).first();
  }

  row(text) {
    return this.page.locator(".action-widget .monaco-list-row", { hasText: text }).first();
  }

  notice(text) {
    const places = ".notifications-toasts, .notifications-center.visible";
    return this.page.locator(places).locator(".notification-list-item", { hasText: text }).first();
  }

  /** Click a button of a notification, which goes out of sight by itself after some seconds. */
  async answer(text, button) {
    const place = this.notice(text).locator(".monaco-button", { hasText: button });
    await this.until(`the notification ${text} with ${button}`, async () => {
      if (!(await place.isVisible())) {
        await this.command("Notifications: Show Notifications");
      }
      return place.click({ timeout: 10 * SECONDS }).then(() => true, () => false);
    });
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

  /** From the command palette; what is not offered yet is looked for once more. */
  async command(title) {
    const row = this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first();
    await this.quick(`the command ${title}`, "F1", `>${title}`, () => row.click({ timeout: 5 * SECONDS }));
  }

  /** By its whole name: `test_prices.py` is another than `prices.py`. */
  async file(name) {
    const label = name.split("/").at(-1);
    const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${label}"]`).first();
    await this.quick(`the file ${name}`, "Control+p", name, () => row.click({ timeout: 5 * SECONDS }));
    await this.page.locator(`.tab.active[aria-label^="${label}"]`).first().waitFor();
  }

  /** Put the cursor there, by keyboard. */
  async go(line, column) {
    const place = this.page.locator("[id='status.editor.selection']", { hasText: `Ln ${line}, Col ${column}` });
    await this.page.keyboard.press("Control+1");
    const field = this.page.locator(".quick-input-widget input").first();
    await this.quick(`line ${line}`, "Control+g", `:${line}:${column}`, () => field.press("Enter"));
    // The place is shown while it is typed; keys go there when the field is gone.
    await this.page.locator(".quick-input-widget").waitFor({ state: "hidden" });
    await this.page.locator(".editor-instance .monaco-editor.focused").first().waitFor();
    await place.waitFor();
  }

  /** Open the menu of quick fixes, which closes when what is wrong is told anew; then once more. */
  async quickFix(text) {
    const row = this.row(text);
    await this.until(`the quick fix ${text}`, async () => {
      await this.page.keyboard.press("Control+.");
      const isThere = await row.waitFor({ timeout: 5 * SECONDS }).then(() => true, () => false);
      await (isThere || this.page.keyboard.press("Escape"));
      return isThere;
    });
    return row;
  }

  /** A field that closes when an editor that opens or closes takes the focus; then it is opened once more. */
  quick(what, key, text, choose) {
    const field = this.page.locator(".quick-input-widget");
    return this.until(what, async () => {
      try {
        await this.page.keyboard.press(key);
        await field.locator("input").first().fill(text, { timeout: 5 * SECONDS });
        await choose();
        return true;
      } catch {
        await this.page.keyboard.press("Escape");
        return false;
      }
    });
  }

  /** A row of the Test Explorer. */
  test(name) {
    return this.page.locator(".test-explorer .monaco-list-row", { hasText: name }).first();
  }

  async expand(name) {
    const row = this.test(name);
    await this.until(`${name} is open`, async () => {
      if ((await row.getAttribute("aria-expanded")) === "true") {
        return true;
      }
      await row.locator(".monaco-tl-twistie").click();
      const opened = row.and(this.page.locator("[aria-expanded=true]"));
      return opened.waitFor({ timeout: 5 * SECONDS }).then(() => true, () => false);
    });
  }

  read(file) {
    return fs.readFileSync(`${this.root}/${file}`, "utf8");
  }

  onDisk(file, holds, milliseconds = PATIENCE) {
    return until(`${file} on disk`, milliseconds, () => holds(this.read(file)));
  }

  /** Nothing runs, and no notification hides what is below it. */
  async quiet() {
    await until("quiet", PATIENCE, async () => !(await this.page.locator(".statusbar-item .codicon-sync").count()));
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
      fs.writeFileSync(`${process.env.UNTILGREEN_SHOTS}/${name}.png`, small(fs.readFileSync(path)));
    }
  }
}
