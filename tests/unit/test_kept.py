"""What a snapshot read once is there for good, whatever becomes of the files."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from untilgreen.errors import WorkspaceChanged
from untilgreen.workspace import Snapshot, StatIndex, take_snapshot
from untilgreen.workspace.kept import Kept


async def contents(snapshot: Snapshot) -> dict[str, bytes | None]:
    return {change.path: change.content async for change in snapshot.changes()}


def test_edits_removals_and_links_after_the_first_reading(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    (tmp_path / "b.py").write_text("b = 1\n")
    (tmp_path / "empty.py").touch()
    (tmp_path / "link.py").symlink_to("a.py")
    snapshot = take_snapshot(tmp_path)
    before = asyncio.run(contents(snapshot))
    (tmp_path / "a.py").write_text("a = 2\n")
    (tmp_path / "b.py").unlink()
    (tmp_path / "empty.py").unlink()
    (tmp_path / "link.py").unlink()
    (tmp_path / "link.py").symlink_to("b.py")
    assert asyncio.run(contents(snapshot)) == before
    assert snapshot.read("a.py") == b"a = 1\n"
    assert snapshot.read("link.py") == b"a = 1\n"
    assert take_snapshot(tmp_path).read("a.py") == b"a = 2\n"


def test_what_was_never_read_cannot_be_kept(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    snapshot = take_snapshot(tmp_path)
    (tmp_path / "a.py").write_text("a = 2\n")
    with pytest.raises(WorkspaceChanged):
        snapshot.read("a.py")


def test_what_did_not_change_is_kept_for_the_next_snapshot(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\n")
    (tmp_path / "b.py").write_text("b = 1\n")
    index = StatIndex()
    first = take_snapshot(tmp_path, index=index)
    asyncio.run(contents(first))
    (tmp_path / "b.py").write_text("b = 2\n")
    second = take_snapshot(tmp_path, index=index)
    (tmp_path / "a.py").unlink()
    assert second.read("a.py") == b"a = 1\n"


def test_limits() -> None:
    kept = Kept(limit=100)
    kept.keep("small", b"x" * 60)
    kept.keep("too much", b"y" * 60)
    assert kept.get("small") == b"x" * 60
    assert kept.get("too much") is None
    kept.tidy(wanted=60)
    assert kept.get("small") == b"x" * 60, "it is still in use"
    kept.tidy(wanted=20)
    assert kept.get("small") is None
    kept.keep("too much", b"y" * 60)
    assert kept.get("too much") == b"y" * 60
