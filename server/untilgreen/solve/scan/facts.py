"""What an author knows and nobody computes: a mile has 1609.344 metres, the plural of mouse is mice."""

from __future__ import annotations

import re
from collections.abc import Sequence

from untilgreen.solve.scan.literals import is_number

_WORD = re.compile(r"(#\w|[^\W\d_])[\w.+°%/-]{0,24}")
_SAMPLES = frozenset(
    {
        *("x", "y", "z", "a", "b", "c", "abc", "xyz", "abcd", "foo", "bar", "baz", "qux", "spam", "eggs"),
        *("hello", "world", "test", "bad", "invalid", "nope", "wrong", "garbage", "something"),
    }
)
"""Words that only examples are made of."""
_CODES = range(100, 600)
"""Where protocols and programs have their numbers."""
_SHORT = 4


def is_word(value: object) -> bool:
    """One word of a language, a unit, a code: no sentence, and no made-up value."""
    return isinstance(value, str) and bool(_WORD.fullmatch(value)) and value.lower() not in _SAMPLES


def is_sample(value: object) -> bool:
    """A value that stands for many others of its kind: no honest code knows just this one."""
    if isinstance(value, str):
        mixed = any(one.isdigit() for one in value) and any(one.isalpha() for one in value)
        return value.lower() in _SAMPLES or " " in value.strip() or mixed
    return isinstance(value, list | tuple | dict) and bool(value)


def is_fact(asked: Sequence[object], answer: object) -> bool:
    """Whether the answer cannot be made from what is asked."""
    if len(asked) != 1:
        return bool(asked) and all(map(is_word, asked)) and not isinstance(answer, str)
    value = asked[0]
    if is_number(value) and isinstance(answer, str):
        return value in _CODES and (" " in answer or answer == "OK" or not answer.isupper())
    if not isinstance(value, str) or not is_word(value):
        return False
    if isinstance(answer, str):
        return not is_alike(value, answer)
    if is_number(answer):
        # What can be counted in a word is no more than its letters.
        return not (isinstance(answer, int) and answer <= len(value))
    return not isinstance(answer, list)


def is_alike(one: str, other: str) -> bool:
    """The one may have been made from the other: by order, case, ends, or letter by letter."""
    one, other = one.casefold(), other.casefold()
    if sorted(one) == sorted(other) or one in other or other in one:
        return True
    if len(one) == len(other) >= _SHORT:
        return True
    return 2 * _in_common(one, other) > max(len(one), len(other)) and len(one) >= _SHORT


def _in_common(one: str, other: str) -> int:
    """How many letters both have in the same order."""
    row = [0] * (len(other) + 1)
    for letter in one:
        before = row
        row = [0]
        for n, second in enumerate(other):
            row.append(before[n] + 1 if letter == second else max(row[n], before[n + 1]))
    return row[-1]
