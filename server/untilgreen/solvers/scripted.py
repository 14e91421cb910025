"""A solver that reads its proposals from a file: for demonstrations, tests and bug reports.

The file is JSON: `{"proposals": [{"hypothesis": "…", "files": {"a.py": "whole new text", "b.py": null}}]}`.
A step may also say how long it thinks (`delay`), what it asks for before and what it came to (`reserve`,
`spent`), how its text is encoded (`encoding`), or be several proposals at once (`race`). A file with `rungs`,
each with a `name` and `proposals`, stands for solvers that are asked one after the other.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from untilgreen.errors import UsageError
from untilgreen.model import FileChange, Patch, Proposal, Race, Spent
from untilgreen.solvers.solver import Task, Workbench


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class _Cost(_Part):
    candidates: int = 0
    tokens: int = 0
    usd: float = 0.0

    def spent(self) -> Spent:
        return Spent(self.candidates, self.tokens, self.usd)


class _Change(_Part):
    hypothesis: str = ""
    files: dict[str, str | None] = {}
    encoding: str = "utf-8"
    spent: _Cost = _Cost()
    rivals: list[dict[str, str | None]] = []
    """Other changes that it says would do; the proposal is contested then."""


class _Step(_Change):
    delay: float = Field(default=0.0, ge=0)
    reserve: _Cost | None = None
    race: list[_Change] = []


class _Rung(_Part):
    name: str = "scripted"
    proposals: list[_Step]


class _Ladder(_Part):
    rungs: list[_Rung]


class ScriptedSolver:
    """Proposes what its file says, in order."""

    def __init__(self, name: str, steps: list[_Step]) -> None:
        self.name = name
        self._steps = steps

    @classmethod
    def load(cls, path: Path) -> tuple[ScriptedSolver, ...]:
        """The solvers of a file; one, unless it says otherwise."""
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
            if isinstance(value, dict) and "rungs" in value:
                rungs = _Ladder.model_validate(value).rungs
            else:
                rungs = [_Rung.model_validate(value)]
        except OSError as error:
            raise UsageError(f"The script {path} cannot be read: {error.strerror}.") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the top"
            raise UsageError(f"The script {path} is wrong at {where}: {first['msg']}.") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"The script {path} is not JSON: {error}.") from error
        return tuple(cls(rung.name, rung.proposals) for rung in rungs)

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal | Race]:
        for step in self._steps:
            if step.reserve is not None and not bench.afford(step.reserve.tokens, step.reserve.usd):
                return
            if step.delay:
                await asyncio.sleep(step.delay)
            if step.race:
                yield Race(tuple(_proposal(change, task) for change in step.race))
            else:
                yield _proposal(step, task)


def _proposal(change: _Change, task: Task) -> Proposal:
    patch, *rivals = (
        Patch({path: _change(path, text, change.encoding, task) for path, text in files.items()})
        for files in (change.files, *change.rivals)
    )
    return Proposal(
        patch,
        change.hypothesis or "from the script",
        confidence="contested" if rivals else "unique",
        rivals=tuple(rivals),
        spent=change.spent.spent(),
    )


def _change(path: str, text: str | None, encoding: str, task: Task) -> FileChange:
    """A file that exists keeps its mode."""
    entry = task.snapshot.entries.get(path)
    mode = entry.mode if entry is not None else 0o644
    return FileChange(None if text is None else text.encode(encoding), mode)
