"""Templates: processes that have come as far as the user's own code lets them, and wait to be forked.

What happens in a template is `checkpoint.py`; this is the side of the program that watches it.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import struct
import time
from collections.abc import Callable, Iterable

RECORD = struct.Struct("!iI")
ARRIVED, UNSAFE, FORKED, ENDED = 1, 2, 3, 4
PATIENCE = 10.0
"""Seconds for a fork, and for the word that it has ended."""
MOST = 3
WORD = 16
"""Bytes by which a run is known that says that it ends; code that writes anywhere does not know them."""
MOST_SAID = 1 << 20
"""As much as any pipe holds."""

Start = Callable[[int, int, int, int, int], int]
"""Of control, status, events, output, and where a run says that it is about to end."""


class TemplateLost(Exception):
    """It ended or does not answer; this says nothing about the tests."""


class Changed:
    """Paths with other contents than the pristine ones, and those of them that appear or vanish."""

    def __init__(self, paths: Iterable[str] = (), moved: Iterable[str] = ()) -> None:
        self.paths = frozenset(paths)
        self.moved = frozenset(moved)

    def __or__(self, other: Changed) -> Changed:
        return Changed(self.paths | other.paths, self.moved | other.moved)

    def holds(self, other: Changed) -> bool:
        return self.paths >= other.paths and self.moved >= other.moved


class Template:
    """One waiting process, and the pipes that it and all its forks use, one after the other."""

    def __init__(self, unseen: Changed, start: Start) -> None:
        """`start` gets the ends for the process, in the order of `Start`, and returns its pid."""
        self.unseen = unseen
        """What it has not looked at: a run may change this and nothing else."""
        self.where = ""
        self.printed = b""
        """What it wrote before it waited; each of its runs would have written it."""
        control, self._control = os.pipe()
        self.status, status = os.pipe()
        self.events, events = os.pipe()
        self.output, output = os.pipe()
        self.leaving, leaving = os.pipe()
        os.set_blocking(self.leaving, False)
        try:
            self.pid = start(control, status, events, output, leaving)
        except OSError:
            self._close()
            raise
        finally:
            for descriptor in (control, status, events, output, leaving):
                os.close(descriptor)

    def fork(self, run: dict[str, object]) -> Forked:
        """One was made ahead and waits for this word; by then it has its own copy of what it will change."""
        pid = int(self.hear(FORKED))
        word = os.urandom(WORD)
        body = json.dumps({**run, "word": word.hex()}).encode()
        try:
            view = memoryview(struct.pack("!I", len(body)) + body)
            while view:
                view = view[os.write(self._control, view) :]
        except BrokenPipeError:
            raise TemplateLost from None
        return Forked(self, pid, word)

    def hear(self, *expected: int) -> str:
        """The next word of the template, which must be one of these kinds."""
        kind, size = RECORD.unpack(self._read(RECORD.size))
        text = self._read(size).decode("utf-8", "replace")
        if kind == UNSAFE:
            raise TemplateLost(text)
        if kind not in expected:
            raise TemplateLost
        return text

    def _read(self, size: int) -> bytes:
        data = b""
        deadline = time.monotonic() + PATIENCE
        while len(data) < size:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.status], [], [], left)[0]:
                raise TemplateLost
            part = os.read(self.status, size - len(data))
            if not part:
                raise TemplateLost
            data += part
        return data

    def end(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        self._close()

    def _close(self) -> None:
        for descriptor in (self._control, self.status, self.events, self.output, self.leaving):
            os.close(descriptor)


class _OfTemplate:
    def __init__(self, template: Template, pid: int) -> None:
        self.template = template
        self.pid = pid
        self.events, self.output, self.ended = template.events, template.output, template.status
        self.leaving = -1

    def said(self) -> int | None:
        return None

    def release(self) -> None:
        """The pipes stay with the template."""


class Arriving(_OfTemplate):
    """A template on its way; its end, for whoever watches, is that it waits."""

    def __init__(self, template: Template) -> None:
        super().__init__(template, template.pid)

    def status(self) -> int:
        self.template.where = self.template.hear(ARRIVED)
        return 0


class Forked(_OfTemplate):
    """One run. How it ended is for its parent to say, but that it ended can be seen without the parent."""

    def __init__(self, template: Template, pid: int, word: bytes) -> None:
        super().__init__(template, pid)
        self._word = word
        self._process = -1
        self.leaving = template.leaving
        with contextlib.suppress(ProcessLookupError):
            self.ended = self._process = os.pidfd_open(pid)

    def said(self) -> int | None:
        told = os.read(self.leaving, WORD + 2)
        return told[WORD] if told[:-1] == self._word else None

    def release(self) -> None:
        if self._process >= 0:
            os.close(self._process)
        with contextlib.suppress(BlockingIOError):
            # What it said of its end is not for the next run, which has the same pipe.
            os.read(self.leaving, MOST_SAID)

    def status(self) -> int:
        pid, status = self.template.hear(ENDED).split()
        if int(pid) != self.pid:
            raise TemplateLost
        return int(status)


class Templates:
    """The few that are worth keeping, the one used last at the end."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, Template]] = []
        self._refused: dict[tuple[str, frozenset[str]], str] = {}

    @property
    def pids(self) -> list[int]:
        return [template.pid for _, template in self._kept]

    def find(self, key: str, changed: Changed) -> Template | None:
        """The one for this key that has looked at nothing of what is changed, and at most of the rest."""
        fitting = [
            template for other, template in self._kept if other == key and template.unseen.holds(changed)
        ]
        if not fitting:
            return None
        template = min(fitting, key=lambda one: len(one.unseen.paths))
        self._kept.remove((key, template))
        self._kept.append((key, template))
        return template

    def keep(self, key: str, template: Template) -> None:
        while len(self._kept) >= MOST:
            self.drop(self._kept[0][1])
        self._kept.append((key, template))

    def refuse(self, key: str, unseen: Changed, reason: str) -> None:
        self._refused[key, unseen.paths] = reason

    def refusal(self, key: str, unseen: Changed) -> str:
        """Why there can be none such; empty when nothing speaks against it."""
        return self._refused.get((key, unseen.paths), "")

    def drop(self, template: Template) -> None:
        self._kept = [kept for kept in self._kept if kept[1] is not template]
        template.end()

    def end(self) -> None:
        """All of them; the time of what is left to the end of the box would be nobody's."""
        for _, template in list(self._kept):
            self.drop(template)

    def changed(self, changed: Changed) -> None:
        """The pristine tree is another now: only those that have not looked at these files stay right."""
        self._refused.clear()
        for _, template in list(self._kept):
            if not template.unseen.holds(changed):
                self.drop(template)


def found_by_looking(path: str, folders: set[str]) -> bool:
    """Whether code may ask for such a file other than by importing it: tests, configuration, data.

    A folder that becomes a package, or no longer is one, changes the names of all that lies in it.
    """
    folder, name = os.path.split(path)
    if name == "__init__.py" and folder in folders:
        return True
    test = name.startswith("test") or name.endswith("_test.py") or name == "conftest.py"
    return test or not name.endswith(".py")
