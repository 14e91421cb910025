"""Methods that should be called on a value: those that the file calls on the same or on others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.places import Place
from untilgreen.solvers.offline.pools import Pools, in_scope
from untilgreen.solvers.offline.precedence import ATOM
from untilgreen.solvers.offline.templates.template import Template, on
from untilgreen.solvers.offline.view import View, once, shown

_MANY = 24


@on(1, ast.Name, ast.Attribute)
def as_elsewhere(view: View, place: Place) -> Iterator[Edit]:
    """`self.queue` for `self.queue.popleft()`, which stands elsewhere."""
    if not _can_be_called_on(place):
        return
    names, stock = view.names(place), view.ingredients.of(view.site)
    own = view.text(place.node)
    for tail, needs in _tails(view).get(own, {}).items():
        if in_scope(needs, names, stock, Pools.of(view).locals):
            sentence = f"Call `{shown(tail)}`."
            yield view.replace(place, own + tail, ATOM, "method/known", 3.0, sentence)


@on(2, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
def as_on_others(view: View, place: Place) -> Iterator[Edit]:
    """Methods without arguments that the file calls on anything."""
    node = place.node
    if not _can_be_called_on(place):
        return
    own = view.part(node, ATOM)
    if isinstance(node, ast.Name) and node.id in ("self", "cls"):
        members = view.ingredients.of(view.site).members(view.site.name.rpartition(".")[0])
        found = [
            f".{name}()" for name, is_method in members.items() if is_method and not name.startswith("__")
        ]
        found += [f".{name}" for name, is_method in members.items() if not is_method]
    else:
        found = _plain(view)
    kind = view.kind(node)
    for tail in found[:_MANY]:
        if kinds.can_have(kind, tail[1:].removesuffix("()")):
            sentence = f"Call `{shown(tail)}`."
            yield view.replace(place, own + tail, ATOM, "method/other", 4.4, sentence, tier=2, risk=0.3)


def _can_be_called_on(place: Place) -> bool:
    if place.is_target or place.field in ("func", "decorator_list", "bases", "type", "exc", "cause"):
        return False
    return not isinstance(place.parent, ast.Attribute | ast.Starred)


@once
def _tails(view: View) -> dict[str, dict[str, frozenset[str]]]:
    """Calls of the file, by the text that they are called on."""
    found: dict[str, dict[str, frozenset[str]]] = {}
    for fragment in view.ingredients.of(view.site).expressions:
        node = fragment.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = view.ingredients.of(view.site).text(node.func.value)
            if fragment.text.startswith(f"{base}.") and fragment.size <= 8:
                found.setdefault(base, {})[fragment.text[len(base) :]] = fragment.needs
    return found


@once
def _plain(view: View) -> list[str]:
    found = [tail for tails in _tails(view).values() for tail in tails if tail.endswith("()")]
    return list(dict.fromkeys(tail for tail in found if tail.count(".") == 1))


FAMILY = Template(
    "method",
    3.0,
    "A method called on a value, as it is elsewhere in the file.",
    (as_elsewhere, as_on_others),
)
