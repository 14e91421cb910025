"""A control group for one bubblewrap box: memory and number of processes, counted over all of its processes.

Only where the machine lets us make one: below our own group, so that what limits us limits the box, too; in
the older layout one in each hierarchy, in the newer one beside our own when memory is handed down there.
Where nothing of this is to be had the program inside measures by itself.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from untilgreen_sandbox.box import Limits
from untilgreen_sandbox.inside.meter import oom_kills
from untilgreen_sandbox.owner import Owner, is_gone, this_process

PREFIX = "untilgreen-"
OWN_PROCESSES = 8
"""bubblewrap itself and the program inside, with some room."""
REMOVE_SECONDS = 2.0
_PROC = Path("/proc/self")
_COUNT = itertools.count()


@dataclass(frozen=True, slots=True)
class Place:
    """A folder in which groups can be made, and what they limit there."""

    folder: Path
    controllers: frozenset[str]
    unified: bool


class Group:
    """Made before the box starts, joined by its first process, removed when the box is closed."""

    def __init__(self, folders: tuple[Path, ...], counted: Path) -> None:
        self._folders = folders
        self._counted = counted

    def joining(self) -> tuple[int, ...]:
        """Descriptors on which a process writes `0` to join; a new process should do no more than that."""
        return tuple(os.open(folder / "cgroup.procs", os.O_WRONLY) for folder in self._folders)

    def oom_kills(self) -> int:
        """How often the kernel killed in this group for want of memory."""
        try:
            return oom_kills(self._counted.read_text())
        except OSError:
            return 0

    def remove(self) -> None:
        """A group goes when its last process is gone, and the kernel takes a moment for that.

        bubblewrap that is killed while it sets up can leave its child waiting for ever; it ends here.
        """
        deadline = time.monotonic() + REMOVE_SECONDS
        left = list(self._folders)
        while left:
            for folder in left:
                _end_processes(folder)
            left = [folder for folder in left if not _removed(folder)]
            if not left or time.monotonic() > deadline:
                return  # The next start tries again, by the owner's name.
            time.sleep(0.005)


def make_group(limits: Limits, proc: Path = _PROC) -> Group | None:
    """None when this machine, or this user, cannot have one that limits memory."""
    name = f"{PREFIX}{this_process().text()}-{next(_COUNT)}"
    made: list[Path] = []
    counted: Path | None = None
    for place in _places(proc):
        folder = place.folder / name
        settings = _settings(place, limits)
        try:
            folder.mkdir()
            made.append(folder)
            for file, value, needed in settings:
                if needed or (folder / file).exists():
                    (folder / file).write_text(value)
            if not os.access(folder / "cgroup.procs", os.W_OK):
                raise PermissionError(folder)
        except OSError:
            _removed(folder)
            made = [one for one in made if one != folder]
            continue
        if "memory" in place.controllers:
            counted = folder / ("memory.events" if place.unified else "memory.oom_control")
    group = Group(tuple(made), counted or Path())
    if counted is None:
        group.remove()
        return None
    return group


def reap(proc: Path = _PROC) -> tuple[str, ...]:
    """Remove groups, anywhere on this machine, whose owner is certainly gone."""
    removed = []
    for mount, _, _ in _mounts(proc):
        for folder, folders, _files in os.walk(mount):
            for name in [name for name in folders if name.startswith(PREFIX)]:
                folders.remove(name)
                owner = Owner.parse(name.removeprefix(PREFIX).rpartition("-")[0])
                if owner is not None and is_gone(owner):
                    Group((Path(folder, name),), Path()).remove()
                    removed.append(name)
    return tuple(removed)


def _settings(place: Place, limits: Limits) -> list[tuple[str, str, bool]]:
    """File, value, and whether there is no limit without it."""
    # Files of a tmpfs are memory to the kernel.
    memory = str((limits.memory_mb + limits.disk_mb) << 20)
    processes = str(limits.processes + OWN_PROCESSES)
    found = []
    if "memory" in place.controllers and place.unified:
        found += [("memory.max", memory, True), ("memory.swap.max", "0", False)]
    elif "memory" in place.controllers:
        found += [("memory.limit_in_bytes", memory, True), ("memory.memsw.limit_in_bytes", memory, False)]
    if "pids" in place.controllers:
        found.append(("pids.max", processes, True))
    return found


def _places(proc: Path) -> Iterator[Place]:
    """Where groups for memory and processes belong, as this process sees its own groups."""
    wanted = {"memory", "pids"}
    try:
        own = [line.split(":", 2) for line in (proc / "cgroup").read_text().splitlines()]
    except OSError:
        return
    mounts = list(_mounts(proc))
    for _, named, path in own:
        controllers = set(named.split(",")) & wanted
        for mount, root, options in mounts:
            unified = options is None
            if unified != (named == "") or (options is not None and not controllers <= options):
                continue
            folder = mount / os.path.relpath(path, root) if _below(path, root) else mount
            if controllers:
                yield Place(folder, frozenset(controllers), unified=False)
            elif unified:
                # A group that has processes of its own cannot hand memory down: a neighbour then.
                for one in (folder, folder.parent):
                    handed = wanted & set(_words(one / "cgroup.subtree_control"))
                    if "memory" in handed and one.is_relative_to(mount):
                        yield Place(one, frozenset(handed), unified=True)
                        break


def _mounts(proc: Path) -> Iterator[tuple[Path, str, set[str] | None]]:
    """Mount point, the group that is its root, and its controllers; None for the newer layout."""
    try:
        lines = (proc / "mountinfo").read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return
    for line in lines:
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = (
                re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), text)
                for text in before.split(" ")[3:5]
            )
            yield Path(point), root, None if kind == "cgroup2" else set(options.split(","))


def _below(path: str, root: str) -> bool:
    return Path(path).is_relative_to(root)


def _words(path: Path) -> list[str]:
    with contextlib.suppress(OSError):
        return path.read_text().split()
    return []


def _end_processes(folder: Path) -> None:
    for word in _words(folder / "cgroup.procs"):
        # A process of another namespace is shown as 0, and that would be ourselves.
        if word.isdigit() and int(word) > 1:
            with contextlib.suppress(OSError):
                os.kill(int(word), signal.SIGKILL)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
