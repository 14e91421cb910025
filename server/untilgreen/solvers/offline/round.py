"""One base: where to look there, what to try, and what to make of what was found."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from untilgreen.model import Confidence, Patch, Suspect
from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.beyond import beyond_search, newer_files
from untilgreen.solvers.offline.checking import Checked, Checker
from untilgreen.solvers.offline.comparing import Compared, compare
from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.gathering import Gathering, gather
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.knowledge import Knowledge, by_signature
from untilgreen.solvers.offline.localise import Localisation, localise, place
from untilgreen.solvers.offline.mending import broken_site, mendings
from untilgreen.solvers.offline.queue import Option, Queue, Scene
from untilgreen.solvers.offline.rank import Plausible, confidence_of, rank, varied
from untilgreen.solvers.offline.scenes import Scenes, find_scenes, penalty
from untilgreen.solvers.offline.search import Search
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.offline.templates import edits
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.offline.unused import made_idle, orphaned
from untilgreen.solvers.offline.winners import bits
from untilgreen.solvers.offline.words import call
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.trace import Trace

MOST_CHECKED = 12
STEPS = frozenset({"off-by-one", "update", "loop", "comparison"})
STEP_BITS = 2.0
FEWEST_REMOVED = 3
MOST_RIVALS = 2
MOST_SUSPECTS = 20
MOST_FILES = 200
MOST_OBSERVED = 12


@dataclass(frozen=True, slots=True)
class Choice:
    """What this base leads to, tried in earnest."""

    plausible: Plausible
    checked: Checked
    confidence: Confidence
    rivals: tuple[Plausible, ...] = ()
    difference: str = ""


class Found:
    """Changes with which the tests pass, as the fast way says: each is tried in earnest when it is wanted."""

    def __init__(self, checker: Checker, options: list[Option], compared: Compared) -> None:
        self._checker = checker
        self._options = options
        self._compared = compared
        self._ranked = rank(compared.found)
        self._waiting = iter(varied(self._ranked)[:MOST_CHECKED])
        self._offered = 0

    async def next(self) -> Choice | None:
        """The likeliest that is left; none when no more of these should be offered."""
        if self._offered > MOST_RIVALS:
            return None
        for one in self._waiting:
            checked = await self._checker.check(one.patch, self._options[one.n].scene.covering)
            if checked.whole:
                self._offered += 1
                confidence, rivals = confidence_of(one, self._ranked)
                difference = self._compared.difference(one, rivals)
                return Choice(one, checked, confidence, rivals[:MOST_RIVALS], difference)
        return None


class Round:
    """A search on one base for some failing tests."""

    def __init__(
        self,
        bench: Workbench,
        tree: Tree,
        failing: tuple[str, ...],
        known: Knowledge,
        allowance: Allowance,
        traced: Trace | None = None,
    ) -> None:
        self._bench = bench
        self._traced = traced
        """What is known of the same base already."""
        self.tree = tree
        self.failing = failing
        self.known = known
        self._allowance = allowance
        self._checker = Checker(bench, failing, known, len(known.seconds))
        self.place: Localisation
        self.beyond = ""
        """What only a model can do here."""
        self.unreadable: tuple[str, ...] = ()
        """Files in which nothing can be tried, as only a newer Python reads them."""
        self._search: Search
        self._found: Found | None = None
        """What the last look found, as far as it was not asked for yet."""
        self.scenes: Scenes

    async def begin(self) -> None:
        if self._traced is not None and self._traced.tests.keys() >= set(self.failing):
            self.place = place([self._traced], self.tree, self.failing, self.known)
        else:
            self.place = await localise(self._bench, self.tree, self.failing, self.known)
        await asyncio.to_thread(self._prepare)

    def _prepare(self) -> None:
        facts = gather(self.place, self.tree, self.failing, self.known)
        scenes = find_scenes(self.place, self.tree, self.failing, self.known, facts.mentioned.names)
        self.beyond = beyond_search(self.place, self.tree, self.failing, self.known)
        self.unreadable = newer_files(self.place, self.tree, self.known)
        texts = {path: text for path in self.tree.sources()[:MOST_FILES] if (text := self.tree.text(path))}
        broken = self._broken_files()
        generate = _Generator(facts, Ingredients(texts), broken)
        # Of tests that do not end some are traced; the runner asks all of them in the end.
        untraced = frozenset(self.known.hanging).difference(self.place.trace.tests)
        needed = frozenset(self.failing).difference(self.known.waiting, untraced)

        known: dict[tuple[str, str, int], float | None] = {}

        def against(scene: Scene, edit: Edit) -> float | None:
            where = (edit.path, scene.site.name, edit.line)
            if where not in known:
                known[where] = penalty(self.place, scenes, scene, edit)
            bits = known[where]
            # What does not end lacks a step, or takes it in the wrong place.
            steps = self._checker.hangs and edit.template.partition("/")[0] in STEPS
            return bits - STEP_BITS if bits is not None and steps else bits

        live = Queue(scenes.live, generate, against)
        unreadable = [
            Scene(broken_site(path, self.tree.text(path) or ""), self.failing, self.known.passing)
            for path in broken
        ]
        disk = Queue((*scenes.at_import, *unreadable), generate, against)
        groups = by_signature(sorted(needed), self.known)
        self._search = Search(
            self._bench, self.tree, live, disk, self._checker, self._allowance, needed, groups
        )
        self.scenes = scenes

    def _broken_files(self) -> dict[str, int]:
        """Files that cannot be parsed, named by a traceback, with the line where it stops."""
        found: dict[str, int] = {}
        for test in self.failing:
            for frame in self.known.frames(test)[-1:]:
                if frame.path in self.unreadable:
                    continue
                if frame.path is not None and self.tree.may_change(frame.path):
                    text = self.tree.text(frame.path)
                    if text is not None and parse(text) is None:
                        found[frame.path] = frame.line
        return found

    async def next(self) -> Choice | None:
        """The next change with which all tests pass, the best first; none when nothing is left."""
        while True:
            # What the fast way believed, the real runner may refute.
            if self._found is not None and (choice := await self._found.next()) is not None:
                return choice
            await self._search.look()
            options = self._search.take_plausible()
            if not options:
                return None
            self._found = await self._ranked(options)

    async def others(self) -> AsyncIterator[Choice]:
        """What was found beside the last one; nothing more is looked for."""
        while self._found is not None and (choice := await self._found.next()) is not None:
            yield choice

    @property
    def has_one_place(self) -> bool:
        """Whether all failing tests reach one function."""
        return any(set(self.failing) <= set(scene.target) for scene in self.scenes.live)

    def avoid(self, broken: tuple[str, ...]) -> None:
        """A proposal broke these; later ones are asked about them, too."""
        self._search.must_pass = tuple(dict.fromkeys((*self._search.must_pass, *broken)))

    async def best_part(self) -> tuple[Option, Checked] | None:
        """The change that helps most of the tests and breaks none."""
        near = [option for _, _, _, option in sorted(self._search.near)[:MOST_CHECKED]]
        options = [*sorted(self._search.partial, key=bits)[:MOST_CHECKED], *near]
        found: list[tuple[Option, Checked]] = []
        for option in options[:MOST_CHECKED]:
            checked = await self._checker.check(self._search.patch_of(option), option.scene.covering)
            if checked.passed and not checked.broken:
                found.append((option, checked))
        return max(found, key=lambda one: (len(one[1].passed), -bits(one[0])), default=None)

    def patch_of(self, option: Option) -> Patch:
        return self._search.patch_of(option)

    def near_misses(self) -> tuple[Patch, ...]:
        return tuple(self._search.patch_of(option) for _, _, _, option in sorted(self._search.near)[:3])

    async def _ranked(self, options: list[Option]) -> Found:
        options = sorted(options, key=bits)
        found = [_plausible(n, option, self._search.patch_of(option)) for n, option in enumerate(options)]
        compared = await compare(self._bench, self.tree, options, found)
        return Found(self._checker, options, compared)

    def suspects(self) -> tuple[Suspect, ...]:
        scores = sorted(self.place.spectrum.scores.items(), key=lambda one: (-one[1], one[0]))
        names = {
            (scene.site.path, line): scene.site.name
            for scene in self.scenes.live
            for line in range(scene.site.first_line, scene.site.last_line + 1)
        }
        return tuple(
            Suspect(path, line, names.get((path, line), ""), round(score, 3))
            for (path, line), score in scores[:MOST_SUSPECTS]
        )

    def observed(self) -> tuple[str, ...]:
        """Calls that failing tests made, in sentences."""
        wanted = {f"{scene.site.path}:{scene.site.name}" for scene in self.scenes.live[:5]}
        seen = [one for one in self.place.observations if one.function in wanted and one.test in self.failing]
        return tuple(call(one) for one in seen[:MOST_OBSERVED])


class _Generator:
    """Makes the edits of a scene, with the facts of its function."""

    def __init__(self, facts: Gathering, ingredients: Ingredients, broken: dict[str, int]) -> None:
        self._facts = facts
        self._ingredients = ingredients
        self._broken = broken
        self._known: dict[tuple[str, str], Facts] = {}

    def __call__(self, scene: Scene, tier: int) -> Iterable[Edit]:
        site = scene.site
        if site.path in self._broken:
            return mendings(site.path, site.text, self._broken[site.path]) if tier == 1 else ()
        key = (site.path, site.name)
        if key not in self._known:
            self._known[key] = self._facts.facts(*key, site.first_line, site.last_line, site.node)
        return edits(site, self._known[key], self._ingredients, tier)


def _words(text: str) -> list[str]:
    """Names, numbers and signs; how long a name is says nothing."""
    return re.findall(r"\w+|[^\w\s]", text)


def _signs(text: str) -> int:
    """How many characters are more than layout."""
    return len("".join(text.split()))


def _removes(old: list[str], new: list[str]) -> bool:
    """Whether nothing but several words are missing; a sign or `+ 1` too many is a slip."""
    rest = iter(old)
    return len(old) - len(new) >= FEWEST_REMOVED and all(word in rest for word in new)


def _copies(text: str) -> tuple[str, ...]:
    return (f"{text}.copy()", f"{text}[:]", *(f"{kind}({text})" for kind in ("list", "dict")))


def _plausible(n: int, option: Option, patch: Patch) -> Plausible:
    edit, site = option.edit, option.scene.site
    old, new = _words(site.text[edit.start : edit.end]), _words(edit.text)
    return Plausible(
        n,
        patch,
        site.path,
        site.name,
        edit.sentence,
        cost=edit.cost,
        risk=edit.risk,
        size=abs(_signs(edit.text) - _signs(site.text[edit.start : edit.end])),
        growth=len(new) - len(old),
        removes=_removes(old, new),
        penalty=option.order - edit.cost,
        copies=edit.text in _copies(site.text[edit.start : edit.end]),
        template=edit.template,
        idle=made_idle(site.node, option.source) + orphaned(site.text, edit.start, edit.end, edit.text),
    )
