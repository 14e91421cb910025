"""Which of several changes that please the tests is chosen, and how sure one can be."""

from __future__ import annotations

import dataclasses

from untilgreen.model import Patch
from untilgreen.solvers.offline.comparing import Compared
from untilgreen.solvers.offline.rank import Plausible, confidence_of, rank, varied


def plausible(n: int, cost: float, answers: str = "", risk: float = 0.0, function: str = "f") -> Plausible:
    return Plausible(n, Patch(), "a.py", function, "", cost, risk, template=f"kind {n}", answers=answers)


def numbers(found: tuple[Plausible, ...]) -> list[int]:
    return [one.n for one in found]


def test_the_likeliest_first_and_risk_counts() -> None:
    found = [plausible(0, 3.0), plausible(1, 1.0, risk=4.0), plausible(2, 2.0)]
    assert numbers(rank(found)) == [2, 0, 1]


def test_the_place_counts_less_than_the_kind_of_change() -> None:
    elsewhere = dataclasses.replace(plausible(0, 2.0), penalty=1.0)
    assert numbers(rank([elsewhere, plausible(1, 2.6)])) == [0, 1]
    assert numbers(rank([elsewhere, plausible(1, 2.4)])) == [1, 0]


def test_those_that_answer_alike_vote_together() -> None:
    found = [plausible(0, 2.0, "odd"), plausible(1, 2.1, "same"), plausible(2, 2.1, "same")]
    assert numbers(rank(found)) == [1, 2, 0]
    assert numbers(rank([*found[:2], plausible(2, 9.0, "same")])) == [0, 1, 2], "a weak voice counts little"


def test_to_say_the_same_in_other_words_is_one_vote() -> None:
    found = [plausible(0, 2.0, "odd"), plausible(1, 2.5, "same"), plausible(2, 2.5, "same")]
    spelled = [dataclasses.replace(one, template="one kind") for one in found]
    assert numbers(rank(spelled)) == [0, 1, 2]


def test_many_ways_to_what_is_easy_do_not_outvote_the_likeliest() -> None:
    found = [plausible(0, 1.6, "right"), *(plausible(n, 2.0 + 0.2 * n, "easy") for n in range(1, 6))]
    assert numbers(rank(found))[0] == 0


def test_what_taking_code_away_achieves_as_well_is_less_likely() -> None:
    found = [plausible(0, 2.0, "easy"), plausible(1, 3.5, "right"), plausible(2, 4.0, "easy")]
    assert numbers(rank(found))[0] == 0
    found[2] = dataclasses.replace(found[2], removes=True)
    assert numbers(rank(found))[0] == 1


def test_where_a_mere_copy_helps_it_is_the_plainest() -> None:
    found = [plausible(0, 2.0, "same"), dataclasses.replace(plausible(1, 2.5, "same"), copies=True)]
    assert numbers(rank(found)) == [1, 0]
    assert numbers(rank([plausible(0, 2.0, "odd"), found[1]])) == [0, 1], "not when it answers otherwise"


def test_what_stumbles_over_other_inputs_is_less_likely() -> None:
    stumbling = dataclasses.replace(plausible(0, 2.0, "a"), stumbles=0.5)
    assert numbers(rank([stumbling, plausible(1, 4.0, "b")])) == [1, 0]
    assert numbers(rank([stumbling, plausible(1, 6.0, "b")])) == [0, 1]
    once = dataclasses.replace(plausible(0, 2.0, "a"), stumbles=0.05)
    assert numbers(rank([once, plausible(1, 2.1, "b")])) == [0, 1], "one strange input is no reason"


def test_what_is_likely_bent_to_the_tests_is_in_doubt_also_alone() -> None:
    bent = plausible(0, 1.0, "x", risk=2.5)
    assert confidence_of(bent, [bent]) == ("contested", ())


def test_one_that_stands_alone_is_unique() -> None:
    alone = plausible(0, 1.0, "x")
    assert confidence_of(alone, [alone]) == ("unique", ())
    unlikely = plausible(1, 20.0, "y")
    assert confidence_of(alone, [alone, unlikely]) == ("unique", ())


def test_agreed_and_contested() -> None:
    best, like, other, twin = (plausible(n, 1.0 + n, key) for n, key in enumerate("aabb"))
    assert confidence_of(best, [best, like]) == ("agreed", ())
    assert confidence_of(best, [best, like, other, twin]) == ("contested", (other,)), "one of each kind"


def test_what_could_not_be_compared_is_contested() -> None:
    here, there = plausible(0, 1.0, "a"), plausible(1, 1.5, "a", function="g")
    unknown = plausible(2, 1.5)
    assert confidence_of(here, [here, there])[0] == "contested"
    assert confidence_of(here, [here, unknown])[0] == "contested"
    assert confidence_of(unknown, [unknown, plausible(3, 2.0)])[0] == "contested"


def test_what_always_answers_the_same_is_hardly_right() -> None:
    blunt = dataclasses.replace(plausible(0, 1.3), answers="a", always=True)
    assert [one.n for one in rank([blunt, dataclasses.replace(plausible(1, 4.0), answers="b")])] == [1, 0]


def test_one_of_each_kind_is_tried_first() -> None:
    ranked = [plausible(n, float(n), key) for n, key in enumerate("aabab")]
    assert numbers(varied(ranked)) == [0, 2, 1, 3, 4]


def test_a_change_after_which_a_name_is_not_read_any_more_is_less_likely() -> None:
    idle = dataclasses.replace(plausible(0, 2.0), idle=1)
    assert numbers(rank([idle, plausible(1, 3.0)])) == [1, 0]


def test_how_rivals_differ_is_told_in_a_sentence() -> None:
    compared = Compared((), {"a.py:f": "f([]) gives 0 or None"})
    assert compared.difference(plausible(0, 1.0), [plausible(1, 1.0)]) == "f([]) gives 0 or None."
    assert compared.difference(plausible(0, 1.0), [plausible(1, 1.0, function="g")]) == ""


def test_where_a_copy_helps_other_objects_help_by_chance() -> None:
    by_chance = [plausible(n, 2.4, "turned") for n in range(3)]
    copy = dataclasses.replace(plausible(3, 2.5, "copied"), copies=True)
    assert rank([*by_chance, copy])[0].n == 3
    assert rank([*by_chance, dataclasses.replace(copy, copies=False)])[0].n != 3
