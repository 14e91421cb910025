// One window of VS Code, by what a person calls the things in it.

import assert from "node:assert";
import fs from "node:fs";
import { until } from "./code.mjs";
import { small } from "./picture.mjs";

const SECONDS = 1000;
/** A busy machine is slow, not wrong. */
const PATIENCE = 90 * SECONDS;
/** What VS Code may close by itself is tried again after this time. */
const SOON = { timeout: 10 * SECONDS };

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

  /** Wait for a notification; VS Code does not show by itself all that come soon after others, so it is looked for. */
  async noticed(text) {
    await this.until(`the notification ${text}`, async () => {
      const isSeen = await this.notice(text).waitFor(SOON).then(() => true, () => false);
      return isSeen || this.command("Notifications: Show Notifications");
    });
  }

  /** Click a button of a notification, which goes out of sight by itself after some seconds. */
  async answer(text, button) {
    const place = this.notice(text).locator(".monaco-button", { hasText: button });
    await this.until(`the notification ${text} with ${button}`, async () => {
      if (!(await place.isVisible())) {
        await this.command("Notifications: Show Notifications");
      }
      return place.click(SOON).then(() => true, () => false);
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

  /** From the command palette, by its whole name; what is not offered yet is looked for once more. */
  async command(title) {
    const rows = ".quick-input-list .monaco-list-row";
    const row = this.page.locator(`${rows}[aria-label="${title}"], ${rows}[aria-label^="${title}, "]`).first();
    await this.quick(`the command ${title}`, "F1", `>${title}`, () => row.click(SOON));
  }

  /** The titles that the palette offers and that begin so; it shows a part of a long list at a time. */
  async offered(beginning) {
    const rows = this.page.locator(".quick-input-list .monaco-list-row");
    const input = this.page.locator(".quick-input-widget input").first();
    const found = new Set();
    await this.quick(`the commands ${beginning}`, "F1", `>${beginning}`, async () => {
      await this.until("the whole list", async () => {
        const told = await rows.evaluateAll((all) =>
          all.map((row) => {
            const label = row.querySelector(".label-name").textContent.replaceAll("\u00a0", " ");
            return { label, isLast: row.ariaPosInSet === row.ariaSetSize };
          }),
        );
        told.forEach(({ label }) => found.add(label));
        // To the field itself: an editor or a page beside it may have taken the focus.
        await input.press("PageDown", SOON);
        return told.some(({ isLast }) => isLast);
      });
    });
    await this.until("the palette is closed", async () => {
      await input.press("Escape", SOON).catch(() => {});
      return !(await input.isVisible());
    });
    return [...found].filter((label) => label.startsWith(beginning)).map((label) => label.slice(beginning.length));
  }

  /** By its whole name: `test_prices.py` is another than `prices.py`. */
  async file(name) {
    const label = name.split("/").at(-1);
    const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${label}"]`).first();
    await this.quick(`the file ${name}`, "Control+p", name, async () => {
      await row.click(SOON);
      await this.page.locator(`.tab.active[aria-label^="${label}"]`).first().waitFor(SOON);
    });
  }

  /** Put the cursor there, by keyboard. */
  async go(line, column) {
    const place = this.page.locator("[id='status.editor.selection']", { hasText: `Ln ${line}, Col ${column}` });
    const field = this.page.locator(".quick-input-widget");
    await this.quick(`line ${line}`, ["Control+1", "Control+g"], `:${line}:${column}`, async () => {
      await field.locator("input").first().press("Enter", SOON);
      // The place is shown while it is typed; keys go there when the field is gone.
      await field.waitFor({ state: "hidden", ...SOON });
      await this.page.locator(".editor-instance .monaco-editor.focused").first().waitFor(SOON);
      await place.waitFor(SOON);
    });
  }

  /** The menu of quick fixes at the cursor, which closes when what is wrong is told anew; then once more. */
  async quickFix(text, done = async () => {}) {
    const row = this.row(text);
    await this.until(`the quick fix ${text}`, async () => {
      try {
        if (!(await row.isVisible())) {
          await this.page.keyboard.press("Control+.");
        }
        await row.waitFor(SOON);
        await done(row);
        return true;
      } catch {
        await this.page.keyboard.press("Escape");
        return false;
      }
    });
  }

  /** The menu of the status item, and some entries of it; it closes when something else takes the focus. */
  menu(entries, done) {
    const rows = entries.map((label) => this.choice(label));
    return this.chosen("the menu", () => this.status(/./).click(SOON), rows, done);
  }

  /** A list to choose from: opened by somebody, closed by whatever takes the focus; then it is opened once more. */
  chosen(what, open, rows, done = ([row]) => row.click(SOON)) {
    const list = this.page.locator(".quick-input-widget");
    return this.until(what, async () => {
      try {
        if (!(await rows[0].isVisible())) {
          await open();
          await list.waitFor(SOON);
        }
        await until(what, SOON.timeout, async () => {
          assert.ok(await list.isVisible(), "it was closed");
          return (await Promise.all(rows.map((row) => row.isVisible()))).every(Boolean);
        });
        await done(rows);
        return true;
      } catch {
        await this.page.keyboard.press("Escape");
        return false;
      }
    });
  }

  /** A field that closes when an editor that opens or closes takes the focus; then it is opened once more. */
  quick(what, keys, text, choose) {
    const field = this.page.locator(".quick-input-widget");
    return this.until(what, async () => {
      try {
        for (const key of [keys].flat()) {
          await this.page.keyboard.press(key);
        }
        await field.locator("input").first().fill(text, SOON);
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
