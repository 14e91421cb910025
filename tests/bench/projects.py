"""The three projects that are measured, each with an edit that makes tests fail and pass in turns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from untilgreen.model import FileChange, Patch
from untilgreen_sandbox.report import Outcome


@dataclass(frozen=True, slots=True)
class Edit:
    """One file in two versions of different length: same-sized ones could share bytecode within a second."""

    path: str
    good: str
    bad: str
    breaks: frozenset[str]
    """The tests that fail with the bad version."""

    def text(self, n: int) -> str:
        """Good and bad in turns, and never the same bytes twice in a long series."""
        return f"{self.bad if n % 2 else self.good}\n# {'a longer remark ' * (n % 2)}{n}\n"

    def patch(self, n: int) -> Patch:
        return Patch({self.path: FileChange(self.text(n).encode())})


@dataclass(frozen=True, slots=True)
class Project:
    """Files, what they need, and what happens to them."""

    name: str
    about: str
    files: dict[str, str]
    tests: tuple[str, ...]
    edit: Edit
    packages: tuple[str, ...] = ("pytest",)
    wide: Edit | None = None
    """The same with a module that every test file imports."""

    def write(self, folder: Path) -> Path:
        for path, text in self.files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    def outcomes(self, edit: Edit, n: int) -> dict[str, Outcome]:
        failing = edit.breaks if n % 2 else frozenset()
        return {test: "failed" if test in failing else "passed" for test in self.tests}


TINY = Project(
    "tiny",
    "5 tests in one file; the edited module is the only other file.",
    {
        "double.py": "def double(n):\n    return 2 * n\n",
        "test_double.py": "from double import double\n\n\n"
        + "".join(f"def test_{n}():\n    assert double({n}) == {2 * n}\n\n\n" for n in range(1, 6)),
    },
    tuple(f"test_double.py::test_{n}" for n in range(1, 6)),
    Edit(
        "double.py",
        "def double(n):\n    return 2 * n\n",
        "def double(n):\n    return 2 * n + (n > 3)\n",
        frozenset({"test_double.py::test_4", "test_double.py::test_5"}),
    ),
)

_FRAMES = """\
import numpy as np
import pandas as pd


def table(n):
    return pd.DataFrame({"n": np.arange(n)})


def mean(frame):
    return float(np.mean(frame["n"].to_numpy()))
"""
HEAVY = Project(
    "heavy",
    "4 tests; the edited module itself imports numpy and pandas.",
    {
        "frames.py": _FRAMES,
        "test_frames.py": """\
import pandas as pd
import pytest

from frames import mean, table


@pytest.mark.parametrize("n", [2, 3, 4])
def test_table(n):
    pd.testing.assert_frame_equal(table(n), pd.DataFrame({"n": list(range(n))}))


def test_mean():
    assert mean(table(3)) == 1.0
""",
    },
    (*(f"test_frames.py::test_table[{n}]" for n in (2, 3, 4)), "test_frames.py::test_mean"),
    Edit(
        "frames.py",
        _FRAMES,
        _FRAMES.replace("to_numpy()))", "to_numpy())) + 1.0"),
        frozenset({"test_frames.py::test_mean"}),
    ),
    ("pytest", "pandas", "numpy"),
)

_CONFTEST = """\
import pytest

from shop.catalogue import Catalogue


@pytest.fixture(scope="session")
def catalogue():
    return Catalogue({f"item-{n}": n for n in range(1, 30)})


@pytest.fixture
def item(catalogue):
    return catalogue.item("item-7")
"""
_MODULE = """\
from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    count: int


def {name}_of(n):
    \"\"\"What {name} is for n.\"\"\"
    line = Line("{name}", n)
    return line.count * {factor}


def {name}_in_words(n):
    return " ".join(["{name}"] * n)
"""
_TESTS = """\
import pytest

from shop.{name} import {name}_in_words, {name}_of


@pytest.fixture
def numbers(tmp_path_factory, catalogue):
    return [catalogue.number(f"item-{{n}}") for n in range(1, 10)]


@pytest.mark.parametrize("n", range(20))
def test_of(n):
    assert {name}_of(n) == {factor} * n


class TestWords:
    @pytest.mark.parametrize("n", [1, 2, 3])
    def test_words(self, n):
        assert {name}_in_words(n).split() == ["{name}"] * n

    def test_item(self, item):
        assert {name}_of(item) == {factor} * 7


def test_numbers(numbers, monkeypatch):
    monkeypatch.setenv("SHOP", "{name}")
    assert [{name}_of(n) for n in numbers] == [{factor} * n for n in range(1, 10)]
"""
_CATALOGUE = """\
class Catalogue:
    def __init__(self, numbers):
        self.numbers = numbers

    def number(self, name):
        return self.numbers[name]

    def item(self, name):
        return self.number(name)
"""
_NAMES = ("basket", "cart", "deliveries", "invoices", "offers", "prices", "stock", "words")
_BASE = "import math\n\n\ndef round_up(n):\n    return math.ceil(n)\n"
"""Every module of the shop imports it: whoever edits it changes what the first test file sees."""


def _mid() -> Project:
    files = {
        "conftest.py": _CONFTEST,
        "shop/__init__.py": "",
        "shop/base.py": _BASE,
        "shop/catalogue.py": _CATALOGUE,
    }
    tests: list[str] = []
    for factor, name in enumerate(_NAMES, 2):
        module = _MODULE.format(name=name, factor=factor)
        module = module.replace("line.count *", "round_up(line.count) *")
        files[f"shop/{name}.py"] = f"from shop.base import round_up\n\n{module}"
        path = f"tests/test_{name}.py"
        files[path] = _TESTS.format(name=name, factor=factor)
        tests += [f"{path}::test_of[{n}]" for n in range(20)]
        tests += [f"{path}::TestWords::test_words[{n}]" for n in (1, 2, 3)]
        tests += [f"{path}::TestWords::test_item", f"{path}::test_numbers"]
    of_seven = [test for test in tests if test.endswith(("[7]", "::test_item", "::test_numbers"))]
    own = files["shop/invoices.py"]
    return Project(
        "mid",
        "200 tests in 8 files with fixtures and parameters; the edited module is imported by the fourth. "
        "For the rows that say so it is one that all 8 import: a checkpoint then stands before the first, "
        "and all are collected anew in each run.",
        files,
        tuple(tests),
        Edit(
            "shop/invoices.py",
            own,
            own.replace("* 5", "* 5 + (n == 7)"),
            frozenset(test for test in of_seven if "test_invoices.py" in test),
        ),
        wide=Edit("shop/base.py", _BASE, _BASE.replace("ceil(n)", "ceil(n) + (n == 7)"), frozenset(of_seven)),
    )


MID = _mid()
PROJECTS = {project.name: project for project in (TINY, MID, HEAVY)}
