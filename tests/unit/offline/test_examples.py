"""Bugs that people make are among the edits, and early among them."""

from __future__ import annotations

import ast

import pytest

from unit.offline.examples import Example, examples
from untilgreen.solvers.offline.edit import Edit, apply
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.templates import FAMILIES, TIERS, edits

LATEST = {1: 400, 2: 2500, 3: 6000}
"""How late a fix may come in its tier, by cost."""


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_the_fix_is_found(example: Example) -> None:
    found = rank_of(example)
    assert found is not None, "the fix is not among the edits"
    tier, rank, edit = found
    assert rank <= LATEST[tier], f"tier {tier}, rank {rank}: {edit}"
    assert edit.sentence.endswith(".")


def test_there_are_enough_of_them() -> None:
    assert len(examples()) >= 120


def test_what_comes_behind_a_loop_is_reached_where_the_loop_begins() -> None:
    [example] = [one for one in examples() if one.name == "behind a loop that never began"]
    found = rank_of(example)
    assert found is not None
    lines = example.before.splitlines()
    assert lines[found[2].line - 1].strip().startswith("while"), "its last line may never have been reached"


def rank_of(example: Example) -> tuple[int, int, Edit] | None:
    ingredients = Ingredients({"example.py": example.before})
    wanted = _squeezed(example.after)
    for tier in TIERS:
        for site in sites("example.py", example.before):
            made = sorted(edits(site, example.facts, ingredients, tier), key=lambda edit: edit.cost)
            for rank, edit in enumerate(made, 1):
                text = apply(example.before, edit)
                if _squeezed(text) == wanted and _same(text, example.after):
                    return tier, rank, edit
    return None


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("'", '"')


def _same(one: str, other: str) -> bool:
    return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))


def test_every_family_says_what_it_is_for() -> None:
    names = [family.name for family in FAMILIES]
    assert len(names) == len(set(names))
    for family in FAMILIES:
        assert family.explain.endswith(".")
        assert family.tiers
        assert family.prior > 0
