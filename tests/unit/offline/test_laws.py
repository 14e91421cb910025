"""Laws of all edits, on code that nobody wrote for them: parts of the standard library and odd layouts."""

from __future__ import annotations

import ast
import os
import random
import re
import warnings
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boxes import SEED
from unit.offline.examples import examples
from untilgreen.solvers.offline.edit import Edit, apply
from untilgreen.solvers.offline.facts import NO_FACTS, Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import Site, sites
from untilgreen.solvers.offline.templates import FAMILIES, TIERS, edits

SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
LIBRARY = Path(ast.__file__).parent
MODULES = (
    "bisect.py",
    "fnmatch.py",
    "queue.py",
    "contextlib.py",
    "textwrap.py",
    "shlex.py",
    "heapq.py",
    "colorsys.py",
    "calendar.py",
    "statistics.py",
    "dataclasses.py",
    "functools.py",
    "asyncio/queues.py",
    "asyncio/locks.py",
    "json/decoder.py",
    "json/encoder.py",
    "string.py",
    "graphlib.py",
    "reprlib.py",
    "copy.py",
    "glob.py",
    "cmd.py",
    "sched.py",
    "configparser.py",
    "csv.py",
    "difflib.py",
    "enum.py",
    "fractions.py",
    "gettext.py",
    "html/parser.py",
    "asyncio/streams.py",
    "asyncio/tasks.py",
    "mailbox.py",
    "netrc.py",
    "posixpath.py",
    "random.py",
    "tokenize.py",
)
DATA = Path(__file__).parent / "examples"
AT_ONCE = 120
"""Edits of one function that are looked at."""
MOST = 6000
"""Edits of one function that are made for that."""
NAMES = frozenset(family.name for family in FAMILIES)


@pytest.mark.parametrize("tier", TIERS)
def test_every_edit_of_the_library_compiles_and_differs(tier: int) -> None:
    chance = random.Random(f"{SEED}-{tier}")
    for name in MODULES if SOAK else chance.sample(MODULES, len(MODULES) // 5 + 1):
        text = (LIBRARY / name).read_text(encoding="utf-8")
        ingredients = Ingredients({name: text})
        functions = sites(name, text)[:-1]
        for site in functions if SOAK else chance.sample(functions, min(2, len(functions))):
            check(site, ingredients, NO_FACTS, tier, chance)


ODD = (
    "def f(x):\r\n    if x > 1:\r\n        return x\r\n    return -x\r\n",
    "\ufeffdef f(x):\n    y = x[0] + 1\n    return y\n",
    "def f(x):\n\tif x:\n\t\treturn 1\n\treturn 2",
    "\x0cdef f(ä, ö='ü'):\n    s = 'é' + ä; t = s * 2\n    return t if ö else s\n",
    "def f(x): return x + 1",
    *(DATA / "odd_layouts.source").read_text(encoding="utf-8").split("=== \n")[1:],
)


@pytest.mark.parametrize("text", ODD)
def test_odd_layouts_stay_whole(text: str) -> None:
    chance = random.Random(1)
    for site in sites("odd.py", text):
        for tier in TIERS:
            check(site, Ingredients({"odd.py": text}), NO_FACTS, tier, chance)


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_two_laws_of_examples_pasted_together(data: st.DataObject) -> None:
    """Line ends, indentation and what is around a function do not matter."""
    chosen = data.draw(
        st.lists(st.sampled_from(examples()), min_size=1, max_size=2, unique_by=lambda one: one.name)
    )
    ending = data.draw(st.sampled_from(("\n", "\r\n")))
    unit = data.draw(st.sampled_from(("    ", "  ", "\t")))
    head = data.draw(st.sampled_from(("", "\ufeff", "# é\n", "'''Döc.'''\n\n")))
    text = head + "\n\n".join(one.before for one in chosen)
    text = text.replace("    ", unit).replace("\n", ending)
    facts = Facts(types={"x": frozenset({"int"}), "text": frozenset({"str"}), "items": frozenset({"list"})})
    found = sites("pasted.py", text)
    if found:
        site = data.draw(st.sampled_from(found))
        check(
            site,
            Ingredients({"pasted.py": text}),
            facts,
            data.draw(st.sampled_from(TIERS)),
            random.Random(2),
            30,
        )


def check(
    site: Site,
    ingredients: Ingredients,
    facts: Facts,
    tier: int,
    chance: random.Random,
    at_once: int = AT_ONCE,
) -> None:
    made = list(islice(edits(site, facts, ingredients, tier), MOST))
    texts: set[str] = set()
    original = _tree(site.text[site.start : site.end])
    endings = _endings(site.text)
    for edit in made if len(made) <= at_once else chance.sample(made, at_once):
        assert site.start <= edit.start <= edit.end <= site.end
        source = site.source_of(edit)
        assert apply(site.text, edit) == site.text[: site.start] + source + site.text[site.end :]
        tree = _tree(source)
        assert tree, f"{edit}\n{source}"
        assert tree != original, f"nothing changed: {edit}"
        assert source not in texts, f"twice: {edit}"
        texts.add(source)
        assert edit.tier == tier
        assert edit.template.partition("/")[0] in NAMES
        assert 0 < edit.cost < 20
        assert edit.risk >= 0
        assert edit.sentence.endswith("."), edit
        assert site.first_line <= edit.line <= site.last_line
        assert not endings or _endings(source) <= endings


def _tree(source: str) -> str:
    """What it means; empty when it does not compile."""
    source = source.removeprefix("\ufeff")
    if source[:1] in " \t":
        source = "if 1:\n" + source
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "edited", "exec", dont_inherit=True)
        except SyntaxError:
            return ""
        return ast.dump(ast.parse(source))


def _endings(text: str) -> set[str]:
    """The kinds of line ends that a text has."""
    return set(re.findall(r"\r\n|\n", text))


def test_asked_twice_the_answer_is_the_same() -> None:
    text = examples()[0].before
    site, ingredients = sites("a.py", text)[0], Ingredients()
    first = [list(edits(site, NO_FACTS, ingredients, tier)) for tier in TIERS]
    second = [list(edits(site, NO_FACTS, ingredients, tier)) for tier in TIERS]
    assert first == second


def test_no_edit_is_in_two_tiers() -> None:
    for example in examples()[:12]:
        ingredients = Ingredients()
        for site in sites("a.py", example.before):
            seen: dict[str, Edit] = {}
            for tier in TIERS:
                for edit in edits(site, example.facts, ingredients, tier):
                    text = apply(example.before, edit)
                    assert text not in seen or seen[text].tier == tier
                    seen[text] = edit
