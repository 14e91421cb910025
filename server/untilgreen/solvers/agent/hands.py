"""Does what a model asks for, and says what came of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass

from untilgreen.model import Patch
from untilgreen.solvers.agent.drafts import Drafts
from untilgreen.solvers.agent.fence import fenced
from untilgreen.solvers.agent.looking import look
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.agent.requests import (
    Asked,
    EditFile,
    GiveUp,
    ListFiles,
    Mistake,
    ReadFile,
    RunTests,
    Search,
    WriteFile,
)
from untilgreen.solvers.agent.running import ids_meant, judged
from untilgreen.solvers.offline.site import parse
from untilgreen.solvers.solver import Task, Workbench

MOST_RUNS = 24
MOST_REQUESTS = 40
"""Of one reply; more than that is not what anybody meant."""
MOST_CHARACTERS = 16_000


@dataclass(frozen=True, slots=True)
class Answer:
    call: str
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    """What one reply led to."""

    answers: tuple[Answer, ...]
    mistakes: int = 0
    green: bool = False
    """Tests were run, and all passed that should turn green."""
    gave_up: str | None = None


class Hands:
    """Edits, looks and runs for one solver."""

    def __init__(self, task: Task, bench: Workbench, drafts: Drafts, until: float) -> None:
        self._task = task
        self._bench = bench
        self.drafts = drafts
        self._until = until
        """By the monotonic clock: then everything has to be over."""
        self._runs = 0
        self._taken = task.base

    @property
    def untested(self) -> bool:
        """Whether there are edits that were not proposed yet; those that cancel each other out are none."""
        return self.drafts.patch not in (self._taken, self._task.base)

    def take(self) -> Patch:
        """All edits so far, to be proposed."""
        self._taken = self.drafts.patch
        return self._taken

    async def do(self, asked: Sequence[Asked]) -> Done:
        """Edits first, all or none; then the rest in order."""
        answers: dict[int, str] = {}
        few = asked[:MOST_REQUESTS]
        edits = [one.request for one in few if isinstance(one.request, EditFile | WriteFile)]
        trouble = await self._edit(few, edits, answers) if edits else ""
        mistakes, green, gave_up = int(bool(trouble)), False, None
        for n, one in enumerate(asked):
            if n in answers:
                continue
            try:
                match one.request:
                    case _ if n >= MOST_REQUESTS:
                        answers[n] = f"Not done: more than {MOST_REQUESTS} calls in one reply."
                    case Mistake(text):
                        answers[n], mistakes = text, mistakes + 1
                    case GiveUp(reason):
                        answers[n], gave_up = "Noted.", reason.strip() or "it gave no reason"
                    case RunTests() if trouble:
                        answers[n] = "Not run: the edits of this reply were not made."
                    case RunTests(ids):
                        answers[n], passed = await self._run(ids)
                        green = green or passed
                    case ListFiles() | ReadFile() | Search() as request:
                        seen = await asyncio.to_thread(look, request, self.drafts)
                        answers[n] = self._with_data(seen.text, seen.data, seen.of)
            except Refusal as refusal:
                answers[n], mistakes = self._refused(refusal), mistakes + 1
        told = tuple(Answer(one.call, answers[n]) for n, one in enumerate(asked) if n in answers)
        return Done(told, mistakes, green, gave_up)

    async def _edit(
        self, asked: Sequence[Asked], edits: Sequence[EditFile | WriteFile], answers: dict[int, str]
    ) -> str:
        """Fills in the answers; returns why nothing was changed."""
        mistakes = [one.request for one in asked if isinstance(one.request, Mistake)]
        wrong = next((mistake.text for mistake in mistakes if mistake.of_edit), "")
        trouble = f"Nothing was changed: {wrong}" if wrong else ""
        if not trouble:
            try:
                edited = await asyncio.to_thread(self._apply, edits)
            except Refusal as refusal:
                trouble = self._refused(refusal)
        for n, one in enumerate(asked):
            if isinstance(one.request, EditFile | WriteFile):
                first = not any(isinstance(asked[m].request, EditFile | WriteFile) for m in answers)
                if trouble:
                    answers[n] = trouble if first else "Not made either: all edits of a reply or none."
                else:
                    answers[n] = edited if first else "Edited."
        return trouble

    def _apply(self, edits: Sequence[EditFile | WriteFile]) -> str:
        paths = self.drafts.apply(edits).paths
        told = f"Edited: {', '.join(paths)}."
        broken = [path for path in paths if path.endswith(".py") and parse(self.drafts.shown(path)) is None]
        # It may be written for a newer Python than this one; so it is said, and not refused.
        return f"{told} It seems that {broken[0]} cannot be parsed any more." if broken else told

    async def _run(self, names: tuple[str, ...]) -> tuple[str, bool]:
        if self._runs >= MOST_RUNS:
            return "No more runs: end your turn, and your edits are tested.", False
        ids = ids_meant(self._task, names)
        self._runs += 1
        n = len(ids or self._task.failing)
        self._bench.say(f"running {n} {'test' if n == 1 else 'tests'} for the model")
        seconds = max(1.0, self._until - time.monotonic())
        report = await self._bench.run(self.drafts.patch, ids or self._task.failing, seconds)
        ran = judged(self._task, ids, report)
        return self._with_data(ran.text, self.drafts.redaction.printed(ran.data), "test run"), ran.green

    def _refused(self, refusal: Refusal) -> str:
        return self._with_data(str(refusal), refusal.data, "nearest lines")

    def _with_data(self, text: str, data: str, of: str) -> str:
        redacted = self.drafts.redaction.redacted
        return f"{redacted(text)}\n{fenced(of, redacted(data), MOST_CHARACTERS)}" if data else redacted(text)
