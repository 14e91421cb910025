"""For each function of the evaluated project: an edit that is wrong, one that is right, and who sees it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """One function, edits of its text that are wrong and right, and the tests that fail."""

    function: str
    wrong: tuple[str, str]
    right: tuple[str, str]
    tests: tuple[str, ...]
    nth: int = 0
    """Which one, of several with the same name."""


EVERY = {
    "plain": Shape("plain", ("- 1", "- 2"), ("- 1", "+ 1"), ("test_plain",)),
    "nested": Shape("outer", ("> 1", "> 2"), ("> 1", "> 0"), ("test_outer",)),
    "decorated": Shape("decorated", ("- 1", "* 1"), ("- 1", "+ 1"), ("test_decorated",)),
    "cached": Shape("cached", ("< 2", "< 3"), ("cached(n - 1) +", "cached(n - 2) +"), ("test_cached",)),
    "generator": Shape("generated", ("- 1", "+ 1"), (" - 1", ""), ("test_generated",)),
    "context manager": Shape("managed", ("yield log", "yield"), ('"in"', '"out"'), ("test_managed",)),
    "async": Shape("later", ("- 1", "- 2"), ("- 1", "+ 1"), ("test_later", "Whole::test_async_case")),
    "default": Shape(
        "with_default", ("by=3", "by=1"), ("by=3, *, limit=5", "by=2, *, limit=9"), ("test_with_default",)
    ),
    "default that changes": Shape(
        "collects",
        ("found=[]", "found=[0]"),
        ("found=[]):\n    found", "found=None):\n    found = found or []\n    found"),
        ("test_collects",),
    ),
    "endless": Shape(
        "hangs", ("total += n", "total -= n"), ("total += n", "total += n; n -= 1"), ("test_hangs",)
    ),
    "super": Shape("Thing.louder", (".lower()", ".title()"), (".lower()", ".upper()"), ("test_louder",)),
    "new super": Shape("Thing.name", ('"thing"', '"other"'), ('"thing"', "super().name()"), ("test_name",)),
    "private name": Shape("Thing.size", ("+ 1", "- 1"), (" + 1", ""), ("test_size",)),
    "setter": Shape(
        "Thing.size", ("value + 1", "value - 1"), ("value + 1", "value"), ("test_set_size",), nth=1
    ),
    "static": Shape("Thing.make", ("+ 5", "- 5"), (" + 5", ""), ("test_make",)),
    "class": Shape("Thing.kind", (".lower()", ".upper()"), (".lower()", ""), ("test_kind",)),
    "class in a class": Shape(
        "Thing.Part.weight", ("return 1", "return 3"), ("return 1", "return 2"), ("test_weight",)
    ),
    "in a block": Shape("conditional", ("- 1", "- 2"), ("- 1", "+ 1"), ("test_conditional",)),
    "parameters": Shape(
        "plain",
        ("- 1", "* 0 + 7"),
        ("- 1", "+ 1"),
        ("test_parametrised[given0-wanted0]", "test_parametrised[given1-wanted1]"),
    ),
    "fixture": Shape("plain", ("- 1", "- 2"), ("- 1", "+ 1"), ("test_fixture",)),
    "method": Shape("plain", ("- 1", "- 2"), ("- 1", "+ 1"), ("TestMethods::test_method",)),
    "unittest": Shape("plain", ("- 1", "- 2"), ("- 1", "+ 1"), ("Case::test_case",)),
}
