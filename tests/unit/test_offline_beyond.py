"""What only a model can write, and what a file that cannot be parsed may need."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from untilgreen.model import NO_PATCH
from untilgreen.solvers.offline.beyond import beyond_search, is_stub, newer_files
from untilgreen.solvers.offline.edit import apply
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.localise import Localisation, place
from untilgreen.solvers.offline.mending import mendings
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.tree import Tree
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import CaseResult, Failure, Frame
from untilgreen_sandbox.trace import Executed, TestTrace, Trace

CODE = '''\
def todo(x):
    """Doubles."""
    raise NotImplementedError


def done(x):
    return x
'''
TEST = Frame("test_a.py", 4, "test", "")


def said(folder: Path, failure: Failure, lines: tuple[int, int], also_good: bool = False) -> str:
    """What is said of one test that executes these lines of the code."""
    (folder / "a.py").write_text(CODE)
    tree = Tree(take_snapshot(folder), NO_PATCH, ["test_a.py"])
    known = Knowledge({"bad": CaseResult("bad", "failed", failure=failure)}, passing=("good",))
    executed = Executed({"a.py": (lines,)})
    tests = {"bad": TestTrace("bad", executed)} | ({"good": TestTrace("good", executed)} if also_good else {})
    return beyond_search(place([Trace(tests=tests)], tree, ("bad",), known), tree, ("bad",), known)


@pytest.mark.parametrize(
    ("body", "stub"),
    [
        ("pass", True),
        ("...", True),
        ("'''Says what.'''", True),
        ("raise NotImplementedError", True),
        ("raise NotImplementedError('later')", True),
        ("return None", False),
        ("raise ValueError", False),
    ],
)
def test_what_a_stub_is(body: str, stub: bool) -> None:
    assert is_stub(sites("a.py", f"def f():\n    {body}\n")[0]) is stub


def test_a_stub_that_the_test_calls(tmp_path: Path) -> None:
    raised = Failure("NotImplementedError", "", frames=(TEST, Frame("a.py", 3, "todo", "")))
    assert "`todo` in `a.py` has no body yet" in said(tmp_path, raised, (3, 3))
    wrong = Failure("AssertionError", "assert 1 == 2", frames=(TEST,))
    assert said(tmp_path, wrong, (7, 7)) == ""


def test_a_hook_without_a_body_is_no_excuse(tmp_path: Path) -> None:
    wrong = Failure("AssertionError", "assert 1 == 2", frames=(TEST,))
    assert said(tmp_path, wrong, (3, 7)) != ""
    assert said(tmp_path, wrong, (3, 7), also_good=True) == "", "tests that pass call it, too"


def test_what_only_a_newer_python_reads(tmp_path: Path) -> None:
    """It was executed, so somebody can read it."""
    (tmp_path / "a.py").write_text("def f(x) of the future:\n    return x\n")
    (tmp_path / "b.py").write_text("def g(x):\n    return x\n")
    tree = Tree(take_snapshot(tmp_path), NO_PATCH, ["test_a.py"])
    wrong = Failure("AssertionError", "assert 1 == 2", frames=(TEST,))
    known = Knowledge({"bad": CaseResult("bad", "failed", failure=wrong)})

    def looked(*paths: str) -> Localisation:
        executed = Executed(dict.fromkeys(paths, ((2, 2),)))
        return place([Trace(tests={"bad": TestTrace("bad", executed)})], tree, ("bad",), known)

    told = beyond_search(looked("a.py"), tree, ("bad",), known)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert told.startswith(f"`a.py` cannot be read by Python {version}, which untilgreen runs on: install")
    assert newer_files(looked("a.py", "b.py"), tree, known) == ("a.py",)
    assert beyond_search(looked("a.py", "b.py"), tree, ("bad",), known) == "", "there is the other file"
    assert newer_files(looked("b.py"), tree, known) == ()
    # Here nobody can.
    unread = Failure("SyntaxError", "invalid syntax", frames=(TEST, Frame("a.py", 1, "", "")))
    known = Knowledge({"bad": CaseResult("bad", "error", failure=unread)})
    assert newer_files(looked("a.py"), tree, known) == newer_files(looked(), tree, known) == ()


@pytest.mark.parametrize(
    ("message", "where", "told"),
    [
        ("cannot import name 'parse' from 'a' (/x/a.py)", TEST, "parse"),
        ("module 'a' has no attribute 'render'", TEST, "render"),
        ("'Cart' object has no attribute 'checkout'", TEST, "checkout"),
        ("cannot import name 'dome' from 'a' (/x/a.py)", TEST, ""),
        ("module 'a' has no attribute 'render'", Frame("a.py", 7, "done", ""), ""),
        ("list index out of range", TEST, ""),
    ],
)
def test_a_name_that_nobody_has(message: str, where: Frame, told: str, tmp_path: Path) -> None:
    sentence = said(tmp_path, Failure("ImportError", message, frames=(where,)), (7, 7))
    assert sentence == (
        f"nothing in the project is called `{told}`: writing it takes a model" if told else ""
    )


@pytest.mark.parametrize(
    ("broken", "line", "mended"),
    [
        ("def f(x)\n    return x\n", 1, "def f(x):\n    return x\n"),
        ("if x = 1:\n    y = 2\n", 1, "if x == 1:\n    y = 2\n"),
        ("a = f(1, (2)\nb = 3\n", 1, "a = f(1, (2))\nb = 3\n"),
        ("a = f(1))\n", 1, "a = f(1)\n"),
        ("def f(x):\n    retrun x\n", 2, "def f(x):\n    return x\n"),
        ("def f(x):\nreturn x\n", 2, "def f(x):\n    return x\n"),
        ("def f(x):\n    y = x\n      z = y\n", 3, "def f(x):\n    y = x\n    z = y\n"),
        ("a = [1 2]\n", 1, "a = [1, 2]\n"),
        ("a = 'it\nb = 1\n", 1, "a = 'it'\nb = 1\n"),
        ("try:\n    f()\nexcept E, e:\n    pass\n", 3, "try:\n    f()\nexcept E as e:\n    pass\n"),
        ("print 'x'\n", 1, "print('x')\n"),
        ("x = {'a': 1, 'b': [2}\n", 1, "x = {'a': 1, 'b': [2]}\n"),
        ("x = (1,\n     2\n\ny = 3\n", 1, "x = (1,\n     2)\n\ny = 3\n"),
    ],
)
def test_a_file_that_cannot_be_parsed(broken: str, line: int, mended: str) -> None:
    found = sorted(mendings("a.py", broken, line), key=lambda edit: edit.cost)
    assert mended in [apply(broken, edit) for edit in found[:12]]
