"""Tries options batch after batch, and remembers those with which tests pass."""

from __future__ import annotations

import asyncio
import dataclasses
import heapq
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from untilgreen.model import Patch
from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.checking import Checker
from untilgreen.solvers.offline.knowledge import HANGING_SECONDS
from untilgreen.solvers.offline.queue import Option, Queue
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.offline.winners import Winners, bits
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.evaluation import Candidate, Evaluation, EvaluationRequest, Tried

FIRST_BATCH, LARGEST_BATCH = 64, 512
BATCH_SECONDS = 2.0
TEST_SECONDS = 0.1
"""For one test; less where most candidates will not end."""
LONGER = 5.0
"""How much longer a candidate may take that ran out of time after some tests had passed."""
SECOND_LANE_AFTER, SECOND_LANE_WALL = 2.5, 12.0
"""CPU seconds of candidates, or seconds by the clock, after which another box is worth opening."""
DISK_SHARE, HANGING_DISK_SHARE = 0.3, 0.1
"""Of the time, for candidates that can only be tried with the real runner while others can be tried fast;
less where most of them take all the time that they are given."""
DISK_AFTER = 0.5
"""CPU seconds of the fast way before that."""
LIKELIER, MOST_DISK_RIVALS = 0.5, 10
"""When something is found: bits by which what only the runner can try must be likelier, and how many."""
MOST_PASSING = 150
SLOW_TIMES = 8.0
"""How much longer than a slow test a batch takes that asks it."""
PATIENCE, LITTLE_PATIENCE = 2.0, 1.0
"""Bits that other options are looked at before a change is taken that helps only some tests; fewer when
no single place is reached by all of them."""
NO_TIME, NOT_ASKED = "there was no time to ask it", "there was no time for the tests that pass"
LEAST_SECONDS = 0.4
"""With less a batch learns of its tests only."""
MOST_FRUITLESS = 3
"""So often the fast way may fail to answer before it is given up."""


@dataclass(frozen=True, slots=True)
class Tries:
    """What became of one batch."""

    options: tuple[Option, ...]
    evaluation: Evaluation
    slow: bool
    """It was given more time than at first."""
    hasty: bool = False
    """Not all tests were asked that pass without these."""


