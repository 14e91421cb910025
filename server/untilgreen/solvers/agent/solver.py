"""A language model that reads, edits and runs tests until there is something worth testing in earnest."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable
from contextlib import aclosing

from untilgreen.errors import ModelError
from untilgreen.model import Patch, Proposal, Reflection
from untilgreen.models import Message, Model, Tool
from untilgreen.solvers.agent.dialogue import Dialogue, End
from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.finishing import finish, worth_finishing
from untilgreen.solvers.agent.hands import Hands
from untilgreen.solvers.agent.opening import Opening
from untilgreen.solvers.agent.purse import Purse
from untilgreen.solvers.agent.redaction import Redaction
from untilgreen.solvers.solver import Task, Workbench

Preview = Callable[[tuple[Message, ...], tuple[Tool, ...]], None]
STANDING_STILL = frozenset({"same_failures", "same_error", "back_and_forth", "known_state", "refused"})
PART_OF_TIME = 0.95
"""The rest is for what was edited last."""
PATIENCE = 2
"""Attempts in a row that stand still, after which a stronger model takes over."""


class AgentSolver:
    """One model, one conversation."""

    def __init__(
        self,
        model: Model,
        name: str = "model",
        *,
        raises: bool = True,
        stronger_follows: bool = False,
        known_secrets: Iterable[str] = (),
        preview: Preview | None = None,
    ) -> None:
        self.name = name
        self._model = model
        self._raises = raises
        """Whether a model that cannot be asked at all is the end of the job."""
        self._stronger_follows = stronger_follows
        self._known_secrets = tuple(known_secrets)
        self._preview = preview

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        purse = Purse(self._model, bench)
        try:
            async with aclosing(self._work(task, bench, purse)) as found:
                async for proposal in found:
                    yield proposal
        finally:
            bench.settle(purse.take())

    async def _work(self, task: Task, bench: Workbench, purse: Purse) -> AsyncGenerator[Proposal, None]:
        drafts = Drafts(
            task.snapshot, task.base, bench.refuses, Redaction(self._known_secrets, str(task.snapshot.root))
        )
        until = time.monotonic() + task.seconds * PART_OF_TIME
        hands = Hands(task, bench, drafts, until)
        opening = await asyncio.to_thread(Opening, task, drafts, bench.clues, bench.attempts)
        dialogue = await asyncio.to_thread(Dialogue, self._model, bench, hands, opening, purse, until)
        if self._preview is not None:
            self._preview(*dialogue.first())
            return
        bench.tell(dialogue.forecast())
        reason, still = "", 0
        while not reason:
            try:
                step = await dialogue.step()
            except ModelError as error:
                if self._raises and not bench.attempts and not hands.untested:
                    raise
                step = End(_clause(error))
            if step is None:
                continue
            if isinstance(step, End):
                if hands.untested:
                    # Edits that nobody tested may still be better than nothing.
                    yield self._proposal(hands.take(), "what the model had edited so far", bench, purse)
                _leave(bench, step.reason or "the model may not be asked again")
                return
            patch = hands.take()
            yield self._proposal(patch, step.hypothesis, bench, purse)
            async with aclosing(_finishing(task, patch, bench)) as found:
                attempt, report, reflection = bench.attempts[-1], bench.report, bench.reflection
                async for proposal in found:
                    yield dataclasses.replace(proposal, spent=proposal.spent + purse.take())
            still = still + 1 if _stands_still(reflection) else 0
            if self._stronger_follows and still >= PATIENCE:
                reason = f"{self._model.name} did not get any further"
            dialogue.tested(attempt, reflection, report)
        _leave(bench, reason)

    def _proposal(self, patch: Patch, hypothesis: str, bench: Workbench, purse: Purse) -> Proposal:
        # What earlier solvers said about why it is not green is no longer the reason.
        _leave(bench, "")
        return Proposal(patch, hypothesis or "a change by the model", "contested", spent=purse.take())


async def _finishing(task: Task, patch: Patch, bench: Workbench) -> AsyncGenerator[Proposal, None]:
    attempt, report = bench.attempts[-1], bench.report
    if report is not None and worth_finishing(attempt, report):
        bench.say("looking for a small change that mends the rest")
        async for proposal in finish(task, patch, attempt, report, bench):
            yield proposal


def _stands_still(reflection: Reflection | None) -> bool:
    return reflection is not None and reflection.pattern in STANDING_STILL


def _leave(bench: Workbench, verdict: str) -> None:
    bench.leave(dataclasses.replace(bench.clues, verdict=verdict))


def _clause(error: ModelError) -> str:
    text = str(error).strip().rstrip(".")
    return f"the model could not be asked: {text}"
