"""Only one at a time; who holds it is told; a process that is gone holds nothing."""

from __future__ import annotations

import errno
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from untilgreen.errors import Busy
from untilgreen.lock import Holder, acquire, holder_of, sweep_locks
from untilgreen_sandbox.owner import this_process

HOLDS = """
import sys, time
from pathlib import Path
from untilgreen.lock import acquire
sys.argv[0] = "untilgreen"
lock = acquire(Path(sys.argv[2]), Path(sys.argv[3]), "work", "solve job 7")
print("held", flush=True)
time.sleep(600)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "locks"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@contextmanager
def another(folder: Path, root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds the lock until it is killed, here or at the end."""
    command = [sys.executable, "-c", HOLDS, "solve", str(folder), str(root)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=here) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == b"held\n"
            yield process
        finally:
            process.kill()


def test_the_second_is_told_at_once_who_the_first_is(folder: Path, root: Path) -> None:
    with another(folder, root) as process:
        begun = time.monotonic()
        with pytest.raises(Busy) as refused:
            acquire(folder, root, "work", "mine")
        assert time.monotonic() - begun < 0.2
    said = str(refused.value)
    for part in (f"pid {process.pid}", "untilgreen solve", "solve job 7", f"kill {process.pid}", str(root)):
        assert part in said
    assert time.strftime("%H:") in said


def test_a_killed_owner_does_not_block_and_its_file_is_swept(folder: Path, root: Path) -> None:
    with another(folder, root):
        pass
    acquire(folder, root, "work", "mine").release()
    with another(folder, root):
        sweep_locks(folder)
        assert len(list(folder.iterdir())) == 1, "a living one keeps its file"
    assert len(list(folder.iterdir())) == 1
    sweep_locks(folder)
    assert list(folder.iterdir()) == []


def test_each_workspace_and_purpose_has_its_own(folder: Path, root: Path) -> None:
    (root.parent / "link").symlink_to(root)
    with acquire(folder, root, "work", "a"), acquire(folder, root, "write", "b"):
        acquire(folder, root.parent, "work", "c").release()
        with pytest.raises(Busy):
            acquire(folder, root.parent / "link", "work", "the same folder")
    assert list(folder.iterdir()) == [], "nothing is left of a lock"
    assert list(root.iterdir()) == [], "and nothing is ever put into the workspace"


def test_who_waits_gets_it(folder: Path, root: Path) -> None:
    lock = acquire(folder, root, "write", "short")
    timer = threading.Timer(0.2, lock.release)
    timer.start()
    acquire(folder, root, "write", "patient", wait=10).release()
    timer.join()
    lock.release()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"owner": "x"}', '{"owner": 1}'])
def test_what_a_file_says_never_blocks(folder: Path, root: Path, text: str) -> None:
    acquire(folder, root, "work", "a").release()
    with acquire(folder, root, "work", "a"):
        (path,) = folder.iterdir()
    path.write_text(text)
    assert holder_of(path) is None
    acquire(folder, root, "work", "b").release()


def test_pids_of_another_container_are_not_for_a_kill() -> None:
    other = replace(this_process(), namespace="1", pid=77)
    said = Holder(other, "untilgreen serve", "solve job 7", 0.0).text()
    assert "another container" in said
    assert "kill" not in said


def test_without_locks_in_the_file_system_names_must_do(
    folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    def refuse(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    lock = acquire(folder, root, "work", "a")
    with pytest.raises(Busy, match=f"pid {os.getpid()}"):
        acquire(folder, root, "work", "b")
    lock.release()
    gone = replace(this_process(), started="1").text()
    (folder / "x").touch()
    with acquire(folder, root, "work", "c"):
        (path,) = folder.glob("*.work")
    path.write_text(f'{{"owner": "{gone}", "program": "p", "what": "w", "since": 0}}')
    acquire(folder, root, "work", "d").release()


def _compete(folder: Path, root: Path, log: Path, rounds: int) -> None:
    for _ in range(rounds):
        with acquire(folder, root, "write", "compete", wait=30):
            with log.open("a") as file:
                file.write("in\n")
            with log.open("a") as file:
                file.write("out\n")


def test_never_two_at_a_time(folder: Path, root: Path) -> None:
    log = root.parent / "log"
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=_compete, args=(folder, root, log, 50)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert log.read_text() == "in\nout\n" * 200


def test_a_file_that_was_just_removed_is_no_lock(
    folder: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    real = fcntl.flock

    def remove_first(descriptor: int, operation: int) -> None:
        """Who held it before gives it back between our opening and our locking it."""
        monkeypatch.setattr(fcntl, "flock", real)
        (path,) = folder.iterdir()
        path.unlink()
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", remove_first)
    with acquire(folder, root, "work", "a"), pytest.raises(Busy):
        acquire(folder, root, "work", "b")