class Search:
    """One search on one base. `look` may be called again to go on."""

    def __init__(
        self,
        bench: Workbench,
        tree: Tree,
        queue: Queue,
        disk: Queue,
        checker: Checker,
        allowance: Allowance,
        needed: frozenset[str],
        groups: tuple[tuple[str, ...], ...] = (),
    ) -> None:
        self._bench = bench
        self._tree = tree
        self._queue = queue
        self._disk = disk
        self._checker = checker
        self._allowance = allowance
        self._needed = needed
        self._one_place = queue.reaches(needed)
        self._groups = groups
        self.must_pass: tuple[str, ...] = ()
        """Passing tests that a proposal broke although no trace told of them."""
        self._winners = Winners(allowance)
        """With these every test that should turn green passes, says the fast way or the runner."""
        self.partial: list[Option] = []
        """With these all tests that reach the place pass, but there are others."""
        self.near: list[tuple[int, float, int, Option]] = []
        """How many tests passed, negative; the order; a number; the option."""
        self._count = itertools.count()
        self._size = FIRST_BATCH
        self._unaskable: set[str] = set()
        self._unfit: set[tuple[str, str]] = set()
        self._slow: list[Option] = []
        self._hasty: list[Option] = []
        """They turn tests green, and there was no time to see whether they break others."""
        self._fruitless = 0
        """How often nothing at all was tried, one time after the other."""
        self._on_disk_seconds = 0.0
        self._disk_rivals = 0

    def patch_of(self, option: Option) -> Patch:
        edit, site = option.edit, option.scene.site
        return self._tree.patched(site.path, site.text[: edit.start] + edit.text + site.text[edit.end :])

    def take_plausible(self) -> list[Option]:
        """What was found since the last time."""
        return self._winners.take()

    async def look(self) -> None:
        """Until enough is found, nothing is left, or the time is over."""
        # Edits are made in a thread, as they take time; all else that touches the queues happens in between.
        flying: set[asyncio.Task[Tries]] = set()
        try:
            while not await asyncio.to_thread(self._enough):
                while len(flying) < self._lanes() and (options := await asyncio.to_thread(self._next)):
                    flying.add(asyncio.ensure_future(self._try(options)))
                if not flying and not await self._retry_slow() and not await self._on_disk(alone=True):
                    return
                if flying:
                    done, flying = await asyncio.wait(flying, return_when=asyncio.FIRST_COMPLETED)
                    for task in done:
                        self._learn(task.result())
                    await self._ask_hasty()
                    await self._on_disk(alone=False)
        except BaseException:
            for task in flying:
                task.cancel()
            raise
        finally:
            await asyncio.gather(*flying, return_exceptions=True)

    def _next(self) -> tuple[Option, ...]:
        """The next batch for the fast way; what cannot go there is handed over."""
        while options := self._queue.batch(self._size, within=self._winners.within):
            fit = []
            for option in options:
                site = option.scene.site
                asked = tuple(test for test in option.target if test not in self._unaskable)
                if (site.path, site.name) in self._unfit or not asked or self._fruitless >= MOST_FRUITLESS:
                    self._disk.push(option)
                else:
                    fit.append(option)
            if fit:
                self._size = min(2 * self._size, LARGEST_BATCH)
                return tuple(fit)
        return ()

    async def _try(self, options: tuple[Option, ...], *, slow: bool = False, thorough: bool = False) -> Tries:
        self._allowance.tell(options[0].scene.site.name)
        askable = [test for test in options[0].target if test not in self._unaskable]
        target, slowest = self._checker.known.deciding(askable)
        covering = self._covering(options)
        most = BATCH_SECONDS if thorough else max(LEAST_SECONDS, min(BATCH_SECONDS, self._winners.seconds))
        evaluation = await self._bench.evaluate(
            EvaluationRequest(
                tuple(_candidate(option) for option in options),
                target,
                covering,
                seconds=max(0.1, min(max(most, SLOW_TIMES * slowest), self._allowance.left)),
                test_seconds=(HANGING_SECONDS if self._checker.hangs else TEST_SECONDS)
                * (LONGER if slow else 1),
                slowest_seconds=slowest,
            ),
            self._tree.base,
        )
        unasked = {problem.partition(": ")[0] for problem in evaluation.problems if problem.endswith(NO_TIME)}
        return Tries(options, evaluation, slow, not thorough and not unasked.isdisjoint(covering))

    def _learn(self, tries: Tries) -> None:
        evaluation = tries.evaluation
        self._allowance.cpu_seconds += evaluation.cpu_seconds
        for problem in evaluation.problems:
            test, _, why = problem.partition(": ")
            if why != NO_TIME:
                self._unaskable.add(test)
        untried = sum(tried.how == "untried" for tried in evaluation.tried)
        if untried:
            self._size = max(FIRST_BATCH, 2 * (len(evaluation.tried) - untried))
        fruitless = untried == len(evaluation.tried)
        self._fruitless = self._fruitless + 1 if fruitless else 0
        for option, tried in zip(tries.options, evaluation.tried, strict=False):
            if tried.how == "plausible" and (tries.hasty or tried.detail == NOT_ASKED):
                self._hasty.append(option)
            else:
                self._take(option, tried, slow=tries.slow)

    def _covering(self, options: Sequence[Option]) -> tuple[str, ...]:
        """Passing tests that reach any of the places."""
        reaching = (test for option in options for test in option.scene.covering)
        found = dict.fromkeys((*self.must_pass, *reaching))
        return tuple(test for test in found if test not in self._unaskable)[:MOST_PASSING]

    def _take(self, option: Option, tried: Tried, *, slow: bool) -> None:
        site = option.scene.site
        if tried.how == "untried":
            self._queue.push(option)
        elif tried.how == "unfit":
            self._unfit.add((site.path, site.name))
            self._disk.push(option)
        elif tried.how in ("duplicate", "invalid"):
            pass
        else:
            self._allowance.candidates += 1
            if tried.how == "plausible":
                self._found(option)
            elif tried.how == "timeout" and not slow:
                self._slow.append(option)
            if tried.passed and tried.how != "plausible":
                self._allowance.near_misses += 1
                heapq.heappush(self.near, (-tried.passed, option.order, next(self._count), option))
            elif tried.how == "failed":
                self._ask_another_group(option)

    def _found(self, option: Option) -> None:
        if self._unaskable & set(option.target):
            # It passed what could be asked; the runner has to say the rest.
            self._disk.push(option)
        else:
            self._keep(option)

    def _keep(self, option: Option) -> None:
        if not self._needed <= set(option.target):
            self.partial.append(option)
            return
        self._winners.add(option)

    def _ask_another_group(self, option: Option) -> None:
        """The first test that was asked did not pass; perhaps it fails for another reason than the others."""
        if option.target != option.scene.target:
            return
        asked = [group for group in self._groups if set(group) & set(option.target)]
        for more, group in enumerate(asked[1:3]):
            target = tuple(test for test in group if test in option.target)
            self._queue.push(Option(option.order + 3.0 + more, option.scene, option.edit, target))

    async def _ask_hasty(self) -> None:
        """Once more, with time for the tests that pass; if there is none again, the runner will tell."""
        hasty, self._hasty = sorted(self._hasty, key=lambda option: option.order), []
        for same in self._askable(hasty):
            tries = await self._try(same, thorough=True)
            settled = tuple(dataclasses.replace(tried, detail="") for tried in tries.evaluation.tried)
            self._learn(
                dataclasses.replace(tries, evaluation=dataclasses.replace(tries.evaluation, tried=settled))
            )

    async def _retry_slow(self) -> bool:
        """Those that ran out of time get more of it, the likeliest first."""
        slow, self._slow = sorted(self._slow, key=lambda option: option.order)[:40], []
        for same in self._askable(slow):
            self._learn(await self._try(same, slow=True))
        return bool(slow)

    def _askable(self, options: Iterable[Option]) -> Iterator[tuple[Option, ...]]:
        """Those that ask the same tests together; what the fast way can ask no test about is handed over."""
        for target, same in itertools.groupby(options, key=lambda option: option.target):
            if self._unaskable.issuperset(target):
                for option in same:
                    self._disk.push(option)
            else:
                yield tuple(same)

    async def _on_disk(self, *, alone: bool) -> bool:
        """Candidates that only the real runner can try; beside others only for a share of the time."""
        tried = False
        while not self._enough() and not self._allowance.over:
            if not alone and not self._disk_is_due():
                break
            options = await asyncio.to_thread(self._disk.batch, 2, 2)
            if not options:
                break
            tried = True
            begun = self._allowance.elapsed
            self._allowance.tell(options[0].scene.site.name or options[0].scene.site.path)
            fixed = await asyncio.gather(
                *(self._checker.fixes(self.patch_of(option), option.target) for option in options)
            )
            self._allowance.candidates += len(options)
            self._disk_rivals += len(options) if self._winners else 0
            self._on_disk_seconds += self._allowance.elapsed - begun
            for option, good in zip(options, fixed, strict=True):
                if good:
                    self._keep(option)
        return tried

    def _disk_is_due(self) -> bool:
        """Beside the fast way: not for rivals, not at once, and not for unlikely candidates."""
        if self._winners:
            # Unless there is something likelier than what was found, and it does not hang.
            few = self._disk_rivals < MOST_DISK_RIVALS and not self._checker.hangs
            return few and not self._disk.nothing_within(self._winners.best - LIKELIER)
        if self._allowance.cpu_seconds < DISK_AFTER:
            return False
        share = self._on_disk_seconds / max(self._allowance.elapsed, 0.1)
        most = HANGING_DISK_SHARE if self._checker.hangs else DISK_SHARE
        return share <= most and not self._disk.nothing_within(self._queue.next_order + 2.0)

    def _enough(self) -> bool:
        if self._allowance.over or self._winners.are_enough:
            return True
        if self._winners:
            return self._queue.nothing_within(self._winners.within)
        if self.partial:
            patience = PATIENCE if self._one_place else LITTLE_PATIENCE
            limit = min(map(bits, self.partial)) + patience
            return self._queue.nothing_within(limit) and self._disk.nothing_within(limit)
        return False

    def _lanes(self) -> int:
        """Another box, and another process that waits in it, cost more than most searches."""
        long = self._allowance.cpu_seconds > SECOND_LANE_AFTER or self._allowance.elapsed > SECOND_LANE_WALL
        return 2 if long and not self._winners else 1


def _candidate(option: Option) -> Candidate:
    site = option.scene.site
    return Candidate(site.path, site.name, site.first_line, option.source)
