"""A fix comes and goes byte for byte; an undo never loses an edit, and can itself be undone."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from unit.fixing import BEFORE, PATCH, Setting
from untilgreen.applying import note_gone
from untilgreen.desk import Content, DiskDesk
from untilgreen.errors import EditedSince, NothingToUndo, WorkspaceChanged
from untilgreen.history import summary_of
from untilgreen.lock import acquire
from untilgreen.model import FileChange, Patch
from untilgreen.undo_records import UndoRecord, UndoRecords


@pytest.fixture
def setting(tmp_path: Path) -> Iterator[Setting]:
    umask = os.umask(0o077)
    yield Setting(tmp_path)
    os.umask(umask)


async def test_there_and_back_and_there_again(setting: Setting) -> None:
    before = setting.tree()
    job = await setting.apply()
    after = setting.tree()
    assert after["crlf.py"] == (PATCH.files["crlf.py"].content, 0o640)
    assert after["new/deep/made.py"] == (b"made\n", 0o700), "a new file obeys the umask"
    assert "gone/deep.py" not in after

    undone = await setting.undo()
    assert (undone.undoes, undone.paths) == (job, PATCH.paths)
    assert setting.tree() == before, "modes, made folders and deleted files, too"
    with pytest.raises(NothingToUndo, match=undone.by):
        await setting.undo()

    redone = await setting.undo(undone.by)
    assert setting.tree() == after
    assert setting.journal.undo.state(job) == "applied"
    assert (await setting.undo()).undoes == job, "what came back can be undone as before"
    assert setting.tree() == before
    summary = summary_of(setting.journal, redone.by)
    assert summary is not None
    assert (summary.kind, summary.undoes, summary.paths) == ("undo", undone.by, PATCH.paths)


async def test_nobody_waits_while_records_are_read(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    """An editor goes on typing; there may be thousands of them."""
    await setting.apply()
    find, threads = UndoRecords.find, list[threading.Thread]()

    def seen(records: UndoRecords, root: Path, job: str | None = None) -> UndoRecord:
        threads.append(threading.current_thread())
        return find(records, root, job)

    monkeypatch.setattr(UndoRecords, "find", seen)
    await setting.undo()
    assert threads and threading.main_thread() not in threads


async def test_an_edit_is_shown_and_kept_and_even_when_forced_not_lost(setting: Setting) -> None:
    before = setting.tree()
    await setting.apply()
    (setting.root / "crlf.py").write_bytes(b"\xef\xbb\xbfa = 3\r\nmine\r\nb = 2\r\n")
    (setting.root / "new/deep/made.py").write_bytes(b"made\nmine, too\n")
    (setting.root / "other.py").write_bytes(b"an edit elsewhere does not matter\n")
    edited = setting.tree()
    with pytest.raises(
        EditedSince, match=r"crlf\.py, new/deep/made\.py were edited since.*--force"
    ) as refused:
        await setting.undo()
    assert setting.tree() == edited
    lost = refused.value.lost
    assert "+mine\r\n" in lost and "+mine, too\n" in lost
    assert "latin.py" not in lost and "a = 1" not in lost, "only what is the user's"
    assert list(setting.journal.undo.folder.glob("*.pending")) == []

    undone = await setting.undo(force=True)
    assert setting.tree() == before | {"other.py": edited["other.py"]}
    await setting.undo(undone.by)
    assert setting.tree() == edited
    with pytest.raises(EditedSince):
        await setting.undo()


async def test_what_was_edited_beside_a_fix_stays_when_it_is_undone(setting: Setting) -> None:
    before = setting.tree()
    job = await setting.apply()
    (setting.root / "crlf.py").write_bytes(b"\xef\xbb\xbfa = 3\r\nb = 2\r\nmine\r\n")
    (setting.root / "new/deep/made.py").unlink()
    edited = setting.tree()
    undone = await setting.undo()
    assert (undone.undoes, undone.paths) == (job, ("crlf.py", "gone/deep.py", "latin.py"))
    mine = b"\xef\xbb\xbfa = 1\r\nb = 2\r\nmine\r\n"
    assert setting.tree() == before | {"crlf.py": (mine, 0o640)}
    await setting.undo(undone.by)
    assert {path: file for path, file in edited.items() if not path.startswith("new")} == setting.tree()


async def test_an_undo_knows_the_lines_when_only_their_ends_are_others(setting: Setting) -> None:
    await setting.apply()
    (setting.root / "crlf.py").write_bytes(b"a = 3\nb = 2\nmine\n")
    await setting.undo()
    assert (setting.root / "crlf.py").read_bytes() == b"a = 1\nb = 2\nmine\n"


async def test_a_changed_mode_is_the_users(setting: Setting) -> None:
    await setting.apply()
    (setting.root / "crlf.py").chmod(0o700)
    await setting.undo()
    assert setting.tree()["crlf.py"] == (BEFORE["crlf.py"][0], 0o700)


async def test_a_folder_that_others_use_stays(setting: Setting) -> None:
    await setting.apply()
    (setting.root / "new/own.py").write_bytes(b"mine")
    await setting.undo()
    assert (setting.root / "new/own.py").read_bytes() == b"mine"
    assert not (setting.root / "new/deep").exists()


async def test_each_undo_goes_one_step_back(setting: Setting) -> None:
    first = await setting.apply()
    second = await setting.apply(Patch({"crlf.py": FileChange(b"second\n")}))
    with pytest.raises(EditedSince, match=r"crlf\.py was edited"):
        await setting.undo(first)
    assert (await setting.undo()).undoes == second
    assert (await setting.undo()).undoes == first


async def test_what_was_taken_back_by_hand_is_not_in_the_way(setting: Setting) -> None:
    first = await setting.apply()
    await setting.apply(Patch({"other.py": FileChange(b"second\n")}))
    (setting.root / "other.py").write_bytes(BEFORE["other.py"][0])
    assert (await setting.undo()).undoes == first


async def test_what_was_taken_back_by_hand_among_other_edits_is_not_in_the_way(setting: Setting) -> None:
    first = await setting.apply()
    text = b"".join(b"%d\n" % n for n in range(9))
    (setting.root / "more.py").write_bytes(text)
    await setting.apply(Patch({"more.py": FileChange(text.replace(b"2", b"two"))}))
    (setting.root / "more.py").write_bytes(text.replace(b"7", b"mine"))
    assert (await setting.undo()).undoes == first
    assert (setting.root / "more.py").read_bytes() == text.replace(b"7", b"mine")


async def test_only_what_is_out_of_the_files_counts_as_taken_back_by_hand(setting: Setting) -> None:
    job = await setting.apply(Patch({"crlf.py": FileChange(b"a = 3\r\nb = 2\r\n")}))
    await note_gone(setting.journal, setting.root, setting.desk, job)
    assert setting.journal.undo.state(job) == "applied"
    (setting.root / "crlf.py").write_bytes(BEFORE["crlf.py"][0] + b"mine\r\n")
    for _again in range(2):
        await note_gone(setting.journal, setting.root, setting.desk, job)
        assert setting.journal.undo.state(job) == "undone"
    await note_gone(setting.journal, setting.root, setting.desk, "no-such-job")


@pytest.mark.parametrize("named", [False, True], ids=["the last one", "by name"])
async def test_a_fix_that_comes_back_into_its_files_can_be_undone(setting: Setting, named: bool) -> None:
    """As with a change of branches, there and back."""
    job = await setting.apply(Patch({"crlf.py": FileChange(b"a = 3\r\nb = 2\r\n")}))
    asked = job if named else None
    file = setting.root / "crlf.py"
    fixed = file.read_bytes()
    file.write_bytes(BEFORE["crlf.py"][0])
    await note_gone(setting.journal, setting.root, setting.desk, job)
    with pytest.raises(NothingToUndo):
        await setting.undo(asked)
    file.write_bytes(b"something else\r\n")
    with pytest.raises(NothingToUndo):
        await setting.undo(asked)
    file.write_bytes(fixed)
    assert (await setting.undo(asked)).undoes == job
    assert file.read_bytes() == BEFORE["crlf.py"][0]
    file.write_bytes(fixed)
    with pytest.raises(NothingToUndo, match="undo"):
        await setting.undo(asked)


async def test_an_undo_that_was_refused_can_be_tried_again(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an editor does when a keystroke crosses the undo: it takes a part, and something is typed."""
    before = setting.tree()
    job = await setting.apply()
    made = setting.root / "new/deep/made.py"

    async def refuse(*_: object) -> None:
        (setting.root / "crlf.py").write_bytes(BEFORE["crlf.py"][0] + b"mine\r\n")
        made.write_bytes(b"made\nmine\n")
        raise WorkspaceChanged("for a test")

    with monkeypatch.context() as patched:
        patched.setattr(DiskDesk, "write", refuse)
        with pytest.raises(WorkspaceChanged):
            await setting.undo()
    made.write_bytes(b"made\n")
    assert setting.journal.undo.state(job) == "applied"
    undone = await setting.undo()
    assert (undone.undoes, undone.paths) == (job, ("gone/deep.py", "latin.py", "new/deep/made.py"))
    mine = BEFORE["crlf.py"][0] + b"mine\r\n"
    assert setting.tree() == before | {"crlf.py": (mine, 0o640)}


