"""Fields of formatted strings: the parser of Python 3.11 does not tell where they are."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_OPENING = re.compile(r"[fF]([rR]?)('''|\"\"\"|'|\")|[rR][fF]('''|\"\"\"|'|\")")
_SPEC = re.compile(r"\.(\d)([fge%])$|^0?(\d+)(d?)$")
_NAME = re.compile(r"[A-Za-z_]\w*")


@on(1, ast.JoinedStr)
def values(view: View, place: Place) -> Iterator[Edit]:
    """Another variable, attribute or number in a field."""
    node = place.node
    assert isinstance(node, ast.JoinedStr)
    names = view.names(place)
    for start, end, value in _fields(view, node):
        text = view.source[start:end]
        line = view.site.offsets.line_of(start)
        if isinstance(value, ast.Name):
            for name in names:
                agreed = kinds.agree(view.kind_of(value.id), view.kind_of(name))
                if name not in (value.id, "self", "cls") and agreed:
                    yield _field(view, start, end, name, 2.4 if agreed == 2 else 2.8, line)
            yield _field(view, start, end, f"{text} + 1", 3.6, line)
            yield _field(view, start, end, f"{text} - 1", 3.6, line)
        elif isinstance(value, ast.Attribute):
            base = text[: -len(value.attr) - 1]
            stock = view.ingredients.of(view.site)
            members = stock.members(view.site.name.rpartition(".")[0]) if base == "self" else {}
            for other in dict.fromkeys((*stock.attributes_behind.get(base, {}), *members)):
                if other != value.attr:
                    yield _field(view, start, end, f"{base}.{other}", 2.8, line)
        elif isinstance(value, ast.Call | ast.Subscript):
            for found in _NAME.finditer(text):
                for name in names:
                    if found.group() in names and name not in (found.group(), "self", "cls"):
                        yield _field(view, start + found.start(), start + found.end(), name, 3.2, line)
        if isinstance(value, ast.BinOp):
            for found in re.finditer(r"(?<=\s)[-+*/](?=\s)", text):
                for sign in "+-*/":
                    if sign != found.group():
                        yield _field(view, start + found.start(), start + found.end(), sign, 2.6, line)
        for call in ("len", "str", "repr", "int", "round"):
            yield _field(view, start, end, f"{call}({text})", 4.2, line)
        for method in ("strip", "lower", "upper", "title"):
            if not isinstance(value, ast.BinOp | ast.Compare):
                yield _field(view, start, end, f"{text}.{method}()", 4.0, line)


@on(1, ast.JoinedStr)
def shapes(view: View, place: Place) -> Iterator[Edit]:
    """How many digits a field shows."""
    node = place.node
    assert isinstance(node, ast.JoinedStr)
    for _, end, _ in _fields(view, node):
        line = view.site.offsets.line_of(end)
        if view.source.startswith("}", end):
            for text, cost in (
                (":.2f", 3.0),
                (":.1f", 3.4),
                ("!r", 3.2),
                (":02d", 3.4),
                (":,", 3.8),
                (":.0f", 4.0),
            ):
                yield _field(view, end, end, text, cost, line)
            continue
        close = view.source.find("}", end)
        spec = view.source[end + 1 : close]
        found = _SPEC.search(spec)
        if view.source.startswith("!", end):
            yield view.splice(end, close, "", "field/shape", 3.0, "Show the value plainly.", line)
        elif found is not None and "{" not in spec:
            at = 1 if found.group(1) else 3
            number = int(found.group(at))
            for other in (number + 1, max(number - 1, 0), 2):
                if other != number:
                    begin = end + 1 + found.start(at)
                    stop = end + 1 + found.end(at)
                    yield _field(view, begin, stop, str(other), 2.4, line)


def _field(view: View, start: int, end: int, text: str, cost: float, line: int) -> Edit:
    old = view.source[start:end]
    sentence = f"Show `{text}` instead of `{old}`." if old else f"Show it with `{text}`."
    template = "field/value" if old else "field/shape"
    return Edit(view.site.path, start, end, text, template, 1, cost, 0.0, sentence, line)


@once
def _fields(view: View, node: ast.JoinedStr) -> list[tuple[int, int, ast.expr]]:
    """Where the expressions of the fields stand; only those that are found without doubt."""
    return list(_find(view, node))


def _find(view: View, node: ast.JoinedStr) -> Iterator[tuple[int, int, ast.expr]]:
    start, end = view.span(node)
    opening = _OPENING.match(view.source, start, end)
    if opening is None:
        return
    quote = opening.group(2) or opening.group(3)
    inside = view.source[opening.end() : end - len(quote)]
    if quote in inside or not view.source.startswith(quote, end - len(quote)) or "\\" in inside:
        return  # Several literals in a row, or escapes.
    fields = [one.value for one in node.values if isinstance(one, ast.FormattedValue)]
    found = list(_spans(inside))
    if len(found) != len(fields):
        return
    for (first, last), value in zip(found, fields, strict=True):
        tree = parse(f"({inside[first:last]})")
        if (
            tree is not None
            and isinstance(tree.body[0], ast.Expr)
            and (
                ast.dump(tree.body[0].value) == ast.dump(value)
                and inside[first:last].strip() == inside[first:last]
            )
        ):
            yield opening.end() + first, opening.end() + last, value


def _spans(inside: str) -> Iterator[tuple[int, int]]:
    position = 0
    while position < len(inside):
        if inside.startswith(("{{", "}}"), position):
            position += 2
        elif inside[position] == "{":
            first = position + 1
            position = last = _end_of_expression(inside, first)
            depth = 1
            while position < len(inside) and depth:
                depth += {"{": 1, "}": -1}.get(inside[position], 0)
                position += 1
            yield first, last
        else:
            position += 1


def _end_of_expression(inside: str, position: int) -> int:
    depth = 0
    quote = ""
    while position < len(inside):
        char = inside[position]
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([{":
            depth += 1
        elif depth and char in ")]}":
            depth -= 1
        elif not depth and (char in "}:" or (char in "!=" and not _compares(inside, position))):
            return position
        position += 1
    return position


def _compares(inside: str, position: int) -> bool:
    return inside[position + 1 : position + 2] == "=" or inside[position - 1] in "=!<>"


FAMILY = Template("field", 2.4, "Another value or another format in a formatted string.", (values, shapes))
