"""Names that nothing reads."""

from __future__ import annotations

import ast

import pytest

from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.templates import UNUSED_BITS, edits
from untilgreen.solvers.offline.unused import made_idle, orphaned, unfilled, unused


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a, b):\n    return a\n", {"b"}),
        ("def f(self, a, _b):\n    pass\n", {"a"}),
        ("def f(a):\n    n = 0\n    for x in a:\n        n += 1\n", {"n", "x"}),
        ("def f(a):\n    def g():\n        return a\n    return g\n", set()),
        ("def f(a):\n    return '{a}'.format(**locals())\n", set()),
        ("def f():\n    global n\n    n = 1\n", set()),
        ("def f(a, b):\n    return [f(x, b) for x in a]\n", {"b"}),
        ("def f(a, b):\n    return [f(x, b) for x in a] or b\n", set()),
        ("def __exit__(self, kind, error, trace):\n    n = 1\n", {"n"}),
        ("def __init__(self, name):\n    pass\n", {"name"}),
    ],
)
def test_what_is_bound_and_never_read(source: str, names: set[str]) -> None:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert unused(node) == names
    nothing = ast.parse("def f(): pass").body[0]
    assert isinstance(nothing, ast.FunctionDef)
    indented = "".join(f"    {line}" for line in source.splitlines(keepends=True))
    assert made_idle(nothing, source) == made_idle(nothing, indented) == len(names)
    assert made_idle(node, source) == 0


def test_a_value_that_is_replaced_at_once_is_idle() -> None:
    before = "def f(self, songs):\n    self.songs = songs\n"
    node = ast.parse(before).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert made_idle(node, before + "    self.songs = []\n") == 1
    assert made_idle(node, before + "    self.songs = self.songs or []\n") == 0


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def f(a):\n    seen = set()\n    return [x for x in a if x not in seen]\n", {"seen"}),
        ("def f(a):\n    seen = set()\n    for x in a:\n        seen.add(x)\n    return seen\n", set()),
        ("def f(a):\n    stack: list[int] = []\n    while stack:\n        stack.pop()\n", {"stack"}),
        ("def f(a):\n    d = dict()\n    d[a] = 1\n    return d\n", set()),
        ("def f(a):\n    d = []\n    d += a\n    return d\n", set()),
        ("def f(a):\n    d = []\n    a.fill(d)\n    return len(d)\n", set()),
        ("def f(a):\n    d = []\n    e = d\n    return d\n", set()),
        ("def f(a):\n    d = []\n    def g(x):\n        d.append(x)\n    g(a)\n    return d\n", set()),
        ("def f(a):\n    d = {1: 2}\n    return d\n", set()),
    ],
)
def test_what_is_looked_at_and_never_filled(source: str, names: set[str]) -> None:
    node = ast.parse(source).body[0]
    assert isinstance(node, ast.FunctionDef)
    assert unfilled(node) == names


def test_what_is_no_function_is_not_known() -> None:
    nothing = ast.parse("def f(): pass").body[0]
    assert isinstance(nothing, ast.FunctionDef)
    assert made_idle(nothing, "def f(:\n") == 0 == made_idle(nothing, "x = 1\n")
    assert unused(ast.parse("x = 1\n")) == frozenset()


def test_edits_that_read_a_name_which_nothing_read_are_likelier() -> None:
    def cost(source: str) -> float:
        site = sites("a.py", source)[0]
        found = edits(site, Facts(), Ingredients({"a.py": source}), 1)
        return min(edit.cost for edit in found if edit.text == "limit" and edit.template == "name/variable")

    read = "def f(items, limit, n):\n    g(limit)\n    return items[n]\n"
    assert cost(read.replace("    g(limit)\n", "")) == pytest.approx(cost(read) - UNUSED_BITS)


@pytest.mark.parametrize(
    ("old", "new", "n"),
    [("DULL", "text", 1), ("DULL", "[*DULL, text]", 0), ("_plain(text)", "text", 1), ("OTHER", "text", 0)],
)
def test_what_was_made_for_one_place_should_be_used_there(old: str, new: str, n: int) -> None:
    text = (
        "DULL = {1}\nOTHER: int = 2\n\n\ndef _plain(text):\n    return text\n\n\n"
        "def f(text):\n    return _plain(text), DULL, OTHER\n\n\ndef g():\n    return OTHER\n"
    )
    start = text.rindex("return _plain") + len("return ")
    start = text.index(old, start)
    assert orphaned(text, start, start + len(old), new) == n


def test_an_attribute_that_nothing_in_the_project_reads_is_missed() -> None:
    source = (
        "class Bucket:\n    def __init__(self, most, rate):\n"
        "        self.most = most\n        self.rate = rate\n\n"
        "    def fill(self, n):\n        return n * self.rate\n"
    )
    site = next(one for one in sites("a.py", source) if one.name == "Bucket.fill")

    def cost(other: str) -> float:
        made = edits(site, Facts(), Ingredients({"a.py": source, "b.py": other}), 1)
        return min(edit.cost for edit in made if edit.text in ("most", "self.most"))

    assert cost("print(1)\n") == pytest.approx(cost("print(bucket.most)\n") - UNUSED_BITS)
