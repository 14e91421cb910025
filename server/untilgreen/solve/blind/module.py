"""A test module rewritten: the tests that are asked for under random names, among opposites. Pure."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from untilgreen.solve.blind.another import ALMOST, EXACT, FAR, OUTSIDE, WAYS, another
from untilgreen.solve.blind.canaries import make_canary
from untilgreen.solve.blind.disguise import SAME, disguise, wrap_some
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.opposites import (
    BEYOND,
    CHANGED,
    EXACTLY,
    FARTHER,
    HELD,
    ROUGHLY,
    STRANGER,
    UNHEARD,
    UNRELATED,
    Change,
)
from untilgreen.solve.blind.outline import Outline, TestId, depends_on_its_name, mentioned, parse_id
from untilgreen.solve.blind.prelude import behind_first_words, prelude
from untilgreen.solve.blind.sibling import REACHED, Sibling, call_other, make_sibling
from untilgreen.solve.blind.sites import Function, Helpers, Site, sites_in
from untilgreen.solve.blind.table import Question
from untilgreen.solve.parsing import parsed
from untilgreen.trees import tree_of

Owner = ast.Module | ast.ClassDef
_ASKED = {EXACTLY: EXACT, ROUGHLY: ALMOST, FARTHER: FAR, BEYOND: OUTSIDE}
MOST_PARAMETERS = 6
"""Sets of parameters with which one opposite is asked."""


@dataclass(frozen=True, slots=True)
class Amount:
    """How much is asked about each test."""

    copies: int = 1
    siblings: int = 3


BESIDE = Amount(1, 1)
"""For tests that passed before."""


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A part of a blind run."""

    files: tuple[tuple[str, bytes], ...]
    table: tuple[Question, ...]
    unasked: tuple[str, ...] = ()
    """Tests about which nothing can be asked that must fail."""


@dataclass(slots=True)
class _Group:
    """One definition of a test, and the ids that it stands for."""

    function: Function
    owner: Owner
    tests: list[TestId]
    amount: Amount = BESIDE


def rewrite_module(
    path: str, source: bytes, amounts: Mapping[str, Amount], chance: random.Random
) -> Rewritten | None:
    """`amounts` says how much about which test. None when nothing in the file can be asked about; the same
    chance rewrites the same text alike."""
    tree = parsed(source)
    if tree is None:
        return None
    try:
        return _Rewriting(path, tree, chance).done(amounts)
    except (SyntaxError, ValueError, RecursionError):
        # It cannot be written down again.
        return None


