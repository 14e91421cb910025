"""How fields of formatted strings are shown. What they show is an expression like any other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once

_CLOSED = re.compile(r"[\s)]*")
_GROUPED, _UNGROUPED = re.compile(r"\d*,(\.\d+)?[fd]?"), re.compile(r"(\.\d+f|d|f)")
_SPEC = re.compile(r"\.(\d)([fge%])$|^0?(\d+)(d?)$")


@on(1, ast.JoinedStr)
def shapes(view: View, place: Place) -> Iterator[Edit]:
    """How many digits a field shows."""
    node = place.node
    assert isinstance(node, ast.JoinedStr)
    for end in _ends(view, node):
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
        if view.source.startswith("!", end):
            yield view.splice(end, end + 2, "", "field/shape", 3.0, "Show the value plainly.", line)
        if not view.source.startswith(":", end):
            continue
        spec = view.source[end + 1 : view.source.find("}", end)]
        found = _SPEC.search(spec)
        if spec.startswith(("<", ">", "^")):
            for sign in "<>^".replace(spec[0], ""):
                yield _field(view, end + 1, end + 2, sign, 2.6, line)
        elif spec.startswith("{") or spec[:1] in tuple("123456789"):
            yield _field(view, end + 1, end + 1, "0", 2.8, line)
        if _GROUPED.fullmatch(spec):
            at = end + 1 + spec.index(",")
            yield view.splice(at, at + 1, "", "field/shape", 2.8, "Show its digits without commas.", line)
        elif _UNGROUPED.fullmatch(spec):
            yield _field(view, end + 1, end + 1, ",", 2.8, line)
        if found is not None and "{" not in spec:
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
    return Edit(view.site.path, start, end, text, "field/shape", 1, cost, 0.0, sentence, line)


@once
def _ends(view: View, node: ast.JoinedStr) -> list[int]:
    """Behind the expressions of its fields; only of those that are found without doubt."""
    found = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue) and view.site.stands(part.value):
            closed = _CLOSED.match(view.source, view.span(part.value)[1])
            assert closed is not None
            found.append(closed.end())
    return found


FAMILY = Template("field", 2.4, "Another format in a formatted string.", (shapes,))
