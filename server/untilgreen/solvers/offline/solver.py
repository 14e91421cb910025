"""Repairs code without any model: looks where the failing tests lead, and tries small changes there."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing

from untilgreen.model import Clues, Proposal
from untilgreen.solvers.offline.allowance import Allowance
from untilgreen.solvers.offline.beyond import written_for_newer
from untilgreen.solvers.offline.causes import causes
from untilgreen.solvers.offline.knowledge import find_out
from untilgreen.solvers.offline.queue import Option
from untilgreen.solvers.offline.round import Choice, Round
from untilgreen.solvers.offline.state import State
from untilgreen.solvers.offline.tree import Tree
from untilgreen.solvers.offline.words import composed, hypothesis
from untilgreen.solvers.solver import Task, Workbench
from untilgreen_sandbox.trace import Trace

TOGETHER = 3
"""The share of the time, one of so many parts, for one change that mends tests of several groups."""
MOST_ROUNDS = 6
"""Changes that one proposal may be made of."""
NOTHING_FOUND = "no small change that makes the tests pass was found"


class OfflineSolver:
    """A solver that needs nothing but the tests."""

    name = "offline"

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        # Who has some time left in the end can still tell what was found.
        allowance = Allowance(task.seconds - min(5.0, 0.1 * task.seconds), bench.say)
        try:
            async with aclosing(self._search(task, bench, allowance)) as found:
                async for proposal in found:
                    yield dataclasses.replace(proposal, spent=allowance.spent())
        finally:
            bench.settle(allowance.spent())

    async def _search(
        self, task: Task, bench: Workbench, allowance: Allowance
    ) -> AsyncGenerator[Proposal, None]:
        allowance.tell("what the failing tests execute")
        known = await find_out(task, bench)
        files = {test.split("::")[0] for test in (*task.failing, *known.passing, *known.cases)}
        state = State(Tree(task.snapshot, task.base, files), task.failing, known)
        round_ = await self._begin(bench, state, allowance)
        if not round_.beyond and (groups := _groups(round_, state)):
            if round_.has_one_place:
                # Most often there is one reason all the same.
                with allowance.for_one_of(TOGETHER):
                    choice = await round_.next()
                if choice is not None:
                    yield _proposal(choice, state.story)
            state = await self._one_by_one(bench, state, groups, allowance, round_.place.trace)
            if not state.failing:
                yield Proposal(
                    state.tree.base, composed(state.story), state.confidence, difference=state.difference
                )
            if state.story:
                round_ = await self._begin(bench, state, allowance)
        for _ in range(MOST_ROUNDS):
            if round_.beyond or not state.failing:
                break
            while (choice := await round_.next()) is not None:
                before = len(bench.attempts)
                yield _proposal(choice, state.story)
                for attempt in bench.attempts[before:]:
                    round_.avoid(attempt.broken)
            part = await round_.best_part()
            _leave(bench, round_, _verdict(allowance, round_.unreadable))
            if part is None:
                break
            option, checked = part
            state = state.after(round_.patch_of(option), checked, _told(option))
            if not state.failing:
                yield Proposal(state.tree.base, composed(state.story), "contested")
            if allowance.over or not state.failing:
                break
            round_ = await self._begin(bench, state, allowance)
        if state.story and state.failing:
            # Some tests pass now and none broke: that is worth telling.
            yield Proposal(state.tree.base, composed(state.story), "contested")

    async def _begin(self, bench: Workbench, state: State, allowance: Allowance) -> Round:
        round_ = Round(bench, state.tree, state.failing, state.known, allowance)
        await round_.begin()
        _leave(bench, round_, round_.beyond or f"{NOTHING_FOUND} yet")
        return round_

    async def _one_by_one(
        self,
        bench: Workbench,
        state: State,
        groups: tuple[tuple[str, ...], ...],
        allowance: Allowance,
        traced: Trace,
    ) -> State:
        """Tests that seem to fail for different reasons, each reason by itself."""
        base = state.tree
        for n, group in enumerate(groups):
            failing = tuple(test for test in group if test in state.failing)
            if not failing:
                continue
            with allowance.for_one_of(len(groups) - n + 1):
                known = traced if state.tree is base else None
                round_ = Round(bench, state.tree, failing, state.known, allowance, known)
                await round_.begin()
                choice = await round_.next() if not round_.beyond else None
            if choice is not None:
                found = [choice, *[other async for other in round_.others()]]
                choice = max(found, key=lambda one: _mended(one, state.failing))
                won = choice.plausible
                told = hypothesis(won.path, won.function, won.sentence)
                state = state.after(won.patch, choice.checked, told, choice.confidence, choice.difference)
        return state


def _mended(choice: Choice, failing: tuple[str, ...]) -> int:
    """How many failing tests pass with it, of all groups: one change that mends them all is worth more."""
    outcomes = choice.checked.report.outcomes()
    return sum(outcomes.get(test) == "passed" for test in failing)


def _groups(round_: Round, state: State) -> tuple[tuple[str, ...], ...]:
    """Empty when there is one reason only, as far as one can see, or tests that cannot be looked into."""
    known = state.known
    if known.hanging or known.waiting or not all("::" in test for test in state.failing):
        return ()
    groups = causes(state.failing, round_.scenes.live)
    return groups if len(groups) > 1 else ()


def _proposal(choice: Choice, story: tuple[str, ...]) -> Proposal:
    won = choice.plausible
    return Proposal(
        won.patch,
        composed((*story, hypothesis(won.path, won.function, won.sentence))),
        choice.confidence,
        rivals=tuple(rival.patch for rival in choice.rivals),
        difference=choice.difference,
    )


def _told(option: Option) -> str:
    return hypothesis(option.scene.site.path, option.scene.site.name, option.edit.sentence)


def _verdict(allowance: Allowance, unreadable: Sequence[str]) -> str:
    over = " in the time there was" if allowance.over else ""
    but = f"; {written_for_newer(unreadable)}" if unreadable else ""
    return f"{NOTHING_FOUND}{over} ({', '.join(allowance.counts())}){but}"


def _leave(bench: Workbench, round_: Round, verdict: str) -> None:
    bench.leave(Clues(round_.suspects(), round_.observed(), round_.near_misses(), verdict))