class _Rewriting:
    def __init__(self, path: str, tree: ast.Module, chance: random.Random) -> None:
        self._path = path
        self._tree = tree
        self._chance = chance
        self._names = Names(chance)
        self._outline = Outline(tree)
        self._mentioned = mentioned(tree)
        own = (CHANGED, STRANGER, UNRELATED, UNHEARD, REACHED, SAME, HELD)
        self._private = {name: self._names.private() for name in own}
        self._order = 0
        self._table: list[Question] = []

    def done(self, amounts: Mapping[str, Amount]) -> Rewritten | None:
        if self._outline.names_matter:
            return None
        groups, unasked = self._groups(amounts)
        for group in groups:
            self._order += 2
            made = list(self._made(group))
            if not made:
                unasked += [str(test) for test in group.tests]
                continue
            self._chance.shuffle(made)
            self._replace(group, made)
        if not self._table:
            return None
        self._canaries([group for group in groups if str(group.tests[0]) not in unasked])
        begin = prelude(self._names, self._chance)
        self._rename(begin)
        at = behind_first_words(self._tree)
        self._tree.body[at:at] = begin.body
        text = ast.unparse(ast.fix_missing_locations(self._tree))
        tree_of(text)
        return Rewritten(((self._path, text.encode()),), tuple(self._table), tuple(unasked))

    def _groups(self, amounts: Mapping[str, Amount]) -> tuple[list[_Group], list[str]]:
        groups: dict[int, _Group] = {}
        unasked: list[str] = []
        for test_id, amount in amounts.items():
            test = parse_id(test_id)
            found = self._outline.find(test)
            if found is None or depends_on_its_name(found[0]):
                unasked.append(test_id)
            else:
                group = groups.setdefault(id(found[0]), _Group(*found, []))
                group.tests.append(test)
                group.amount = max(group.amount, amount, key=lambda one: one.copies + one.siblings)
        return sorted(groups.values(), key=lambda group: group.function.lineno), unasked

    def _made(self, group: _Group) -> Iterator[list[Function]]:
        """Real copies and siblings, each with its helpers; nothing when there can be no sibling."""
        siblings = self._siblings(group)
        if not siblings:
            return
        for n in range(group.amount.copies):
            functions = self._real(group, whole=n == 0)
            functions[-1].name = self._names.test(group.function.name, self._order)
            yield functions
            self._ask(group.tests, functions[-1].name, passes=True)
        for sibling in siblings:
            sibling.function.name = self._names.test(group.function.name, self._order)
            disguise(sibling.function, self._chance)
            n = min(MOST_PARAMETERS, len(group.tests))
            self._ask(
                self._chance.sample(group.tests, n),
                sibling.function.name,
                passes=False,
                kind=sibling.change.type,
            )
            if sibling.helper is not None and not sibling.in_class:
                self._tree.body.append(sibling.helper)
            yield [*([sibling.helper] if sibling.helper and sibling.in_class else []), sibling.function]

    def _real(self, group: _Group, *, whole: bool) -> list[Function]:
        """A copy, behind the methods that it needs.

        It is written in other words, calls copies of its helpers, and but for the first one may end after any
        expectation: all of that as its opposites do.
        """
        made, helpers = copy.deepcopy(group.function), self._outline.helpers(group.owner)
        sites = [site for site in sites_in(made, helpers) if len(site.trail) == 1]
        last = len(made.body) if whole or not sites else self._chance.choice(sites).trail[0][1]
        needed: list[Function] = []
        for site in sites:
            if site.helper and site.trail[0][1] <= last:
                method = site.helper.startswith("self.")
                known = helpers.methods if method else helpers.functions
                other = copy.deepcopy(known[site.helper.removeprefix("self.")])
                other.name = self._names.private()
                call_other(made, site, other.name)
                disguise(other, self._chance)
                (needed if method else self._tree.body).append(other)
        del made.body[last + 1 :]
        wrap_some(made, self._chance)
        disguise(made, self._chance)
        self._rename(made)
        return [*needed, made]

    def _ask(self, tests: list[TestId], name: str, *, passes: bool, kind: str = "") -> None:
        for test in tests:
            new = TestId(self._path, test.classes, name, test.parameters)
            self._table.append(Question(str(new), str(test), passes, kind))

    def _siblings(self, group: _Group) -> list[Sibling]:
        helpers = self._outline.helpers(group.owner)
        choices = list(_choices(group.function, helpers))
        self._chance.shuffle(choices)
        # One of each kind first; then whatever chance brings.
        first = {change.kind: n for n, (_, change, _) in reversed(list(enumerate(choices)))}
        chosen = [*first.values(), *(n for n in range(len(choices)) if n not in first.values())]
        siblings = []
        # A test with few expectations is asked about the same one again, under another name.
        for n in (chosen * group.amount.siblings)[: group.amount.siblings]:
            site, change, helper = choices[n]
            sibling = make_sibling(group.function, site, change, helper, self._names.private())
            for made in (sibling.function, sibling.helper):
                if made is not None:
                    self._rename(made)
            siblings.append(sibling)
        return siblings

    def _replace(self, group: _Group, made: list[list[Function]]) -> None:
        body = group.owner.body
        at = next(n for n, node in enumerate(body) if node is group.function)
        kept = [group.function] if group.function.name in self._mentioned else []
        body[at : at + 1] = [*kept, *(function for functions in made for function in functions)]

    def _canaries(self, groups: list[_Group]) -> None:
        """At both ends of what is asked, and somewhere in between."""
        groups = [group for group in groups if _takes_canaries(group.owner)]
        if not groups or not self._outline.takes_canaries:
            return
        places = [(groups[0], 0), (groups[-1], self._order + 3)]
        places += [(self._chance.choice(groups), 1 + 2 * self._chance.randrange(1, 1 + self._order // 2))]
        kinds = [True, False, *(self._chance.random() < 0.5 for _ in places[2:])]
        for n, (group, order) in enumerate((*places, *places[:2])):
            passes = kinds[n] if n < len(places) else not kinds[n - len(places)]
            self._add_canary(group, order, passes=passes, last=n == 1)

    def _add_canary(self, group: _Group, order: int, *, passes: bool, last: bool) -> None:
        canary = make_canary(self._names, self._chance, order, passes=passes)
        function = canary.function
        function.name = self._names.test(group.function.name, order)
        classes = group.tests[0].classes
        if classes:
            function.args.args.insert(0, ast.arg(arg="self"))
        body = group.owner.body
        mine = [n for n, node in enumerate(body) if isinstance(node, Function)]
        at = mine[-1] + 1 if last or not mine else self._chance.choice(mine)
        body.insert(at, function)
        new = TestId(self._path, classes, function.name, "")
        self._table.append(Question(str(new), "", passes, "" if passes else "AssertionError", canary.message))

    def _rename(self, tree: ast.AST) -> None:
        """Give our own names their random ones, and write down another value where that can be done."""
        for node in ast.walk(tree):
            for name, value in ast.iter_fields(node):
                if isinstance(value, ast.Call):
                    setattr(node, name, self._another(value))
                elif isinstance(value, list):
                    value[:] = [self._another(one) if isinstance(one, ast.Call) else one for one in value]
        for node in ast.walk(tree):
            match node:
                case ast.Name() if node.id in self._private:
                    node.id = self._private[node.id]
                case ast.ClassDef() | ast.FunctionDef() if node.name in self._private:
                    node.name = self._private[node.name]
                case ast.Constant(value=str(text)) if text in self._private:
                    node.value = self._private[text]

    def _another(self, call: ast.Call) -> ast.expr:
        """A call that makes another value; of what is known already the value itself, now and then."""
        match call:
            case ast.Call(func=ast.Name(id=name), args=[value, *within]) if name in _ASKED:
                n = 4 * self._chance.randrange(WAYS // 4) + _ASKED[name]
                if name == EXACTLY and self._chance.random() < 0.5 and (known := _written(value, n)):
                    return known
                changed = ast.Name(id=CHANGED, ctx=ast.Load())
                return ast.Call(func=changed, args=[value, ast.Constant(value=n), *within], keywords=[])
        return call


def _written(node: ast.expr, n: int) -> ast.expr | None:
    """What is near a literal, as a literal; None when it cannot be one."""
    try:
        text = repr(another(ast.literal_eval(node), n, object))
        ast.literal_eval(text)
        return tree_of(text, "eval").body
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _takes_canaries(owner: Owner) -> bool:
    decorators = owner.decorator_list if isinstance(owner, ast.ClassDef) else []
    return not any("parametrize" in ast.dump(decorator) for decorator in decorators)


def _choices(
    function: Function, helpers: Helpers
) -> Iterator[tuple[Site, Change, tuple[Function, Site] | None]]:
    for site in sites_in(function, helpers):
        for change in site.changes:
            yield site, change, None
        if site.helper:
            name = site.helper.removeprefix("self.")
            known = helpers.methods if site.helper.startswith("self.") else helpers.functions
            for inner in sites_in(known[name]):
                for change in inner.changes:
                    yield site, change, (known[name], inner)
