"""Which tests come first when something changes: all that can be affected, and as few others as is safe."""

from __future__ import annotations

import itertools
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.solve.changed import Body, Edit, changed_bodies
from untilgreen.solve.selection import select
from untilgreen_sandbox.trace import Executed, TestTrace, Trace

OLD = textwrap.dedent("""\
    import os

    LIMIT = 3

    def one(x, y=1):
        a = x
        if a:
            return a
        return y

    class Thing:
        size = 2

        def two(self):
            return self.size

    def maker():
        def inner():
            return 3
        return inner
    """)


def edit(before: str, after: str) -> Edit:
    assert OLD.count(before) == 1
    return Edit(OLD, OLD.replace(before, after))


def trace_of(**functions: tuple[str, ...]) -> Trace:
    """Tests by name, with the functions of `m.py` that each entered."""
    tests = {
        name: TestTrace(name, Executed({}, frozenset(f"m.py:{one}" for one in entered)))
        for name, entered in functions.items()
    }
    return Trace(tests=tests)


TRACE = trace_of(a=("one",), b=("Thing.two",), c=("maker.<locals>.inner",), d=("maker", "one"), e=())
PLAN = ("e", "d", "c", "b", "a")


@pytest.mark.parametrize(
    ("before", "after", "affected"),
    [
        ("return a\n", "return a + 1\n", {"a", "d"}),
        ("return self.size", "return 9", {"b"}),
        ("return 3", "return 4", {"c", "d"}),
        ("def inner():", "def inner(x=1):", {"c", "d"}),
        ("import os\n", "import os  # why\n", set()),
    ],
)
def test_only_who_entered_a_changed_function(before: str, after: str, affected: set[str]) -> None:
    found = select(PLAN, TRACE, {"m.py": edit(before, after)})
    assert set(found.first) == affected
    assert found.rest == tuple(name for name in PLAN if name not in affected)


WIDE = {
    "a constant": edit("LIMIT = 3", "LIMIT = 4"),
    "an import": edit("import os", "import sys"),
    "a default": edit("y=1", "y=2"),
    "a name of an argument": edit("x, y", "z, y"),
    "a decorator": edit("    def two", "    @property\n    def two"),
    "an attribute of a class": edit("size = 2", "size = 3"),
    "a base class": edit("class Thing", "class Thing(dict)"),
    "a new function": edit("def maker", "def new():\n    pass\n\ndef maker"),
    "a removed function": edit("    def two(self):\n        return self.size\n", ""),
    "another name": edit("def one", "def won"),
    "an annotation": edit("def one(x", "def one(x: int"),
    "documentation": edit("    a = x", "    'doc'\n    a = x"),
    "a generator": edit("return y", "yield y"),
    "a syntax error": edit("import os", "import"),
    "a new file": Edit(None, OLD),
    "a removed file": Edit(OLD, None),
    "what a cache remembers": Edit(
        "@lru_cache\ndef f():\n    return 1\n", "@lru_cache\ndef f():\n    return 2\n"
    ),
}


@pytest.mark.parametrize("change", WIDE.values(), ids=WIDE)
def test_on_doubt_all(change: Edit) -> None:
    found = select(PLAN, TRACE, {"m.py": change})
    assert (set(found.first), found.rest) == (set(PLAN), ())
    assert found.why.startswith("All tests may be affected: m.py: ")


@pytest.mark.parametrize("path", ["data.json", "pyproject.toml", "tests/conftest.py"])
def test_files_that_any_test_may_read(path: str) -> None:
    change = edit("return a\n", "return a + 1\n")
    assert select(PLAN, TRACE, {path: change}).rest == ()
    assert select(PLAN, TRACE, {path: Edit(OLD, OLD)}).first == ()


def test_what_an_import_calls_concerns_all() -> None:
    at_import = Executed({}, frozenset({"m.py:one"}))
    trace = Trace(at_import=at_import, tests=TRACE.tests)
    assert select(PLAN, trace, {"m.py": edit("return a\n", "return 2\n")}).rest == ()
    assert select(PLAN, trace, {"m.py": edit("return 3", "return 4")}).first == ("d", "c")


