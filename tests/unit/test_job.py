"""A job ends for everybody who follows it, whatever goes wrong."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path
from typing import Any

import pytest

from untilgreen.errors import UntilgreenError
from untilgreen.events import Applied, Event, Failed, Finished, PlanMade, Told
from untilgreen.job import Emit, Job
from untilgreen.journal import JobLog
from untilgreen.model import Goal, Verdict


class FullDisk(JobLog):
    """Has room for some lines, and not for more."""

    def __init__(self, folder: Path, lines: int) -> None:
        super().__init__("job", folder, folder / "job.jsonl")
        self.lines = lines

    def append(self, event: Event) -> dict[str, Any]:
        self.lines -= 1
        if self.lines < 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().append(event)


@pytest.mark.parametrize("fails", [False, True])
async def test_a_job_ends_when_nothing_can_be_kept_of_it(tmp_path: Path, fails: bool) -> None:
    async def work(emit: Emit) -> Verdict:
        for number in range(3):
            emit(PlanMade(number))
        if fails:
            raise UntilgreenError("It cannot go on.")
        return Verdict("stuck", "")

    job = Job("job", "test", Goal(tmp_path), FullDisk(tmp_path, 1), work)

    async def followed() -> list[Event]:
        return [event async for event in job.events()]

    told = await asyncio.wait_for(followed(), 20)
    end = Failed("It cannot go on.", UntilgreenError.exit_code) if fails else Finished(Verdict("stuck", ""))
    said = Told("history", "what happens in this job cannot be kept: No space left on device")
    assert told == [PlanMade(0), said, PlanMade(1), PlanMade(2), end], "it is said once"
    job.note(Applied(("a.py",), "disk"))
    assert len((tmp_path / "job.jsonl").read_text().splitlines()) == 1
