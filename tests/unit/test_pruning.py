"""Old jobs make room, by age and by size; fixes that stand go last, and what is in use stays."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from untilgreen.events import Failed, JobStarted, PlanMade
from untilgreen.journal import Journal
from untilgreen.lock import acquire
from untilgreen.model import FileChange, Patch
from untilgreen.pruning import Limits, Stored, too_much
from untilgreen.undo_records import UndoRecord
from untilgreen_sandbox.owner import this_process

DAY = 86400.0
MB = 1 << 20


def stored(kind: str, name: str, megabytes: float = 1, days: float = 0) -> Stored:
    return Stored(Path(name), kind, int(megabytes * MB), days * DAY)


def names(kept: list[Stored], limits: Limits) -> list[str]:
    return [one.path.name for one in too_much(kept, limits)]


def test_logs_go_first_and_fixes_that_stand_last() -> None:
    kinds = ("undo", "undone", "jobs", "evidence", "trees")
    all_of_them = [stored(kind, f"{kind}{n}") for n in range(3) for kind in kinds]
    assert names(all_of_them, Limits(megabytes=15)) == []
    assert names(all_of_them, Limits(megabytes=12)) == ["trees0", "trees1", "evidence0"]
    most = names(all_of_them, Limits(megabytes=1))
    assert most[-2:] == ["undo0", "undo1"]
    assert set(most).isdisjoint(f"{kind}2" for kind in kinds), "the newest of each kind stays"


def test_age_does_not_count_for_a_fix_that_stands() -> None:
    old = [stored(kind, f"{kind}{n}", 0.1, 91) for n in range(2) for kind in ("undo", "undone", "jobs")]
    assert names(old, Limits()) == ["jobs0", "undone0"]


def test_a_number_of_jobs() -> None:
    assert names([stored("jobs", f"{n:03}", 0) for n in range(10)], Limits(jobs=8)) == ["000", "001"]


def _age(path: Path, days: float) -> None:
    os.utime(path, (time.time() - days * DAY,) * 2)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    """With four old jobs that another one wrote."""
    writer = Journal(tmp_path / "state")
    for job in ("1", "2", "3", "4"):
        log = writer.start(job, tmp_path)
        log.append(JobStarted("test", tmp_path, (), "a test"))
        log.append(Failed("for a test", 1))
        _age(log.path, 100)
    return Journal(tmp_path / "state")


def test_a_start_makes_room(journal: Journal, tmp_path: Path) -> None:
    journal.undo.finish(UndoRecord("1", tmp_path, {"a": FileChange(b"")}, {"a": b"b"}))
    journal.undo.begin(UndoRecord("0", tmp_path, {"a": FileChange(b"")}, {"a": b"b"}))
    journal.evidence.save("1", "f00", {}, Patch())
    journal.evidence.save("2", "f00", {}, Patch())
    reviews = journal.folder / "reviews"
    reviews.mkdir()
    for name in ("1-1.diff", "2-1.diff", "2-2.diff"):
        (reviews / name).write_text("a diff that somebody looked at")
    for path in journal.folder.rglob("*.*"):
        _age(path, 100)
    journal.start("5", tmp_path).append(PlanMade(1))
    assert list(journal.jobs()) == ["5", "4"]
    assert [path.name for path in (journal.folder / "evidence").iterdir()] == ["2.json"]
    assert [path.name for path in (journal.folder / "trees").iterdir()] == ["f00.z"]
    assert [path.name for path in reviews.iterdir()] == ["2-2.diff"]
    assert journal.undo.find(tmp_path).job == "1"
    assert (journal.folder / "undo/0.pending").exists(), "a write that is under way"
    journal.start("6", tmp_path).append(PlanMade(1))
    assert "5" in list(journal.jobs())


def test_a_running_job_keeps_its_log(journal: Journal, tmp_path: Path) -> None:
    log = tmp_path / "state/jobs/2.jsonl"
    lines = log.read_text().splitlines(keepends=True)
    log.write_text(lines[0])
    _age(log, 100)
    journal.start("5", tmp_path)
    assert list(journal.jobs()) == ["4", "2"]
    here, gone = this_process().text(), replace(this_process(), started="1").text()
    log.write_text(lines[0].replace(here, gone))
    _age(log, 100)
    Journal(journal.folder).start("6", tmp_path)
    assert list(journal.jobs()) == ["4"]


def test_two_at_a_time_is_one_too_many(journal: Journal, tmp_path: Path) -> None:
    with acquire(journal.locks, journal.folder, "prune", "at it"):
        journal.start("5", tmp_path)
        assert len(list(journal.jobs())) == 4