def test_what_a_shared_fixture_calls_concerns_those_who_share_it() -> None:
    tests = {**TRACE.tests, "e": TestTrace("e", Executed(), shares=("db",))}
    trace = Trace(shared={"db": Executed({}, frozenset({"m.py:Thing.two"}))}, tests=tests)
    assert set(select(PLAN, trace, {"m.py": edit("return self.size", "return 9")}).first) == {"b", "e"}


def test_who_cannot_be_seen_is_in_doubt() -> None:
    change = {"m.py": edit("return self.size", "return 9")}
    tests = {**TRACE.tests, "e": TestTrace("e", Executed(), incomplete=("child processes",))}
    assert select(PLAN, Trace(tests=tests), change).first == ("b", "e")
    assert select((*PLAN, "unknown"), TRACE, change).first == ("b", "unknown")
    assert select(PLAN, Trace(tests=TRACE.tests, incomplete=("limits reached",)), change).rest == ()


def test_failing_then_nearest_then_cheapest() -> None:
    near = Executed({"m.py": ((6, 8),)}, frozenset({"m.py:one"}))
    entered = Executed({"m.py": ((6, 6),)}, frozenset({"m.py:one"}))
    tests = {
        name: TestTrace(name, executed)
        for name, executed in {
            "far": entered,
            "slow": near,
            "quick": near,
            "as_quick": near,
            "red": Executed(),
            "none": Executed(),
        }.items()
    }
    seconds = {"slow": 2.0, "quick": 0.1, "as_quick": 0.1, "far": 0.0}
    change = {"m.py": edit("        return a\n", "        return a + 1\n")}
    found = select(tests, Trace(tests=tests), change, failing=("red",), seconds=seconds)
    assert (found.first, found.rest) == (("red", "quick", "as_quick", "slow", "far"), ("none",))


def test_lines_of_a_change() -> None:
    found = changed_bodies("m.py", edit("        return a\n", "        return a + 1\n"))
    assert found == (Body("m.py", "one", (7, 8), (6, 9)),)
    assert changed_bodies("m.py", edit("    return y", "    x = 1\n    return x")) == (
        Body("m.py", "one", (9, 9), (6, 9)),
    )


names = st.sampled_from([f"t{n}" for n in range(12)])
functions = st.frozensets(st.sampled_from(["one", "Thing.two", "maker", "maker.<locals>.inner"]))
CHANGES = {
    "one": edit("return a\n", "return -a\n"),
    "Thing.two": edit("return self.size", "return None"),
    "maker": edit("return inner", "return None"),
}


@given(
    st.lists(names, unique=True),
    st.dictionaries(names, functions),
    st.sampled_from(sorted(CHANGES)),
    st.frozensets(names),
    st.dictionaries(names, st.floats(0, 10)),
)
def test_laws(
    plan: list[str],
    entered: dict[str, frozenset[str]],
    changed: str,
    failing: frozenset[str],
    seconds: dict[str, float],
) -> None:
    trace = trace_of(**{name: tuple(found) for name, found in entered.items()})
    found = select(plan, trace, {"m.py": CHANGES[changed]}, failing, seconds)
    assert sorted((*found.first, *found.rest)) == sorted(plan)
    assert list(found.rest) == [name for name in plan if name in found.rest]
    touching = {
        name
        for name in plan
        if any(one.split(".<locals>")[0] == changed for one in entered.get(name, frozenset()))
    }
    assert touching <= set(found.first)
    assert set(found.first) == touching | (failing & set(plan)) | (set(plan) - entered.keys())
    n_failing = len(failing & set(plan))
    assert set(found.first[:n_failing]) == failing & set(plan)
    places = {name: n for n, name in enumerate(plan)}
    for one, other in itertools.pairwise(found.first):
        if (one in failing) == (other in failing) and (one in touching) == (other in touching):
            before = (seconds.get(one, 0.0), places[one])
            assert before < (seconds.get(other, 0.0), places[other])
