// Runs checks one after the other inside the extension host; each leaves a line of JSON, whatever it did.

const fs = require("node:fs");

const MOST_MS = 240_000;

/** Checks build on each other; one that fails does not stop the next. */
exports.suite = (name, checks) => async () => {
  const only = new RegExp(process.env.UNTILGREEN_TEST_ONLY ?? "");
  for (const [title, check] of checks.filter(([title]) => only.test(title))) {
    const began = Date.now();
    let error = "";
    try {
      await inTime(check());
    } catch (thrown) {
      error = String(thrown?.stack ?? thrown);
    }
    const result = { suite: name, name: title, error, seconds: (Date.now() - began) / 1000 };
    fs.appendFileSync(process.env.UNTILGREEN_TEST_RESULTS, `${JSON.stringify(result)}\n`);
  }
};

function inTime(check) {
  const late = new Promise((_, reject) => setTimeout(() => reject(new Error("it took too long")), MOST_MS).unref());
  return Promise.race([check, late]);
}

/** The first true answer; fails when there is none in time. */
exports.until = async (what, found, milliseconds = 90_000) => {
  const deadline = Date.now() + milliseconds;
  for (;;) {
    const answer = await found();
    if (answer) {
      return answer;
    }
    if (Date.now() > deadline) {
      throw new Error(`it did not become true in ${milliseconds / 1000} s: ${what}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
};

/** Processes of this machine whose command line holds the text. */
exports.processesWith = (text) =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => {
      try {
        const words = fs.readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ");
        return words.includes(text) && !/\) [ZX]/.test(fs.readFileSync(`/proc/${name}/stat`, "utf8"));
      } catch {
        return false;
      }
    })
    .map(Number);
