"""What happens to the files of a folder, told by the operating system; by looking again and again where it
cannot tell. A folder that goes and comes back is watched again."""

from __future__ import annotations

import asyncio
import contextlib
import os
import platform
import sys
import time
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from watchfiles import Change, awatch

from untilgreen.watching.noise import is_noise

# The kernel tells nothing of what other machines do to these.
_DEAF = frozenset(
    {"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "vboxsf", "prl_fs", "drvfs", "fuse.sshfs", "virtiofs"}
)
_STEP_MS = 100
_GATHER_MS = 200
_POLL_MS = 1000
_MOST_POLL_MS = 10_000
_RESTS = 10
"""How many times longer nobody looks than a look takes, where files are looked at again and again."""
_TIMEOUT_MS = 5000
_ABSENT_SECONDS = 0.3
_COARSE_SECONDS = 1.1
"""Who looks again and again compares whole seconds: what is written twice in one of them is seen once."""


async def touched_files(root: Path, *, polling: bool = False) -> AsyncIterator[frozenset[str] | None]:
    """Paths in the folder that were written, made or removed; None when anything may have been.

    The first answer is None: from then on nothing is missed.
    """
    polling = polling or is_deaf(root)
    while True:
        identity = await _until_there(root)
        looks = polling or _is_to_be_polled()
        told = awatch(
            root,
            watch_filter=None,
            debounce=_GATHER_MS,
            step=_STEP_MS,
            rust_timeout=_TIMEOUT_MS,
            yield_on_timeout=True,
            force_polling=looks,
            poll_delay_ms=await asyncio.to_thread(_poll_ms, root) if looks else _POLL_MS,
            ignore_permission_denied=True,
        )
        # It begins to watch before it waits for the first time.
        following = asyncio.ensure_future(anext(told))
        try:
            await asyncio.sleep(_COARSE_SECONDS if looks else 0)
            if not following.done() or following.exception() is None:
                yield None
            unsure: frozenset[str] = frozenset()
            while True:
                if unsure and not (await asyncio.wait([following], timeout=_COARSE_SECONDS))[0]:
                    paths, unsure = unsure, frozenset()
                    yield paths
                    continue
                changes = await following
                # A folder that was made anew at once may look like the old one, which nobody hears of again.
                if _identity(root) != identity or (Change.deleted, str(root)) in changes:
                    break
                following = asyncio.ensure_future(anext(told))
                if paths := _paths(root, changes):
                    unsure |= paths if looks else frozenset()
                    yield paths
        except (OSError, RuntimeError, StopAsyncIteration):
            # No more folders can be watched, or this one went away at this very moment.
            polling = polling or _identity(root) == identity
            await asyncio.sleep(_ABSENT_SECONDS)
        finally:
            following.cancel()
            with contextlib.suppress(asyncio.CancelledError, OSError, RuntimeError, StopAsyncIteration):
                await following
            await told.aclose()


async def _until_there(root: Path) -> tuple[int, int]:
    while True:
        if (identity := _identity(root)) is not None:
            return identity
        await asyncio.sleep(_ABSENT_SECONDS)


def _poll_ms(root: Path) -> int:
    """How long to wait between two looks at a tree; packages and all else that git ignores is in it, too."""
    return min(_MOST_POLL_MS, max(_POLL_MS, round(_RESTS * 1000 * _seconds_of_a_look(root))))


def _seconds_of_a_look(root: Path) -> float:
    begun = time.monotonic()
    for folder, _, names in os.walk(root):
        for name in names:
            with contextlib.suppress(OSError):
                os.lstat(f"{folder}/{name}")
    return time.monotonic() - begun


def _paths(root: Path, changes: Iterable[tuple[object, str]]) -> frozenset[str]:
    return frozenset(path for _, full in changes if (path := _within(root, full)) and not is_noise(path))


def is_deaf(root: Path, mounts: Path = Path("/proc/self/mountinfo")) -> bool:
    """Whether the folder lies on a file system that tells of nothing. Unknown ones are taken to tell."""
    try:
        lines = mounts.read_text("utf-8", "replace").splitlines()
    except OSError:
        return False
    best, kind = "", ""
    where = f"{os.path.realpath(root)}/"
    for line in lines:
        fields, _, rest = line.partition(" - ")
        mount = fields.split()[4].replace("\\040", " ")
        if where.startswith(f"{mount.rstrip('/')}/") and len(mount) >= len(best):
            best, kind = mount, rest.split()[0]
    return kind in _DEAF


def _is_to_be_polled() -> bool:
    """As watchfiles decides it by itself: the user says so, or Linux runs inside of Windows."""
    said = os.environ.get("WATCHFILES_FORCE_POLLING", "").lower()
    if said:
        return said not in ("false", "disable", "disabled")
    return sys.platform == "linux" and "microsoft-standard" in platform.release().lower()


def _identity(root: Path) -> tuple[int, int] | None:
    try:
        found = root.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _within(root: Path, path: str) -> str:
    """Relative and posix; empty for what lies outside, and for the folder itself."""
    try:
        within = Path(path).relative_to(root).as_posix()
    except ValueError:
        return ""
    return within if within != "." else ""
