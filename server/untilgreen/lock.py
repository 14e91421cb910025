"""One at a time per workspace, across processes: two editors and a terminal on one folder are normal.

The kernel holds the lock and gives it back when its process ends, however that ends: a killed owner never
blocks. The file only says who holds it.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from untilgreen.errors import Busy
from untilgreen.workspace import digest_of
from untilgreen_sandbox.owner import Owner, is_gone, this_process

Purpose = Literal["work", "write", "prune"]
"""A job's whole life; the moment in which files or undo records are changed; old jobs making room."""

_NO_LOCKS_HERE = {errno.ENOLCK, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOSYS}
_SETTLE_SECONDS = 0.5
_PAUSE_SECONDS = 0.01


@dataclass(frozen=True, slots=True)
class Holder:
    """Who works in a workspace, in the words of its lock file."""

    owner: Owner
    program: str
    what: str
    """What it does: `solve job 0199…`."""
    since: float

    def text(self) -> str:
        here = this_process()
        if (self.owner.machine, self.owner.namespace) == (here.machine, here.namespace):
            where, way_out = f"pid {self.owner.pid}", f"end it: kill {self.owner.pid}"
        else:
            where, way_out = f"pid {self.owner.pid} in another container or machine", "end it there"
        when = time.strftime("%H:%M:%S", time.localtime(self.since))
        return (
            f"{self.program} ({where}) since {when}: {self.what}. Wait for it, stop it there, or {way_out}."
        )


class Lock:
    """Held from `acquire` until `release`, or until the process is gone."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    def release(self) -> None:
        """Once or more often; only the first time counts."""
        if self._descriptor < 0:
            return
        # Removed while it is held: whoever opened it before sees that it is not the file of that name.
        with contextlib.suppress(OSError):
            self._path.unlink()
        os.close(self._descriptor)
        self._descriptor = -1

    def __enter__(self) -> Lock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def acquire(folder: Path, root: Path, purpose: Purpose, what: str, *, wait: float = 0.0) -> Lock:
    """Busy, with the holder's name, when somebody else holds it for longer than `wait` seconds."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = digest_of(os.fsencode(os.path.normcase(root.resolve())))
    path = folder / f"{name}.{purpose}"
    deadline = time.monotonic() + max(wait, _SETTLE_SECONDS)
    while True:
        descriptor = _try(path)
        if descriptor is not None:
            _sign(descriptor, what)
            return Lock(path, descriptor)
        holder = holder_of(path)
        # Without a living name in it, somebody is just about to sign it or to remove it.
        known = holder is not None and not is_gone(holder.owner)
        if time.monotonic() > deadline or (known and not wait):
            raise Busy(_refusal(root, holder))
        time.sleep(_PAUSE_SECONDS)


def holder_of(path: Path) -> Holder | None:
    """Who signed this lock file; None when nobody did, or when it cannot be read."""
    try:
        value = json.loads(path.read_bytes())
        owner = Owner.parse(str(value["owner"]))
        if owner is None:
            return None
        return Holder(owner, str(value["program"]), str(value["what"]), float(value["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def sweep_locks(folder: Path) -> None:
    """Remove the files of processes that are certainly gone."""
    for path in folder.glob("*.*"):
        holder = holder_of(path)
        if holder is not None and is_gone(holder.owner) and (descriptor := _try(path)) is not None:
            Lock(path, descriptor).release()


def program_name() -> str:
    """What this process is called by whoever started it."""
    program = Path(sys.argv[0]).name if sys.argv else ""
    if program in ("untilgreen", "untilgreen.exe", "__main__.py"):
        return " ".join(["untilgreen", *sys.argv[1:2]])
    return program or "untilgreen"


def _try(path: Path) -> int | None:
    """A descriptor that holds the lock of just this file, or None when somebody else does."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        descriptor = os.open(path, flags, 0o600)
        try:
            held = _lock(descriptor, path)
            same = held and _is_named(descriptor, path)
        except BaseException:
            os.close(descriptor)
            raise
        if same:
            return descriptor
        os.close(descriptor)
        if not held:
            return None


def _lock(descriptor: int, path: Path) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            # Beyond the text, which others must be able to read.
            os.lseek(descriptor, 1 << 30, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno not in _NO_LOCKS_HERE:
            return False
        # Some network file systems have no locks: there the name in the file has to do.
        holder = holder_of(path)
        return holder is None or is_gone(holder.owner)
    return True


def _is_named(descriptor: int, path: Path) -> bool:
    """Whether the path still leads to the open file: who held it before may have removed it."""
    try:
        mine, named = os.fstat(descriptor), path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    return (mine.st_dev, mine.st_ino) == (named.st_dev, named.st_ino)


def _sign(descriptor: int, what: str) -> None:
    value = {"owner": this_process().text(), "program": program_name(), "what": what, "since": time.time()}
    os.lseek(descriptor, 0, os.SEEK_SET)
    os.truncate(descriptor, 0)
    os.write(descriptor, json.dumps(value).encode())


def _refusal(root: Path, holder: Holder | None) -> str:
    if holder is None:
        return f"Another untilgreen is busy in {root}. Wait for it, or stop it there."
    return f"Another untilgreen is busy in {root}: {holder.text()}"
