"""String literals: space, case, punctuation, what the tests expect to read, formats and patterns."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.likeness import nearest
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_LONGEST = 80
_PREFIX = re.compile(r"([A-Za-z]*)('''|\"\"\"|'|\")")
_FIELD = re.compile(r"\{([A-Za-z_]\w*)[^{}]*\}")
_DIGITS = re.compile(r"(?<=\.)\d(?=[fge%])|(?<=[:%])0?\d+(?=[dsfxX])")
_DATE = {
    "Y": "y",
    "y": "Y",
    "m": "M",
    "M": "m",
    "d": "D",
    "H": "I",
    "I": "H",
    "B": "b",
    "b": "B",
    "A": "a",
    "a": "A",
}


@on(1, ast.Constant)
def from_tests(view: View, place: Place) -> Iterator[Edit]:
    """What failing tests expect, when it is nearly what is written."""
    value = _literal(place)
    if value is None:
        return
    for other, likeness in _near(view, value, "test"):
        yield _string(view, place, other, 2.6 - 1.2 * likeness, risk=1.0 if len(other) > 3 else 0.5)
    if len(value) <= 2:
        for other in sorted(one for one in view.facts.test_strings if len(one) <= 2 and one != value)[:10]:
            yield _string(view, place, other, 3.4, risk=1.0)


@on(1, ast.Constant)
def written_otherwise(view: View, place: Place) -> Iterator[Edit]:
    value = _literal(place)
    if value is None:
        return
    seen = {value}
    forms: list[tuple[str, float]] = [(value.strip(), 2.4), (value + " ", 2.8), (" " + value, 3.0)]
    if "\\" not in value:  # In a pattern letters are more than letters.
        forms += [(value.lower(), 2.4), (value.upper(), 2.6)]
        forms += [(value.capitalize(), 2.8), (value.title(), 3.2)]
    forms += [("", 2.8), (value + "\n", 3.2), (value.rstrip("\n"), 2.6)]
    if value in _SEPARATORS:
        forms += [(other, 2.6 + 0.1 * rank) for rank, other in enumerate(_SEPARATORS)]
    elif value:
        forms += [(value[:-1], 3.4), (value[1:], 3.6), (value.replace(" ", ""), 3.6), (value + "s", 3.4)]
        forms += [
            (value.replace("_", "-"), 3.2),
            (value.replace("-", "_"), 3.2),
            (value.replace(" ", "_"), 3.4),
        ]
        forms += [
            (value.replace("_", " "), 3.4),
            (value + ".", 3.6),
            (value + ":", 3.8),
            (value.replace(",", ";"), 3.8),
        ]
    for other, cost in forms:
        if other not in seen:
            seen.add(other)
            yield _string(view, place, other, cost)


@on(1, ast.Constant)
def continued(view: View, place: Place) -> Iterator[Edit]:
    """One sign more: the bracket that was left open, or what tests read there."""
    value = _literal(place)
    if not value:
        return
    forms = [value + end for start, end in _BRACKETS if value.count(start) == value.count(end) + 1]
    forms += [start + value for start, end in _BRACKETS if value.count(end) == value.count(start) + 1]
    for other in dict.fromkeys((*forms, *_read_on(view, value))):
        yield _string(view, place, other, 2.6, risk=0.3)


@once
def _read_on(view: View, value: str) -> list[str]:
    """With what follows its end, or stands before its beginning, in texts of the tests; often seen first."""
    found: Counter[str] = Counter()
    head, tail = value[:_ANCHOR], value[-_ANCHOR:]
    for text in view.facts.test_strings if len(value) > 1 else ():
        found.update(value + one[1] for one in re.finditer(f"{re.escape(tail)}(.)", text))
        found.update(one[1] + value for one in re.finditer(f"(.){re.escape(head)}", text))
    return [other for other, _ in found.most_common(4)]


@on(1, ast.Constant)
def from_file(view: View, place: Place) -> Iterator[Edit]:
    value = _literal(place)
    if value is None:
        return
    helps = 0.8 if view.facts.has_raised("KeyError") else 0.0
    for other, likeness in _near(view, value, "file"):
        yield _string(view, place, other, 4.2 - 1.6 * likeness - helps)
    if value.isidentifier():
        # What is handed to `getattr` and its like.
        for other, likeness in _near(view, value, "attributes"):
            yield _string(view, place, other, 3.8 - 1.6 * likeness)


@on(2, ast.Constant)
def any_of_file(view: View, place: Place) -> Iterator[Edit]:
    """Keys and words that the file also uses."""
    value = _literal(place)
    if value is None or len(value) > 24:
        return
    stock = view.ingredients.of(view.site).strings
    for other, _ in stock.most_common(40):
        if other != value and len(other) <= 24 and (" " in other) == (" " in value) and "\n" not in other:
            yield _string(view, place, other, 4.2, tier=2, risk=0.5)


@on(1, ast.Constant)
def formats(view: View, place: Place) -> Iterator[Edit]:
    value = _literal(place)
    if value is None:
        return
    for found in _DIGITS.finditer(value):
        number = int(found.group())
        for other in (number + 1, max(number - 1, 0), 2, 1):
            digits = f"0{other}" if found.group().startswith("0") and len(found.group()) > 1 else str(other)
            if digits != found.group():
                yield _string(view, place, value[: found.start()] + digits + value[found.end() :], 2.6)
    if "%" in value:
        for found in re.finditer(r"%([A-Za-z])", value):
            letter = found.group(1)
            options = {"s": "rd", "d": "s", "r": "s", "f": "d"}.get(letter, _DATE.get(letter, ""))
            for option in options:
                yield _string(view, place, value[: found.start(1)] + option + value[found.end(1) :], 2.8)
    if _FIELD.search(value) and not isinstance(place.parent, ast.Attribute):
        names = view.names(place)
        text = view.text(place.node)
        fields = [found.group(1) for found in _FIELD.finditer(value)]
        prefix = _PREFIX.match(text)
        if (
            prefix
            and not prefix.group(1)
            and value.count("{") == len(fields)
            and all(one in names for one in fields)
        ):
            yield view.replace(
                place, f"f{text}", ATOM, "string/formatted", 1.6, "Put the values into the text."
            )


@on(1, ast.Constant)
def patterns(view: View, place: Place) -> Iterator[Edit]:
    """Regular expressions: repetition, anchors, classes."""
    value = _literal(place)
    if value is None or not _is_pattern(view, place, value):
        return
    forms = [(value[1:], 3.0)] if value.startswith("^") else [("^" + value, 3.2)]
    forms.append((value[:-1], 3.0) if value.endswith("$") else (value + "$", 3.0))
    for found in re.finditer(r"[+*?]|\\[dwsDWS]|\.", value):
        own = found.group()
        options = {"+": ("*", "", "+?"), "*": ("+", "", "*?"), "?": ("", "*"), ".": (r"\.",)}.get(own)
        if options is None:
            options = (own.swapcase(), *(f"\\{one}" for one in "dws" if one != own[1]))
        if own == "." and value[: found.start()].endswith("\\"):
            continue
        forms += [(value[: found.start()] + one + value[found.end() :], 2.8) for one in options]
    for other, cost in forms:
        if other != value and _compiles(other):
            yield _string(view, place, other, cost)


_BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
_ANCHOR = 4
"""So many signs tell where in a text one is."""
_SEPARATORS = (" ", ", ", ",", "", "\n", "-", "_", ":", ": ", ";", "/", ".", "|", "\t", "0", "1")


def quoted(value: str, like: str) -> str:
    """A literal for a value, with the quotes and the rawness of another literal."""
    found = _PREFIX.match(like)
    prefix, quote = (found.group(1), found.group(2)[0]) if found else ("", '"')
    if "r" in prefix.lower() and not re.search(r"[\r\n\x00-\x1f]|\\$", value) and quote not in value:
        return f"r{quote}{value}{quote}"
    escaped = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    escaped = "".join(char if char.isprintable() else repr(char)[1:-1] for char in escaped)
    return f"{quote}{escaped}{quote}"


def _literal(place: Place) -> str | None:
    node = place.node
    assert isinstance(node, ast.Constant)
    if not isinstance(node.value, str) or isinstance(place.parent, ast.Expr) or len(node.value) > _LONGEST:
        return None
    return node.value


def _string(view: View, place: Place, value: str, cost: float, *, tier: int = 1, risk: float = 0.0) -> Edit:
    text = quoted(value, view.text(place.node))
    return view.replace(place, text, ATOM, "string/literal", cost, tier=tier, risk=risk)


@once
def _near(view: View, value: str, where: str) -> list[tuple[str, float]]:
    stock = view.ingredients.of(view.site)
    others = {"test": view.facts.test_strings, "file": stock.strings, "attributes": stock.attributes}[where]
    return nearest(value, sorted(others), 6, 0.5)


def _is_pattern(view: View, place: Place, value: str) -> bool:
    if isinstance(place.parent, ast.Call) and isinstance(place.parent.func, ast.Attribute):
        base = place.parent.func.value
        if isinstance(base, ast.Name) and base.id in ("re", "regex"):
            return place.index == 0
    return view.text(place.node)[:1] in "rR" and bool(re.search(r"[\\+*\[(^$]", value))


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


@on(1, ast.Call)
def flags(view: View, place: Place) -> Iterator[Edit]:
    """`re.compile(pattern)` for `re.compile(pattern, re.S)`."""
    node = place.node
    assert isinstance(node, ast.Call)
    function = node.func
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name) or not node.args:
        return
    module = function.value.id
    if module not in ("re", "regex") or function.attr == "escape":
        return
    if any(_names_a_flag(one) for one in ast.walk(node)):
        return
    at = view.span(node)[1] - 1
    keyword = "" if len(node.args) == 1 and not node.keywords else "flags="
    if keyword == "" and function.attr not in ("compile", "template"):
        return
    if not view.source[:at].rstrip().endswith(","):
        for flag, cost in (("S", 2.4), ("I", 2.2), ("M", 2.4), ("X", 3.2)):
            text, sentence = f", {keyword}{module}.{flag}", f"Search with `{module}.{flag}`."
            yield view.splice(at, at, text, "string/flags", cost, sentence, place.line)


def _names_a_flag(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr.isupper()


FAMILY = Template(
    "string",
    1.6,
    "Another text: its case, its space, what tests expect to read; a format or a pattern.",
    (from_tests, written_otherwise, continued, from_file, any_of_file, formats, patterns, flags),
)
