"""What tests find when they start: the tree, and scratch folders that are empty; and how it is so again.

A run is answered before it is cleared away: the host reads while the place is made ready for the next run,
which cannot begin earlier.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable

from untilgreen_sandbox.inside import ipc
from untilgreen_sandbox.inside.confine import OtherUser
from untilgreen_sandbox.inside.host import Files
from untilgreen_sandbox.inside.templates import Changed
from untilgreen_sandbox.inside.tree import Tree, empty, empty_own
from untilgreen_sandbox.inside.vigil import Touched, Vigil

SCRATCH = ("/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue")


class Workplace:
    """Only used while no test process is alive, but for `touched` and `forget_touches`."""

    def __init__(self, tree: Tree, home: str, as_tests: Callable[[], OtherUser]) -> None:
        self.tree = tree
        self._home = home
        self._as_tests = as_tests
        self._mounted = _mount_points()
        self._vigil = Vigil(tree.root)
        self._ready = False
        self._used = False
        self._doubtful = False

    def put(self, files: Files) -> None:
        """Make these the pristine contents."""
        self._ready = False
        with self._as_tests():
            for path, content, mode in files:
                self.tree.put(path, content, mode)

    def prepare(self) -> None:
        """Before a run; costs nothing when the last one was cleared away and nothing was put since."""
        if self._ready:
            return
        self._vigil.watch(self.tree.folders)
        with self._as_tests():
            os.makedirs(self._home, exist_ok=True)
        self._ready = True

    def lay(self, files: Files) -> None:
        """The candidate's files over the pristine ones; that we did so is nothing a run has touched."""
        with self._as_tests():
            for path, content, mode in files:
                self.tree.overlay(path, content, mode)
        self._vigil.take()

    def changed(self, files: Files) -> Changed:
        moved = [path for path, content, _ in files if self.tree.differs(path, content is not None)]
        return Changed([path for path, _, _ in files], moved)

    def forget_touches(self) -> None:
        """What was touched up to now is nobody's doing who is asked about."""
        self._vigil.take()

    def touched(self) -> Touched | None:
        """Since the last question; None when that cannot be known."""
        return self._vigil.take()

    def leave(self, *, doubtful: bool) -> None:
        """A run ended here; in doubt it may have touched more than the kernel tells."""
        self._used, self._doubtful = True, doubtful

    def tidy(self) -> bool:
        """Make ready for the next run what the last one left; False when that cannot be done."""
        if self._used:
            self._used = False
            # An open file may be in flight between sockets that nobody holds; its last close is to come.
            known = not (self._doubtful or ipc.unix_sockets())
            if not self.clean(self._vigil.take() if known else None):
                return False
            self.prepare()
        return True

    def clean(self, touched: Touched | None) -> bool:
        """Undo what a run did to the box; False when that cannot be done and the box is spent."""
        self._ready = False
        try:
            with self._as_tests():
                ipc.forget_sockets()
                self.tree.restore(touched)
                ipc.remove_all()
                for folder in SCRATCH:
                    if os.path.isdir(folder):
                        empty(folder, self._mounted)
        except (OSError, RecursionError) as error:
            print("the box cannot be made clean: %r" % error, file=sys.stderr)
            return False
        if touched is None or touched.folders:
            self._vigil.forget()
        return True


def empty_scratch_of(user: int | None) -> None:
    """Remove from the scratch folders what belongs to this user, and nothing else."""
    with OtherUser(user):
        for folder in SCRATCH:
            empty_own(folder)


def _mount_points() -> frozenset[str]:
    with open("/proc/self/mountinfo", errors="surrogateescape") as file:
        places = [line.split(" ")[4] for line in file]
    # The kernel writes a space, a tab, a line end and a backslash as three octal digits.
    return frozenset(re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), place) for place in places)