async def test_what_was_written_and_typed_over_at_once_still_has_its_undo(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = DiskDesk.write

    async def typed_over(desk: DiskDesk, *given: Any) -> None:
        await real(desk, *given)
        (setting.root / "crlf.py").write_bytes(b"all of it is mine\n")

    with monkeypatch.context() as patched:
        patched.setattr(DiskDesk, "write", typed_over)
        job = await setting.apply()
    with pytest.raises(EditedSince, match=r"crlf\.py was edited"):
        await setting.undo()
    undone = await setting.undo(force=True)
    assert (undone.undoes, undone.paths) == (job, PATCH.paths)
    assert (setting.root / "crlf.py").read_bytes() == BEFORE["crlf.py"][0]


async def test_who_is_cancelled_while_it_is_written_leaves_an_undo(
    setting: Setting, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A thread that writes goes on."""
    before, real = setting.tree(), DiskDesk._write
    at_work, go_on = threading.Event(), threading.Event()

    def slow(desk: DiskDesk, *given: Any) -> None:
        at_work.set()
        assert go_on.wait(60)
        real(desk, *given)

    with monkeypatch.context() as patched:
        patched.setattr(DiskDesk, "_write", slow)
        applying = asyncio.ensure_future(setting.apply())
        assert await asyncio.to_thread(at_work.wait, 60)
        for _again in range(2):
            applying.cancel()
            await asyncio.sleep(0.05)
        assert not applying.done(), "it is not known yet what is written"
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await applying
    assert setting.tree() != before
    await setting.undo()
    assert setting.tree() == before


async def test_a_refused_write_leaves_no_undo(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    before = setting.tree()
    real = DiskDesk.read

    async def stale(desk: DiskDesk, path: str) -> Content:
        return Content(b"old") if path == "crlf.py" else await real(desk, path)

    with monkeypatch.context() as patched:
        patched.setattr(DiskDesk, "read", stale)
        with pytest.raises(WorkspaceChanged):
            await setting.apply()
    assert setting.tree() == before
    assert list(setting.journal.undo.folder.iterdir()) == []


async def test_who_stops_waiting_to_write_blocks_nobody(setting: Setting) -> None:
    await setting.apply()
    with acquire(setting.journal.locks, setting.root, "write", "a test"):
        waiting = asyncio.ensure_future(setting.undo())
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    # The thread that waited gets it now, and gives it back.
    await setting.undo()
