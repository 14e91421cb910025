// The workspaces of the suites, each broken in a way that the built-in repair mends in a second or two.

import fs from "node:fs";
import path from "node:path";
import { REPOSITORY } from "./code.mjs";

export const CALC = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n";
const TEST_CALC = `\
import pytest

from calc import add, sub


@pytest.mark.parametrize(("a", "b", "total"), [(1, 2, 3), (0, 0, 0), (4, 5, 9)])
def test_add(a, b, total):
    assert add(a, b) == total


def test_sub():
    assert sub(3, 2) == 1
`;
const TOTAL = "def total(a, b):\n    return a - b\n";
const TEST_TOTAL = `\
from total import total


def test_total():
    assert total(1, 2) == 3
    assert total(-4, 7) == 3
    assert total(0, 5) == 5
`;
const WORDS = "def initial(name):\n    return name[1]\n";
const TEST_WORDS = `\
from words import initial


class TestInitial:
    def test_first_letter(self):
        assert initial("tea") == "t"

    def test_first(self):
        assert initial("Ceylon") == "C"
`;
const COUNTS = "def count_up(n):\n    return list(range(1, n))\n";
const TEST_COUNTS = "from counts import count_up\n\n\ndef test_count_up():\n    assert count_up(3) == [1, 2, 3]\n";

/** Where the window of a suite is opened. */
export const PLACES = {
  host: (folder) =>
    project(`${folder}/work space`, {
      "calc.py": CALC,
      "test_calc.py": TEST_CALC,
      "words.py": WORDS,
      "test_words.py": TEST_WORDS,
    }),
  folders: (folder) => {
    project(`${folder}/one`, { "calc.py": CALC, "test_calc.py": TEST_CALC });
    project(`${folder}/two`, { "counts.py": COUNTS, "test_counts.py": TEST_COUNTS });
    const folders = [{ path: "one" }, { path: "two" }];
    fs.writeFileSync(`${folder}/both.code-workspace`, JSON.stringify({ folders }));
    return `${folder}/both.code-workspace`;
  },
  watch: (folder) => project(`${folder}/watched`, { "total.py": TOTAL, "test_total.py": TEST_TOTAL }),
  saving: (folder) =>
    project(`${folder}/saved`, { "total.py": TOTAL.replace("-", "+"), "test_total.py": TEST_TOTAL }),
  screen: (folder) => demo(`${folder}/teashop`),
};

function project(root, files) {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(`${root}/${name}`), { recursive: true });
    fs.writeFileSync(`${root}/${name}`, text);
  }
  return root;
}

function demo(root) {
  const filter = (name) => !name.includes("__pycache__");
  fs.cpSync(`${REPOSITORY}/server/untilgreen/demo_project`, root, { recursive: true, filter });
  return root;
}
