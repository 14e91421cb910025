"""The program inside the box: reads requests on its standard input, answers on its standard output.

It never imports anything of the workspace. When it runs as root, tests run as another user and the tree
belongs to that user; it leaves when the host closes the channel, and the box ends with it.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys

from untilgreen_sandbox.inside import ipc, seccomp, wire
from untilgreen_sandbox.inside.confine import Confinement, die_with_parent, hide_this_process
from untilgreen_sandbox.inside.meter import Meter, oom_kills_here
from untilgreen_sandbox.inside.tree import Tree, empty
from untilgreen_sandbox.inside.watchman import Watch, spawn, watch

SCRATCH = ("/tmp", "/dev/shm", "/var/tmp", "/dev/mqueue")
HOST_IN, HOST_OUT = 0, 1
# The host sends whole files; the limit on what it copies is its own.
MAX_FILES = 1 << 30


class HostGone(Exception):
    """Nobody listens any more."""


class Runner:
    """One conversation with the host."""

    def __init__(self, setup: dict[str, object]) -> None:
        self.root = _text(setup, "root")
        self.python = _text(setup, "python")
        self.environment = {str(key): str(value) for key, value in _object(setup, "environment").items()}
        limits = _object(setup, "limits")
        grouped = setup["grouped"] is True
        self.confinement = Confinement(limits, grouped)
        self.output_limit = int(str(limits["output_kb"])) << 10
        self.meter = Meter(
            (int(str(limits["memory_mb"])) + int(str(limits["disk_mb"]))) << 20,
            int(str(limits["n_files"])),
            (self.root, *SCRATCH),
            grouped,
            self._as_tests,
        )
        # The source of what runs in the test process; kept here, where no test can change it.
        self.programs = {str(key): str(value) for key, value in _object(setup, "programs").items()}
        self.mounted = _mount_points()
        mounts = setup.get("mounts")
        self.tree = Tree(self.root, tuple(str(item) for item in mounts) if isinstance(mounts, list) else ())

    def answer(self, message: dict[str, object], blob: bytes) -> dict[str, object]:
        if message["op"] == "put":
            with self._as_tests():
                for path, content, mode in _files(message, blob):
                    self.tree.put(path, content, mode)
            return {"op": "done"}
        if message["op"] == "run":
            return self._run(message, blob)
        raise ValueError("unknown request %r" % message["op"])

    def _run(self, message: dict[str, object], blob: bytes) -> dict[str, object]:
        with self._as_tests():
            for path, content, mode in _files(message, blob):
                self.tree.overlay(path, content, mode)
            os.makedirs(self.environment["HOME"], exist_ok=True)
        seconds = float(str(message["seconds"]))
        before = oom_kills_here()
        ended = watch(
            lambda events, output: self._start(message, events, output, seconds),
            seconds,
            self.output_limit,
            HOST_IN,
            lambda data: _send({"op": "events"}, data),
            self.meter,
        )
        if ended.how == "hangup":
            raise HostGone
        out_of_memory = ended.over == "memory" or oom_kills_here() > before
        for part, kept in (("head", ended.output.head), ("tail", ended.output.tail)):
            for at in range(0, len(kept), wire.MAX_BLOB):
                _send({"op": "output", "part": part}, bytes(kept[at : at + wire.MAX_BLOB]))
        return {"op": "ended", "oom": out_of_memory, "clean": self._clean(), **_told(ended)}

    def _start(self, message: dict[str, object], events: int, output: int, seconds: float) -> int:
        source = self.programs[_text(message, "program")]
        with os.fdopen(os.memfd_create("request"), "w+") as request:
            json.dump(message["request"], request)
            request.flush()
            request.seek(0)
            keep = (request.fileno(), events)
            argv = [self.python, "-I", "-B", "-c", source, *(str(descriptor) for descriptor in keep)]
            return spawn(
                argv, self.environment, self.root, keep, output, lambda: self.confinement.enter(seconds)
            )

    def _clean(self) -> bool:
        """Undo what the run did to the box; False when that cannot be done and the box is spent."""
        try:
            with self._as_tests():
                self.tree.restore()
                ipc.remove_all()
                for folder in SCRATCH:
                    if os.path.isdir(folder):
                        empty(folder, self.mounted)
        except (OSError, RecursionError) as error:
            print("the box cannot be made clean: %r" % error, file=sys.stderr)
            return False
        return True

    def _as_tests(self) -> _OtherUser:
        return _OtherUser(self.confinement.uid if os.getuid() == 0 else None)


class _OtherUser:
    """Work on files as the tests' user, so that they own them; our real user stays out of their reach."""

    def __init__(self, uid: int | None) -> None:
        self.uid = uid

    def __enter__(self) -> None:
        if self.uid is not None:
            os.setegid(self.uid)
            os.seteuid(self.uid)

    def __exit__(self, *_: object) -> None:
        if self.uid is not None:
            os.seteuid(0)
            os.setegid(0)
            die_with_parent()


def main() -> None:
    hide_this_process()
    # What tests may not call, their watcher never needs; engines' own profiles differ, this one is the same.
    seccomp.install()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o022)
    try:
        _send({"op": "hello", "version": list(sys.version_info[:2]), "uid": os.getuid(), "pid": os.getpid()})
        message, _ = _receive()
        runner = Runner(message)
        _send({"op": "ready"})
        while True:
            message, blob = _receive()
            try:
                reply = runner.answer(message, blob)
            except (OSError, ValueError, KeyError, TypeError) as error:
                reply = {"op": "error", "text": "%s: %s" % (type(error).__name__, error)}
            _send(reply)
    except (HostGone, BrokenPipeError):
        pass
    os._exit(0)


def _told(ended: Watch) -> dict[str, object]:
    return {
        "how": ended.how,
        "status": ended.status,
        "seconds": round(ended.seconds, 4),
        "over": ended.over,
        "dropped": ended.output.dropped,
    }


def _mount_points() -> frozenset[str]:
    with open("/proc/self/mountinfo", errors="surrogateescape") as file:
        places = [line.split(" ")[4] for line in file]
    # The kernel writes a space, a tab, a line end and a backslash as three octal digits.
    return frozenset(re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), place) for place in places)


def _files(message: dict[str, object], blob: bytes) -> list[tuple[str, bytes | None, int]]:
    """The files of a request: `[path, mode, size or null]` each, their bytes one after the other."""
    listed = message.get("files")
    if not isinstance(listed, list):
        raise ValueError("files is not a list")
    files: list[tuple[str, bytes | None, int]] = []
    at = 0
    for path, mode, size in listed:
        files.append((path, None if size is None else blob[at : at + size], mode))
        at += size or 0
    if at != len(blob):
        raise ValueError("sizes and bytes do not agree")
    return files


def _receive() -> tuple[dict[str, object], bytes]:
    n_json, n_blob = wire.sizes(_read(wire.HEADER.size), MAX_FILES)
    return wire.parse(_read(n_json)), _read(n_blob)


def _read(size: int) -> bytes:
    parts = []
    while size:
        part = os.read(HOST_IN, min(size, 1 << 20))
        if not part:
            raise HostGone
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _send(message: dict[str, object], blob: bytes = b"") -> None:
    view = memoryview(wire.pack(message, blob))
    while view:
        view = view[os.write(HOST_OUT, view) :]


def _text(message: dict[str, object], name: str) -> str:
    value = message[name]
    if not isinstance(value, str):
        raise ValueError("%s is not a text" % name)
    return value


def _object(message: dict[str, object], name: str) -> dict[str, object]:
    value = message[name]
    if not isinstance(value, dict):
        raise ValueError("%s is not an object" % name)
    return value
