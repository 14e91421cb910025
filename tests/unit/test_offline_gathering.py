"""Facts of functions, from calls that were seen and from what the failing tests mention."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from untilgreen.model import NO_PATCH
from untilgreen.solvers.offline.gathering import _attributes, gather
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.localise import Localisation
from untilgreen.solvers.offline.spectrum import Spectrum
from untilgreen.solvers.offline.tree import Tree
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import CaseResult, Failure
from untilgreen_sandbox.trace import Observation, Value

CODE = "def total(lines, rate=2):\n    return sum(line.cents for line in lines)\n"
TESTS = """\
import pytest


@pytest.mark.parametrize("wanted", [450, 1.5])
def test_total(wanted):
    assert shop.total(make(count=3)) == wanted, "the total of shop.Line"


def test_other():
    assert unrelated("nothing")
"""
LINE = "<shop.Line name='tea, and more=x', cents=450, count=3>"


def test_facts(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(CODE)
    (tmp_path / "test_shop.py").write_text(TESTS)
    tree = Tree(take_snapshot(tmp_path), NO_PATCH, ["test_shop.py"])
    seen = Observation(
        "t",
        "shop.py:total",
        (Value("list", f"[{LINE}]", "lines"), Value("int", "2", "rate")),
        (Value("shop.Line", LINE, "first"),),
    )
    test = "test_shop.py::test_total[450]"
    failure = Failure("AssertionError", "assert 1 == 450")
    known = Knowledge({test: CaseResult(test, "failed", failure=failure)})
    place = Localisation(Spectrum({}, {}, scores={("shop.py", 2): 0.5, ("other.py", 2): 1.0}), (seen,))
    facts = gather(place, tree, [test], known).facts("shop.py", "total", 1, 2, ast.parse(CODE))
    assert facts.types["rate"] == {"int"} and facts.values["rate"] == ("2",)
    assert facts.types["first"] == facts.types["line"] == {"Line"}, "also of what runs through a list"
    assert facts.types["first.count"] == facts.types["line.cents"] == {"int"}
    assert facts.types["first.name"] == {"str"} and "first.more" not in facts.types
    assert facts.lines == {2: 0.5}
    assert facts.raised == (("AssertionError", "assert 1 == 450"),)
    assert {"total", "count", "Line"} <= facts.test_names and "unrelated" not in facts.test_names
    assert facts.test_numbers == {450, 1.5, 3}
    assert "the total of shop.Line" in facts.test_strings
    assert facts.signatures == {"total": ("lines", "rate")}


def test_failing_tests_tell_the_types_and_others_what_they_do_not_tell(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def pay(amount, to, note):\n    return amount\n")
    tree = Tree(take_snapshot(tmp_path), NO_PATCH, ["t.py"])
    said = {
        "t.py::fails": (Value("int", "5", "amount"), Value("NoneType", "None", "note")),
        "t.py::passes": (
            Value("str", "'5'", "amount"),
            Value("str", "'x'", "to"),
            Value("str", "''", "note"),
        ),
        "t.py::too": (Value("NoneType", "None", "amount"),),
    }
    calls = tuple(Observation(test, "a.py:pay", values) for test, values in reversed(said.items()))
    facts = gather(Localisation(Spectrum({}, {}), calls), tree, ["t.py::fails"], Knowledge())
    types = facts.facts("a.py", "pay", 1, 2).types
    assert types["amount"] == {"int", "NoneType"}, "a text is what is to be refused"
    assert types["to"] == {"str"} and types["note"] == {"str", "NoneType"}


def test_files_keep_their_line_ends_and_tests_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\r\ny = 2\r\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/helper.py").write_text("x = 1\n")
    (tmp_path / "latin.py").write_bytes(b"# \xe9\n")
    tree = Tree(take_snapshot(tmp_path), NO_PATCH, ["check.py"])
    assert tree.text("a.py") == "x = 1\ny = 2\n"
    patch = tree.patched("a.py", "x = 1\ny = 3\n")
    assert patch.files["a.py"].content == b"\xef\xbb\xbfx = 1\r\ny = 3\r\n"
    assert tree.on(patch).text("a.py") == "x = 1\ny = 3\n"
    assert tree.sources() == ("a.py", "latin.py") and tree.text("latin.py") is None
    assert not any(
        map(tree.may_change, ("tests/helper.py", "check.py", "setup.py", "none.py", "conftest.py"))
    )


def test_a_shown_object_may_tell_of_no_attribute() -> None:
    """The only sign of equality stands in brackets."""
    assert list(_attributes(Value("Shop", "<Shop of [a=1]>", "shop"))) == []


TWO_MEANINGS = """\
def keys(pairs, markers):
    for key, value in pairs:
        print(key.%s)
    for key in markers:
        print(%s)
"""


@pytest.mark.parametrize(
    ("first", "then", "known"),
    [
        ("upper()", "key.schema, key.default", False),
        ("uper()", "key.lower()", True),
        ("upper()", "key.lower()", True),
    ],
)
def test_a_name_with_two_meanings_has_no_type(tmp_path: Path, first: str, then: str, known: bool) -> None:
    code = TWO_MEANINGS % (first, then)
    (tmp_path / "shop.py").write_text(code)
    tree = Tree(take_snapshot(tmp_path), NO_PATCH, [])
    seen = Observation("t", "shop.py:keys", (), (Value("str", "'a'", "key"),))
    place = Localisation(Spectrum({}, {}), (seen,))
    facts = gather(place, tree, [], Knowledge({})).facts("shop.py", "keys", 1, 5, ast.parse(code))
    assert ("key" in facts.types) == known
