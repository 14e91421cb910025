"""Edits that please tests easily cost more than those that mend."""

from __future__ import annotations

import ast

import pytest

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.templates import TIERS, edits
from untilgreen.solvers.offline.templates.booleans import guards


def made(source: str, facts: Facts) -> list[Edit]:
    site = sites("a.py", source)[0]
    ingredients = Ingredients({"a.py": source})
    return [edit for tier in TIERS for edit in edits(site, facts, ingredients, tier)]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("isinstance(other, Point) and self.x == other.x", "and"),
        ("node is not None and node.next", "and"),
        ("node is not None or node.next", "and"),
        ("node is None or node.next", "or"),
        ("row and row[0] > 3", "and"),
        ("not self.items or self.items[0]", "or"),
        ("not isinstance(other, Point) and other.x", "or"),
        ("first and second", ""),
        ("a > b and b.size", ""),
        ("ready() and value.size", ""),
    ],
)
def test_a_part_that_protects_the_next_is_known(text: str, wanted: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert isinstance(node, ast.BoolOp)
    assert guards(*node.values) == wanted


def test_what_stands_between_a_guard_and_what_it_guards_is_doubted_only_where_it_is_right() -> None:
    source = "def f(a):\n    return a is not None {} a.size > 3\n"
    wrong, right = (
        next(edit for edit in made(source.format(word), Facts()) if edit.template == "boolean/operator")
        for word in ("or", "and")
    )
    assert wrong.risk == 0.0 < right.risk and wrong.cost < right.cost


def test_conditions_that_ask_nothing_are_risky_and_those_that_do_nothing_are_not_made() -> None:
    source = "def f(a, b):\n    if a > 1:\n        return b\n    return 0\n"
    facts = Facts(types={"a": frozenset({"int"}), "b": frozenset({"list"})})
    found = {edit.text: edit for edit in made(source, facts) if edit.template == "condition/extended"}
    asking_nothing = [edit for text, edit in found.items() if "b is not None" in text]
    assert asking_nothing and all(" or " in edit.text and edit.risk > 4 for edit in asking_nothing)
    assert found["a > 1 or b"].risk < 2


def test_another_number_altogether_is_riskier_than_the_next_one() -> None:
    source = "def f(a):\n    return a.get('x', 0)\n"
    found = {edit.text: edit for edit in made(source, Facts()) if edit.template == "constant/number"}
    assert found["1"].risk == 0.0 < found["2"].risk


def test_catching_everything_is_riskier_than_catching_what_was_raised_too() -> None:
    source = "def f(a):\n    try:\n        return g(a)\n    except KeyError:\n        return 0\n"
    found = {edit.text: edit for edit in made(source, Facts(raised=(("ValueError", "no"),)))}
    assert found["(KeyError, ValueError)"].risk == 0.0 == found["ValueError"].risk
    assert found["Exception"].risk > 1 < found["(KeyError, Exception)"].risk
    assert 0 < found["(KeyError, OSError)"].risk < 1, "it was not raised"


def test_a_text_is_hardly_meant_to_be_taken_apart() -> None:
    source = "def f(lines, one):\n    lines.insert(one)\n"

    def costs(kind: str) -> dict[str, float]:
        types = {"lines": frozenset({"list"}), "one": frozenset({kind})}
        return {edit.text: edit.cost for edit in made(source, Facts(types=types)) if edit.tier == 1}

    assert costs("list")["extend"] < costs("list")["append"] < costs("str")["extend"]
    assert costs("str")["append"] == costs("list")["append"]


def test_a_guard_returns_what_the_function_returns_elsewhere_or_something_of_its_kind() -> None:
    source = "def f(a, b):\n    return len(a) + 1\n"
    facts = Facts(types={"a": frozenset({"list"}), "b": frozenset({"int"})})
    found = {edit.text.split()[-1] for edit in made(source, facts) if edit.template == "guard/leave"}
    assert {"0", "b", "None"} <= found
    assert not {"[]", "a", '""'} & found


def test_a_condition_is_about_what_it_protects() -> None:
    source = (
        "def f(best, key, new, other):\n    if key:\n        best[key] = new\n    return best[key], other\n"
    )
    found = {edit.text: edit for edit in made(source, Facts())}
    near, far = "key and new is None", "key and other is None"
    assert found[near].cost < found[far].cost
    assert "key or new < best[key]" in found, "names beside what the function reads"


def test_what_tests_compare_with_is_the_last_to_be_changed() -> None:
    source = (
        "class Point:\n    def {}(self, other):\n        return self.x == other.x and self.y == other.y\n"
    )
    risks = [
        {
            edit.text: edit.risk
            for edit in made(source.format(name), Facts())
            if edit.template == "boolean/operator"
        }
        for name in ("__eq__", "follows")
    ]
    assert risks[0].keys() == risks[1].keys() != set()
    assert all(risks[0][text] >= risk + 2 for text, risk in risks[1].items())


def test_who_waited_for_an_exception_does_not_want_another_value() -> None:
    source = "def f(amount, limit):\n    if limit < amount:\n        raise ValueError(amount)\n"

    def risk(facts: Facts) -> float:
        return min(edit.risk for edit in made(source, facts) if edit.text == "abs(amount)")

    waited = Facts(raised=(("Failed", "DID NOT RAISE <class 'ValueError'>"),))
    assert risk(waited) >= risk(Facts(raised=(("AssertionError", "assert 1 == 2"),))) + 2


def test_a_function_that_catches_answers_as_it_does_in_other_cases() -> None:
    source = "def f(a):\n    if not a:\n        return False\n    b = int(a)\n    return b > 3\n"
    found = [
        edit
        for edit in made(source, Facts(raised=(("ValueError", "no"),)))
        if edit.template == "exception/caught" and edit.text.startswith("    try:\n        b = int(a)")
    ]
    likeliest = min(found, key=lambda edit: edit.cost)
    assert likeliest.text.endswith("return False\n") and len({edit.cost for edit in found}) == 2


def test_what_is_counted_elsewhere_is_counted_here() -> None:
    source = "def f(a):\n    a.n = 1\n    a.m = 1\n\n\ndef g(a):\n    a.n -= 1\n"
    n, m = (edit for edit in made(source, Facts()) if edit.template == "update/added" and edit.text == "+=")
    assert n.cost < m.cost


def test_who_lets_a_function_call_itself_has_thought_about_it() -> None:
    source = "def f(n):\n    if n > g(1):\n        return n\n    return f(n - 1)\n"
    found = {edit.line: edit for edit in made(source, Facts()) if edit.template == "call/unwrapped"}
    assert found[4].risk > found[2].risk


def test_what_is_missing_is_about_what_nothing_reads() -> None:
    source = "def find(keys, wanted):\n    found = []\n    for key in keys:\n        found.append(key)\n"
    types = {"keys": frozenset({"list"}), "key": frozenset({"str"}), "wanted": frozenset({"str"})}
    found = {edit.text: edit for edit in made(source, Facts(types=types)) if edit.template == "guard/wrapped"}
    asked, other = (
        found[f"        if {one}:\n            found.append(key)\n"] for one in ("key == wanted", "not keys")
    )
    assert asked.cost < other.cost


def test_a_pattern_has_no_upper_case() -> None:
    source = "def f(text):\n    return re.split(r'x\\d+y', text, 'xy')\n"
    texts = {edit.text for edit in made(source, Facts())}
    assert "'XY'" in texts and r"r'x\D+y'" in texts and r"r'X\D+Y'" not in texts


def test_how_long_a_text_is_is_seldom_meant() -> None:
    source = "def f(a, b):\n    if a > 1:\n        return b\n    return 0\n"

    def cheapest(kind: str) -> float:
        facts = Facts(types={"a": frozenset({"int"}), "b": frozenset({kind})})
        found = [edit for edit in made(source, facts) if edit.text == "a > 1 and len(b) == 1"]
        return min(edit.cost for edit in found)

    assert cheapest("list") + 1 < cheapest("str")


def test_a_function_that_returns_nothing_is_left_without_a_value() -> None:
    source = (
        "def f(known, new):\n    for one in known:\n        if one == new:\n            one.join(new)\n"
        "    new.keep()\n"
    )
    found = {edit.text.strip(): edit.cost for edit in made(source, Facts()) if edit.line == 4}
    assert found["return"] + 1 < found["return None"] and found["return"] + 1 < found["return 0"]


def test_an_attribute_begins_as_what_it_is() -> None:
    source = (
        "class A:\n    def __init__(self):\n        self.seen = set()\n\n"
        "    def end(self, name):\n        print(name)\n"
    )
    site = next(one for one in sites("a.py", source) if one.name == "A.end")
    made = [
        edit.text.strip()
        for tier in TIERS
        for edit in edits(site, Facts(), Ingredients({"a.py": source}), tier)
    ]
    assert {"self.seen = set()", "self.seen.clear()", "self.seen.discard(name)"} <= set(made)
    assert not {"self.seen = []", 'self.seen = ""', "self.seen += 1"} & set(made)


def test_a_plain_yes_is_replaced_by_a_question_and_not_joined_with_one() -> None:
    source = "def f(a, b):\n    if len(a) > 1:\n        return len(a) == len(b)\n    return True\n"
    found = [edit for edit in made(source, Facts()) if edit.line == 4]
    assert any(edit.text == "len(a) == len(b)" for edit in found)
    assert not any(edit.text.startswith(("True and", "True or")) for edit in found)
