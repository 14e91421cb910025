"""An undo is offered once, to the workspace it belongs to, for what really stands."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from untilgreen.errors import NothingToUndo
from untilgreen.model import FileChange
from untilgreen.undo_records import UndoRecord, UndoRecords
from untilgreen_sandbox.owner import this_process


@pytest.fixture
def records(tmp_path: Path) -> UndoRecords:
    return UndoRecords(tmp_path / "undo")


def record(job: str, root: Path, undoes: str = "") -> UndoRecord:
    before = {
        "a.py": FileChange(b"\xff\0", 0o755, exact_mode=True),
        "d/new.py": FileChange(None, exact_mode=True),
    }
    return UndoRecord(job, root, before, {"a.py": b"a", "d/new.py": b"n"}, ("d",), "disk", undoes)


def test_a_record_comes_back_as_it_was(records: UndoRecords, tmp_path: Path) -> None:
    records.begin(record("a", tmp_path))
    with pytest.raises(NothingToUndo):
        records.find(tmp_path)
    records.finish(record("a", tmp_path))
    assert records.find(tmp_path) == records.find(tmp_path, "a") == record("a", tmp_path)
    assert [path.name for path in records.folder.iterdir()] == ["a.json"]


def test_the_newest_one_of_this_workspace_and_each_only_once(records: UndoRecords, tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    (tmp_path / "link").symlink_to(here)
    for job, root in (("1", here), ("2", here), ("3", there)):
        records.finish(record(job, root))
    assert records.find(tmp_path / "link").job == "2"
    records.finish(record("4", here, undoes="2"))
    assert records.find(here).job == "1", "an undo is only undone by its name"
    with pytest.raises(NothingToUndo, match=r"undone already.*untilgreen undo 4"):
        records.find(here, "2")
    with pytest.raises(NothingToUndo, match="there"):
        records.find(here, "3")
    records.mark("1", applied=False)
    records.mark("never", applied=False)
    with pytest.raises(NothingToUndo, match=r"is left to undo.*untilgreen undo 4"):
        records.find(here)


def test_what_an_undo_of_an_undo_means(records: UndoRecords, tmp_path: Path) -> None:
    """Each turn of the chain flips all below it."""
    records.finish(record("1", tmp_path))
    for n in range(2, 7):
        records.finish(record(str(n), tmp_path, undoes=str(n - 1)))
        expected = {str(m): "applied" if (n - m) % 2 == 0 else "undone" for m in range(1, n + 1)}
        assert {job: records.state(job) for job in expected} == expected
    assert records.state("never") == ""


def _abandoned(records: UndoRecords, one: UndoRecord) -> None:
    """As a killed process leaves it."""
    records.begin(one)
    path = records.folder / f"{one.job}.pending"
    value = json.loads(path.read_bytes())
    value["owner"] = replace(this_process(), started="1").text()
    path.write_text(json.dumps(value))


def test_a_killed_write_is_settled_by_what_the_files_are(records: UndoRecords, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "d").mkdir(parents=True)
    (root / "a.py").write_bytes(b"\xff\0")
    records.begin(record("living", root))
    _abandoned(records, record("before", root))
    _abandoned(records, replace(record("buffers", root), where="editor"))
    records.settle()
    assert sorted(path.name for path in records.folder.iterdir()) == ["buffers.json", "living.pending"]
    (root / "a.py").write_bytes(b"a")
    (root / "d/new.py").write_bytes(b"n")
    _abandoned(records, record("after", root))
    records.settle()
    (root / "a.py").write_bytes(b"edited since")
    _abandoned(records, record("edited", root, undoes="after"))
    (records.folder / "broken.pending").write_text("{}")
    records.settle()
    assert records.state("edited") == "applied"
    assert records.state("after") == "undone"
    assert sorted(path.name for path in records.folder.glob("*.pending")) == ["living.pending"]


@pytest.mark.parametrize("job", ["../outside", "", "a b", "x" * 65, "nowhere"])
def test_a_job_that_is_none(records: UndoRecords, tmp_path: Path, job: str) -> None:
    records.finish(record("outside", tmp_path))
    (records.folder / "outside.json").rename(tmp_path / "outside.json")
    with pytest.raises(NothingToUndo):
        records.find(tmp_path, job)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"before": {"a": ["not base64!", 1]}}', '{"before": [], "after": {}}']
)
def test_a_broken_record_is_passed_over(records: UndoRecords, tmp_path: Path, text: str) -> None:
    records.finish(record("1", tmp_path))
    (records.folder / "2.json").write_text(text)
    assert records.find(tmp_path).job == "1"
