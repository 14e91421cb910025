"""A second process that looks at half of a large tree, while we look at the other half.

To look is the kernel's work, one file after the other, and most machines have another processor for it; our
own threads would only wait for each other. What it says is believed where all is as it was; at everything
else we look ourselves. It starts when a large tree is looked at again, and ends with its input.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from untilgreen.workspace.seen import SeenFolder

MANY = 8000
"""Files from which on it pays."""
OWN_SHARE = 0.54
"""It has to say what it saw, too, so it gets a little less than half."""
PROGRAM = Path(__file__).with_name("looking.py")
_HEAD = 4


class SecondLook:
    """Of one workspace. Not for two threads at once."""

    def __init__(self, many: int = MANY) -> None:
        self._many = many
        self._process: subprocess.Popen[bytes] | None = None
        self._told: list[SeenFolder] = []

    def stale(self, folders: Sequence[SeenFolder], is_as_it_was: Callable[[SeenFolder], bool]) -> set[str]:
        """The folders that are not as they were and must be listed again."""
        own, others = self._parted(folders)
        asked = bool(others) and self._ask(others)
        try:
            found = {seen.place.folder for seen in own if not is_as_it_was(seen)}
        except BaseException:
            self.close()  # Its answer would be taken for that to the next question.
            raise
        told = self._answers() if asked else []
        for n, seen in enumerate(others):
            if n < len(told) and told[n] is not None and told[n] == seen.digest_of_looks():
                seen.found = seen.known
            elif not is_as_it_was(seen):
                found.add(seen.place.folder)
        return found

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            assert process.stdin is not None and process.stdout is not None
            with contextlib.suppress(OSError):
                process.stdin.close()
            process.stdout.close()
            process.wait()

    def _parted(self, folders: Sequence[SeenFolder]) -> tuple[Sequence[SeenFolder], Sequence[SeenFolder]]:
        """In two halves with about as many files; all in the first one where it is not worth it."""
        n_files = sum(len(seen.where) for seen in folders)
        if n_files < self._many or (os.cpu_count() or 1) < 2:
            return folders, ()
        half, n = OWN_SHARE * n_files, 0
        for at, seen in enumerate(folders):
            n += len(seen.where)
            if n >= half:
                return folders[: at + 1], folders[at + 1 :]
        return folders, ()

    def _ask(self, folders: Sequence[SeenFolder]) -> bool:
        """Whether it was asked; what it is to look at is told when that is something else than before."""
        try:
            if self._process is None:
                self._process, self._told = _start(), []
            same = len(self._told) == len(folders) and all(map(_is, self._told, folders))
            body = b"" if same else marshal.dumps([[*seen.marks, *seen.where] for seen in folders])
            self._told = list(folders)
            assert self._process.stdin is not None
            self._process.stdin.write(len(body).to_bytes(_HEAD, "big") + body)
            self._process.stdin.flush()
        except OSError:
            self.close()
            return False
        return True

    def _answers(self) -> list[bytes | None]:
        assert self._process is not None and self._process.stdout is not None
        size = int.from_bytes(self._process.stdout.read(_HEAD), "big")
        body = self._process.stdout.read(size)
        if not size or len(body) < size:
            self.close()
            return []
        answers: list[bytes | None] = marshal.loads(body)
        return answers


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def _is(one: SeenFolder, other: SeenFolder) -> bool:
    return one is other
