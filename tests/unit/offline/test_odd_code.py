"""Code that is stranger than most: rules look at it, or away, and never stumble."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.facts import NO_FACTS
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.templates import TIERS, edits, leftovers
from untilgreen.solvers.offline.view import View

KEY = (1 << 1100) + 7
DOTTED = "def f(x):\n    y = x + 1\n    return max(y, 2)\n"
ODD = {
    "a dotted import": f"import os.path\n\n\n{DOTTED}",
    "an import for what it does": f"import app.models\nimport app.views as views\n\n\n{DOTTED}",
    "one of two": f"try:\n    import xml.etree.cElementTree\nexcept ImportError:\n    pass\n\n\n{DOTTED}",
    "a key": f"P = {KEY}\n\n\ndef f(x):\n    return x * 0.5 + 3\n",
    "a key in the code": f"def f(x):\n    return pow(x, {KEY}, 7) * 0.5\n",
    "a number of thousands of digits": f"def f(x):\n    return x % 0x{'f' * 5000}\n",
    "a match": "def f(x):\n    match x:\n        case {'a': [y, *_]} if y:\n            return y\n",
    "a walrus": "async def f(x):\n    return [y async for z in x if (y := z) async for w in y]\n",
    "other letters": "def größe(ärger: int) -> str:\n    return f'{ärger!r:>{ärger}}' + \"ß\"\n",
    "tabs and carriage returns": "def f(x):\r\n\tif x > 1:\r\n\t\treturn x\r\n\treturn [*x, 1][0]\r\n",
    "a lambda": "f = lambda *a, b=1, **c: (yield a)\n\n\nclass A:\n    g = staticmethod(lambda s: s + 1)\n",
}


def all_edits(text: str) -> list[Edit]:
    ingredients = Ingredients({"code.py": text})
    found = sites("code.py", text)
    return [edit for site in found for tier in TIERS for edit in edits(site, NO_FACTS, ingredients, tier)]


@pytest.mark.parametrize("text", ODD.values(), ids=ODD.keys())
def test_odd_code_is_looked_at(text: str) -> None:
    assert all_edits(text)


def test_a_rule_that_stumbles_costs_no_other(
    monkeypatch: pytest.MonkeyPatch, failed_rules: list[str]
) -> None:
    before = len(all_edits(ODD["a dotted import"]))

    def stumble(_view: View) -> Iterator[list[str]]:
        raise KeyError("strange")

    monkeypatch.setattr(leftovers, "_uses", stumble)
    assert before - 20 < len(all_edits(ODD["a dotted import"])) <= before
    assert failed_rules and all("KeyError: 'strange'" in said for said in failed_rules)
    failed_rules.clear()
