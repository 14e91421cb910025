"""A solver that reads its proposals from a file: for demonstrations, tests and bug reports.

The file is JSON: `{"proposals": [{"hypothesis": "…", "files": {"a.py": "whole new text", "b.py": null}}]}`.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from untilgreen.errors import UsageError
from untilgreen.model import FileChange, Patch, Proposal
from untilgreen.solvers.solver import Task, Workbench


class _Step(BaseModel):
    model_config = ConfigDict(extra="forbid")
    hypothesis: str = ""
    files: dict[str, str | None]


class _Script(BaseModel):
    model_config = ConfigDict(extra="forbid")
    proposals: list[_Step]


class ScriptedSolver:
    """Proposes what its file says, in order."""

    name = "scripted"

    def __init__(self, steps: list[_Step]) -> None:
        self._steps = steps

    @classmethod
    def load(cls, path: Path) -> ScriptedSolver:
        try:
            script = _Script.model_validate(json.loads(path.read_text(encoding="utf-8")))
        except OSError as error:
            raise UsageError(f"The script {path} cannot be read: {error.strerror}.") from error
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "the top"
            raise UsageError(f"The script {path} is wrong at {where}: {first['msg']}.") from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"The script {path} is not JSON: {error}.") from error
        return cls(script.proposals)

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        for step in self._steps:
            files = {path: _change(path, text, task) for path, text in step.files.items()}
            yield Proposal(Patch(files), step.hypothesis or "from the script", confidence="unique")


def _change(path: str, text: str | None, task: Task) -> FileChange:
    """A file that exists keeps its mode."""
    entry = task.snapshot.entries.get(path)
    mode = entry.mode if entry is not None else 0o644
    return FileChange(None if text is None else text.encode("utf-8"), mode)
