"""The log is complete and private, and can be read whatever a killed process left of it."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from untilgreen.events import BaselineDone, JobStarted, PlanMade, Preparing
from untilgreen.journal import Journal, default_folder, new_job_id, owner_of
from untilgreen.model import Entry, FileChange, Patch
from untilgreen.undo_records import UndoRecord
from untilgreen_sandbox.owner import this_process
from untilgreen_sandbox.report import CaseResult, Failure, Report


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / "state")


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
    journal.undo.begin(UndoRecord("a", tmp_path, {"a.py": FileChange(b"")}, {"a.py": b""}))
    journal.evidence.save("a", "f00", {}, Patch())
    for path in [journal.folder, *journal.folder.rglob("*")]:
        assert path.stat().st_mode & 0o777 == (0o700 if path.is_dir() else 0o600), path


def test_a_half_written_line_is_passed_over(journal: Journal, tmp_path: Path) -> None:
    log = journal.start("a", tmp_path)
    log.append(JobStarted("test", tmp_path, (), "a test"))
    with log.path.open("ab") as file:
        file.write(b'{"v":1,"type":"half\n[]\n\xff\n')
    log.append(PlanMade(1))
    assert [line["type"] for line in journal.lines("a")] == ["job_started", "plan_made"]
    assert list(journal.lines("../jobs/a")) == list(journal.lines("none")) == []
    assert owner_of(next(journal.lines("a"))) == this_process()


def test_passed_tests_are_kept_in_few_words(journal: Journal, tmp_path: Path) -> None:
    cases = [
        CaseResult(f"test_long_name.py::test_{n}", "passed", 0.25, "test_long_name.py", n)
        for n in range(1000)
    ]
    red = CaseResult("r", "failed", 0.5, failure=Failure("E", "message", "1", "2"))
    skipped = CaseResult("s", "skipped", reason="no network")
    report = Report("finished", (*cases, red, skipped), tuple(case.id for case in (*cases, red, skipped)))
    log = journal.start("a", tmp_path)
    log.append(BaselineDone(report))
    (line,) = journal.lines("a")
    told = line["report"]
    assert [case["id"] for case in told["cases"]] == ["r", "s"]
    assert told["cases"][0]["failure"]["message"] == "message"
    assert told["passed"] == {case.id: 0.25 for case in cases}
    assert told["planned"] is None
    assert log.path.stat().st_size < 50 * 1000
    log.append(BaselineDone(Report("lost", planned=("a", "b"))))
    assert list(journal.lines("a"))[1]["report"]["planned"] == ["a", "b"], "what did not run is told"


def test_jobs_are_listed_newest_first(journal: Journal, tmp_path: Path) -> None:
    assert list(journal.jobs()) == []
    for job in ("1", "3", "2"):
        journal.start(job, tmp_path).append(PlanMade(1))
    assert list(journal.jobs()) == ["3", "2", "1"]


def test_evidence_comes_back_as_it_was(journal: Journal) -> None:
    entries = {"a.py": Entry("file", 0o644, 1, "a" * 32), "\udcff.py": Entry("file", 0o755, 1, "b" * 32)}
    patch = Patch({"a.py": FileChange(b"\xff\0", 0o755), "b.py": FileChange(None)})
    for job in ("1", "2"):
        journal.evidence.save(job, "f00", entries, patch)
    evidence = journal.evidence.load("2")
    assert evidence is not None
    assert (evidence.tree, evidence.patch) == ("f00", patch)
    assert evidence.files == {"a.py": "644 " + "a" * 16, "\udcff.py": "755 " + "b" * 16}
    assert len(list((journal.folder / "trees").iterdir())) == 1, "a tree is kept once"
    (journal.folder / "trees/f00.z").write_bytes(b"broken")
    again = journal.evidence.load("1")
    assert again is not None and again.files == {} and again.patch == patch
    (journal.folder / "evidence/1.json").write_text("{}")
    assert journal.evidence.load("1") is None
    assert journal.evidence.load("../evidence/2") is None


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
