"""Runs in the test process: values as short texts that are equal for equal values, and others like them.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import copy
import datetime
import enum
import random
import re
import types
from typing import Any, Callable, Collection, Dict, List, Sequence, Tuple

MOST_NODES = 2000
DEEPEST = 8
LONGEST = 200
FIRST = 4
_PLAIN = (bool, int, float, complex, type(None), type(Ellipsis))
_NUMBERS = (("decimal", "Decimal"), ("fractions", "Fraction"))
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class TooLarge(Exception):
    """A value that is not worth the time."""


def described(value: Any) -> str:
    """Raises TooLarge. Without addresses, and the same for sets and dictionaries in any order."""
    return _Describing().text(value, DEEPEST)


def call(arguments: Any) -> str:
    """As it would be written in a call."""
    positional, named = arguments
    words = [described(value) for value in positional]
    return ", ".join([*words, *("%s=%s" % (name, described(value)) for name, value in named.items())])


class _Describing:
    def __init__(self) -> None:
        self.n_nodes = 0
        self.above: List[int] = []

    def text(self, value: Any, depth: int) -> str:
        self.n_nodes += 1
        if self.n_nodes > MOST_NODES:
            raise TooLarge
        kind = type(value)
        if kind in _PLAIN:
            if kind is int and value.bit_length() > 4000:
                return "<int of %d bits, %d>" % (value.bit_length(), value % (1 << 61))
            return repr(value)
        if kind in (str, bytes, bytearray):
            if len(value) > LONGEST:
                return "%r... (%d, %d)" % (value[:LONGEST], len(value), _sum(value))
            return repr(value)
        if depth == 0:
            return "..."
        if id(value) in self.above:
            return "<itself>"
        self.above.append(id(value))
        try:
            return self._nested(value, kind, depth - 1)
        finally:
            self.above.pop()

    def _nested(self, value: Any, kind: type, depth: int) -> str:
        name = kind.__qualname__
        if isinstance(value, (list, tuple)):
            words = ", ".join(self.text(item, depth) for item in value)
            if kind is list:
                return "[%s]" % words
            if kind is tuple:
                return "(%s,)" % words if len(value) == 1 else "(%s)" % words
            return "%s(%s)" % (name, words)
        if isinstance(value, (set, frozenset)):
            words = ", ".join(sorted(self.text(item, depth) for item in value))
            return "%s{%s}" % ("" if kind is set else name, words)
        if isinstance(value, dict):
            pairs = sorted("%s: %s" % (self.text(k, depth), self.text(v, depth)) for k, v in value.items())
            return "%s{%s}" % ("" if kind is dict else name, ", ".join(pairs))
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return "<%s>" % value.__qualname__
        if isinstance(value, types.ModuleType):
            return "<%s>" % value.__name__
        if isinstance(value, BaseException):
            return "%s%s" % (name, self.text(value.args, depth))
        own = getattr(value, "__dict__", None)
        if isinstance(own, dict) and own:
            pairs = sorted("%s=%s" % (key, self.text(item, depth)) for key, item in own.items())
            return "<%s %s>" % (name, ", ".join(pairs))
        if isinstance(own, dict) and isinstance(getattr(kind, "__init__", None), types.FunctionType):
            return "<%s>" % name  # What is not made yet may not be able to say what it is.
        slots = _slots(kind)
        if slots:
            pairs = ["%s=%s" % (slot, self.text(getattr(value, slot, None), depth)) for slot in slots]
            return "<%s %s>" % (name, ", ".join(pairs))
        return _ADDRESS.sub("", repr(value))[: 4 * LONGEST]


def others_like(
    inputs: List[Any],
    most: int,
    make: Callable[[int, Any, bool], Any],
    constants: Sequence[Any] = (),
    takes_any: Collection[int] = (),
) -> List[Any]:
    """Inputs that differ a little from those that were seen, some to where these constants matter; the same
    ones every time. At some places any number of arguments may be given."""
    chance = Chance(constants)
    first = inputs[:FIRST]
    """Of the failing tests, which are asked first: what is wrong shows there."""
    found: List[Any] = []
    seen = {(one.place, described(one.arguments)) for one in inputs}
    for _ in range(4 * most):
        if not inputs or len(inputs) + len(found) >= most:
            break
        crosses, from_first = chance.random() < 0.2, chance.random() < 0.4
        one = chance.choice(inputs if crosses else first if from_first else [*inputs, *found])
        try:
            arguments = copy.deepcopy(one.arguments)
            if crosses:
                other = chance.choice([other for other in inputs if other.place == one.place])
                arguments = _crossed(arguments, copy.deepcopy(other.arguments), chance)
            else:
                arguments = _other_arguments(arguments, chance, one.place in takes_any)
            key = (one.place, described(arguments))
        except Exception:
            continue  # It cannot be copied, or is too large by now.
        if key not in seen:
            seen.add(key)
            found.append(make(one.place, arguments, False))
            if from_first:
                first.append(found[-1])
    return found


def _crossed(arguments: Any, others: Any, chance: Chance) -> Tuple[Any, Any]:
    """One argument as in another call."""
    positional, named = list(arguments[0]), dict(arguments[1])
    n_both = min(len(positional), len(others[0]))
    names = sorted(others[1])
    n = chance.randrange(max(1, n_both + len(names)))
    if n < n_both:
        positional[n] = others[0][n]
    elif names:
        named[names[n - n_both]] = others[1][names[n - n_both]]
    return tuple(positional), named


class Chance(random.Random):
    """The same every time; knows some constants."""

    def __init__(self, constants: Sequence[Any] = (), seed: int = 7) -> None:
        super().__init__(seed)
        self.constants: Dict[type, List[Any]] = {}
        for one in constants:
            self.constants.setdefault(type(one), []).append(one)

    def near(self, kind: type) -> Any:
        """A constant of this type, or what lies beside it; None when there is none, and mostly so anyway."""
        known = self.constants.get(kind)
        if not known or self.random() > 0.3:
            return None
        found = self.choice(known)
        return found + self.choice((-1, 0, 0, 1)) if kind in (int, float) else found


def _other_arguments(arguments: Any, chance: Chance, any_number: bool = False) -> Tuple[Any, Any]:
    positional, named = list(arguments[0]), dict(arguments[1])
    n_all = len(positional) + len(named)
    if not n_all:
        return tuple(positional), named
    if any_number and len(positional) > 1 and chance.random() < 0.3:
        return tuple(positional[:-1] if chance.random() < 0.5 else positional + positional[-1:]), named
    if len(positional) > 1 and chance.random() < 0.1:
        a, b = chance.sample(range(len(positional)), 2)
        if type(positional[a]) is type(positional[b]):
            positional[a], positional[b] = positional[b], positional[a]
            return tuple(positional), named
    n = chance.randrange(n_all)
    if n < len(positional):
        positional[n] = _other(positional[n], chance, 3)
    else:
        name = sorted(named)[n - len(positional)]
        named[name] = _other(named[name], chance, 3)
    return tuple(positional), named


def _other(value: Any, chance: Chance, depth: int) -> Any:
    kind = type(value)
    if chance.random() < 0.03:
        return None
    near = chance.near(kind)
    if near is not None:
        if kind is str and chance.random() < 0.6:
            # What the code looks for stands in the middle of a text more often than alone.
            at = chance.randrange(len(value) + 1)
            return value[:at] + near + value[at:]
        return near
    if kind is bool:
        return not value
    if kind in (int, float) or (kind.__module__, kind.__name__) in _NUMBERS:
        return chance.choice([value + 1, value - 1, kind(0), kind(-1), kind(1), -value, 2 * value])
    if isinstance(value, datetime.timedelta):
        return chance.choice([2 * value, value // 2, value - value, -value])
    if isinstance(value, datetime.date):
        return value + datetime.timedelta(chance.choice((1, -1, 7, 30, -30, 92, -92, 365)))
    if isinstance(value, enum.Enum):
        return chance.choice(list(type(value)))
    if kind in (str, bytes):
        at = chance.randrange(len(value) + 1)
        doubled = value[:at] + value[at - 1 : at] + value[at:]
        return chance.choice(
            [value[:0], value[:-1], value[1:], value[:at] + value[at + 1 :], doubled, value[::-1]]
        )
    if depth and kind in (list, tuple):
        items = list(value)
        at = chance.randrange(len(items) + 1)
        change = chance.randrange(6)
        if change == 0:
            items = []
        elif change == 1:
            del items[at : at + 1]
        elif change == 2:
            items[at:at] = copy.deepcopy(items[at - 1 : at] or items[:1])
        elif change == 3:
            items.reverse()
        elif items:
            at = min(at, len(items) - 1)
            items[at] = _other(items[at], chance, depth - 1)
        return kind(items)
    if depth and isinstance(value, tuple) and hasattr(kind, "_make"):
        items = list(value)
        at = chance.randrange(len(items))
        items[at] = _other(items[at], chance, depth - 1)
        return kind._make(items)
    if depth and kind is dict and value:
        key = chance.choice(list(value))
        if chance.random() < 0.4:
            del value[key]
        else:
            value[key] = _other(value[key], chance, depth - 1)
        return value
    if depth and kind in (set, frozenset):
        items = sorted(value, key=described)
        return kind(items[1:] if chance.random() < 0.5 else [_other(item, chance, 0) for item in items])
    own = getattr(value, "__dict__", None)
    if depth and isinstance(own, dict) and own and not isinstance(value, (type, types.FunctionType)):
        name = chance.choice(sorted(own))
        own[name] = _other(own[name], chance, depth - 1)
        return value
    slots = [name for name in _slots(kind) if hasattr(value, name)]
    if depth and slots:
        name = chance.choice(slots)
        object.__setattr__(value, name, _other(getattr(value, name), chance, depth - 1))
    return value


def _slots(kind: type) -> List[str]:
    return [slot for base in kind.__mro__ for slot in _names(base.__dict__.get("__slots__", ()))]


def _names(slots: Any) -> List[str]:
    return [slots] if isinstance(slots, str) else [one for one in slots if not one.startswith("__")]


def _sum(value: Any) -> int:
    data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else bytes(value)
    return int.from_bytes(data, "big") % ((1 << 61) - 1)
