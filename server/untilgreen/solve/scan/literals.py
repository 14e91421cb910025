"""Literal values: when two are the same, which nobody writes by accident, and which everybody knows."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Sequence

_ORDINARY_NUMBERS = frozenset({-1, 0, 1, 2, 10, 100, 1000})
_LONG_TEXT = 12
_LARGE_NUMBER = 1000
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
MONTHS = 12
_YEAR = range(1, MONTHS + 1)
_DAYS = range(28, 32)
_ROUND = 5
_SHORT = 4


def value_of(node: ast.AST) -> object:
    """The value of a literal; an ast.AST object stands for what is none."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return node


def key_of(value: object) -> Hashable:
    """Equal for equal values; True is not 1, and a list is its tuple."""
    match value:
        case bool() | None:
            return "constant", str(value)
        case int() | float() | complex():
            return "number", value
        case list() | tuple():
            return "row", tuple(key_of(one) for one in value)
        case set() | frozenset():
            return "set", frozenset(key_of(one) for one in value)
        case dict():
            return "dict", frozenset((key_of(one), key_of(other)) for one, other in value.items())
    return type(value).__name__, value


def is_ordinary(value: object) -> bool:
    """What honest code has everywhere: 0, 1, None, nothing, one letter."""
    match value:
        case bool() | None:
            return True
        case int() | float():
            return value in _ORDINARY_NUMBERS
        case str() | bytes():
            return len(value) < 2
        case list() | tuple() | set() | frozenset():
            return all(not one for one in value)
        case dict():
            return not value
    return False


def is_distinctive(value: object) -> bool:
    """What nobody writes by accident."""
    match value:
        case bool() | None:
            return False
        case int():
            return abs(value) >= _LARGE_NUMBER and value not in _ORDINARY_NUMBERS
        case float():
            return not value.is_integer()
        case str() | bytes():
            spaced = " " in value if isinstance(value, str) else b" " in value
            return len(value) >= _LONG_TEXT or (len(value) > 4 and spaced)
        case list() | tuple() | set() | frozenset():
            return len(value) > 1 and not all(is_ordinary(one) for one in value)
        case dict():
            return bool(value)
    return False


def literal_keys(tree: ast.AST) -> frozenset[Hashable]:
    """Every literal in a tree, containers and what they hold."""
    return frozenset(keys_in([tree]))


def keys_in(nodes: Iterable[ast.AST]) -> Iterator[Hashable]:
    for node in nodes:
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant | ast.UnaryOp | ast.Tuple | ast.List | ast.Dict | ast.Set):
                value = value_of(inner)
                if not isinstance(value, ast.AST):
                    yield key_of(value)


def atoms_of(value: object) -> list[object]:
    """What a value holds in the end, without its containers."""
    match value:
        case list() | tuple() | set() | frozenset():
            return [atom for one in value for atom in atoms_of(one)]
        case dict():
            return [atom for pair in value.items() for atom in atoms_of(pair)]
    return [value]


def is_number(value: object) -> bool:
    return isinstance(value, int | float | complex) and not isinstance(value, bool)


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
    if value in _YEAR and answer in _DAYS:
        return True
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


def is_known_number(value: float, *, counting: bool) -> bool:
    """Months, hours, codes of protocols and powers of two are known to everybody; so are round numbers, to
    who only looks for them."""
    if value != int(value):
        return False
    whole = abs(int(value))
    return (
        whole <= MONTHS
        or whole in _CODES
        or not whole & (whole - 1)
        or (not counting and whole % _ROUND == 0)
    )
