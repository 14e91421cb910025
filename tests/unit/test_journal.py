"""The log is complete and private; an undo is offered once, to the workspace it belongs to."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from untilgreen.errors import NothingToUndo
from untilgreen.events import JobStarted, PlanMade, Preparing
from untilgreen.journal import KEPT_JOBS, Journal, UndoRecord, default_folder, new_job_id
from untilgreen.model import FileChange


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


def record(job: str, root: Path) -> UndoRecord:
    before = {"a.py": FileChange(b"\xff\0", 0o755), "new.py": FileChange(None)}
    return UndoRecord(job, root, before, {"a.py": "digest", "new.py": "", "ä": "x"})


def test_one_line_per_event_at_once(journal: Journal, tmp_path: Path) -> None:
    job = new_job_id()
    log = journal.start(job, tmp_path)
    log.append(JobStarted("test", tmp_path, ("a\n::b",), "a test"))
    log.append(Preparing("lone \udcff surrogate"))
    shown = log.append(PlanMade(3))
    lines = [json.loads(line) for line in log.path.read_text().splitlines()]
    assert [line["seq"] for line in lines] == [0, 1, 2]
    assert [line["type"] for line in lines] == ["job_started", "preparing", "plan_made"]
    assert {line["job"] for line in lines} == {job}
    assert lines[2] == shown
    assert abs(lines[0]["t"] - time.time()) < 60


def test_nobody_else_may_read_it(journal: Journal, tmp_path: Path) -> None:
    journal.start("a", tmp_path).append(PlanMade(1))
    journal.save_undo(record("a", tmp_path))
    for path in [journal.folder, *journal.folder.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_the_newest_jobs_are_kept(journal: Journal, tmp_path: Path) -> None:
    for n in range(KEPT_JOBS + 3):
        journal.start(f"{n:04}", tmp_path).append(PlanMade(1))
    journal.save_undo(record("0000", tmp_path))
    journal.start("9999", tmp_path).append(PlanMade(1))
    names = sorted(path.stem for path in (journal.folder / "jobs").iterdir())
    assert names == [f"{n:04}" for n in range(4, KEPT_JOBS + 3)] + ["9999"]
    assert journal.load_undo(tmp_path).job == "0000", "a fix outlives the log of its job"


def test_a_record_comes_back_as_it_was(journal: Journal, tmp_path: Path) -> None:
    journal.save_undo(record("a", tmp_path))
    assert journal.load_undo(tmp_path) == record("a", tmp_path)
    assert journal.load_undo(tmp_path, "a") == record("a", tmp_path)


def test_the_newest_one_of_this_workspace_and_each_only_once(journal: Journal, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (tmp_path / "link").symlink_to(here)
    for job, root in (("1", here), ("2", here), ("3", there)):
        journal.save_undo(record(job, root))
    assert journal.load_undo(tmp_path / "link").job == "2"
    journal.mark_undone("2")
    assert journal.load_undo(here).job == "1"
    with pytest.raises(NothingToUndo, match="undone already"):
        journal.load_undo(here, "2")
    with pytest.raises(NothingToUndo, match="there"):
        journal.load_undo(here, "3")
    journal.mark_undone("1")
    journal.mark_undone("never")
    with pytest.raises(NothingToUndo, match="is left to undo"):
        journal.load_undo(here)


@pytest.mark.parametrize("job", ["../outside", "", "a b", "x" * 65, "nowhere"])
def test_a_job_that_is_none(journal: Journal, tmp_path: Path, job: str) -> None:
    journal.save_undo(record("outside", tmp_path))
    (journal.folder / "undo/outside.json").rename(journal.folder / "outside.json")
    with pytest.raises(NothingToUndo):
        journal.load_undo(tmp_path, job)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"before": {"a": ["not base64!", 1]}}', '{"before": []}'])
def test_a_broken_record_is_passed_over(journal: Journal, tmp_path: Path, text: str) -> None:
    journal.save_undo(record("1", tmp_path))
    (journal.folder / "undo/2.json").write_text(text)
    assert journal.load_undo(tmp_path).job == "1"


def test_job_ids_are_unique_and_sort_by_time() -> None:
    first = new_job_id()
    time.sleep(0.002)
    later = {new_job_id() for _ in range(5)}
    assert all(first < job and len(job) == 18 for job in later)
    assert len(later) == 5


def test_where_it_lies(tmp_path: Path) -> None:
    assert default_folder({"UNTILGREEN_STATE": str(tmp_path)}) == tmp_path
    assert default_folder({}).name == "untilgreen"
    assert Journal(tmp_path).intents == tmp_path / "intents"
