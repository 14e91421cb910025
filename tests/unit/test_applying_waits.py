"""Nobody waits for the disk while a fix is written or taken back, and its undo is still there first."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from unit.fixing import Setting
from untilgreen.undo_records import UndoRecords


@pytest.fixture
def setting(tmp_path: Path) -> Setting:
    return Setting(tmp_path)


async def test_the_disk_keeps_no_editor_waiting(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk may take seconds until a record is safe; who types meanwhile must not notice."""
    real, synced, undo_first = os.fsync, list[bool](), list[bool]()

    def seen(descriptor: int) -> None:
        synced.append(threading.current_thread() is threading.main_thread())
        undo_first.append(any(setting.journal.undo.folder.glob("*.[pt]*")))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", seen)
    await setting.apply()
    await setting.undo()
    assert len(synced) > 8 and not any(synced)
    assert all(undo_first), "no byte is on its way without its record"


async def test_who_is_cancelled_before_the_write_leaves_no_record(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a fix that was never written could be undone."""
    before, real = setting.tree(), UndoRecords.begin
    at_work, go_on = threading.Event(), threading.Event()

    def slow(records: UndoRecords, *given: Any) -> None:
        at_work.set()
        assert go_on.wait(60)
        real(records, *given)

    with monkeypatch.context() as patched:
        patched.setattr(UndoRecords, "begin", slow)
        applying = asyncio.ensure_future(setting.apply())
        assert await asyncio.to_thread(at_work.wait, 60)
        applying.cancel()
        await asyncio.sleep(0)
        assert not applying.done(), "the thread goes on, and so the files stay locked"
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await applying
    assert setting.tree() == before
    assert list(setting.journal.undo.folder.iterdir()) == []
    await setting.apply()
