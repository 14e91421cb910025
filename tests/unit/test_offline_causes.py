"""Tests that fail for different reasons are told apart by what they execute."""

from __future__ import annotations

from untilgreen.model import NO_PATCH
from untilgreen.solvers.offline.causes import causes
from untilgreen.solvers.offline.checking import Checked
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.queue import Scene
from untilgreen.solvers.offline.site import Site, sites
from untilgreen.solvers.offline.state import State
from untilgreen.solvers.offline.tree import Tree
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.report import CaseResult, Report

SITE: Site = sites("a.py", "def f():\n    return 1\n")[0]


def scene(target: str, covering: int) -> Scene:
    return Scene(SITE, tuple(target), tuple(f"p{n}" for n in range(covering)))


def test_a_suspicious_function_joins_those_who_call_it() -> None:
    assert causes(tuple("abcd"), [scene("ab", 1), scene("cd", 0)]) == (("a", "b"), ("c", "d"))
    assert causes(tuple("abc"), [scene("ab", 1), scene("bc", 2)]) == (("a", "b", "c"),)


def test_what_many_others_call_with_success_joins_nobody() -> None:
    assert causes(tuple("ab"), [scene("ab", 7)]) == (("a",), ("b",))
    assert causes(tuple("ab"), [scene("ab", 6)]) == (("a", "b"),)


def test_the_smallest_group_comes_first() -> None:
    assert causes(tuple("abc"), [scene("ab", 0)]) == (("c",), ("a", "b"))


def test_a_change_for_one_reason_leaves_the_others() -> None:
    tree = Tree(Snapshot.__new__(Snapshot), NO_PATCH, ())
    red = {name: CaseResult(f"t.py::{name}", "failed") for name in "abc"}
    known = Knowledge({f"t.py::{name}": case for name, case in red.items()}, passing=("t.py::p",))
    state = State(tree, tuple(known.cases), known)
    report = Report("finished", (CaseResult("t.py::a", "passed"), CaseResult("t.py::b", "passed"), red["c"]))
    checked = Checked(frozenset({"t.py::a"}), (), (), report)
    after = state.after(NO_PATCH, checked, "Do this.", "agreed", "f(1)")
    assert after.failing == ("t.py::c",)
    assert after.known.passing == ("t.py::p", "t.py::a", "t.py::b")
    assert set(after.known.cases) == {"t.py::c"}
    assert (after.story, after.confidence, after.difference) == (("Do this.",), "agreed", "f(1)")
    assert after.after(NO_PATCH, checked, "And this.", "unique").confidence == "agreed"


def test_a_file_that_can_be_collected_now_is_no_test_any_more() -> None:
    tree = Tree(Snapshot.__new__(Snapshot), NO_PATCH, ())
    state = State(tree, ("t.py",), Knowledge({"t.py": CaseResult("t.py", "error")}))
    report = Report("finished", (CaseResult("t.py::a", "passed"), CaseResult("t.py::b", "failed")))
    after = state.after(NO_PATCH, Checked(frozenset({"t.py::a"}), ("t.py::b",), (), report), "Import it.")
    assert after.failing == ("t.py::b",)
