"""A server whose box is scripted: the law of keystrokes needs thousands of runs, and no real sandbox.

It runs the few functions of these tests in its own process, which only a test of ours may do. Whatever box
is opened or closed is noted in a file, so that none can be forgotten.
"""

from __future__ import annotations

import asyncio
import builtins
import os
import sys
import tempfile
import traceback
import types
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from untilgreen import engine, ground, pool
from untilgreen.ladder import Ladder
from untilgreen.model import FileChange, Patch, Proposal
from untilgreen.solvers.solver import Task, Workbench
from untilgreen_sandbox.box import Change, Chosen, RunRequest
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

MARK = "# typed"
"""How everything begins that the user of these tests types: whole lines, and ends of lines."""
_CALC = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a + b\n"
_MORE = "FACTOR = 2\n\n\ndef twice(n):\n    return n + FACTOR\n\n\ndef once(n):\n    return n\n"
BASE = {
    "calc.py": (_CALC, "def add(a, b):\n    return a + b\n\n\ndef sub(a, b):\n    return a - b\n"),
    "more.py": (_MORE, _MORE.replace("n + FACTOR", "n * FACTOR")),
}
"""Of each file what it is, and what it should be."""
PAUSE_SECONDS = 0.005
"""So that a keystroke can come between any two steps."""


class ScriptedBox:
    backend = "bubblewrap"
    description = "scripted"

    def __init__(self, note: Callable[[str], None]) -> None:
        self._files: dict[str, bytes] = {}
        self._note = note
        note("open")

    async def put(self, changes: AsyncIterator[Change]) -> None:
        async for change in changes:
            self._lay(self._files, change)

    async def plan(self, request: RunRequest) -> Report:
        await asyncio.sleep(PAUSE_SECONDS)
        ids, broken = _collected(self._files)
        return Report("finished", broken, ids)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        files = dict(self._files)
        for change in changes:
            self._lay(files, change)
        await asyncio.sleep(PAUSE_SECONDS)
        ids, broken = _collected(files)
        wanted = tuple(test_id for test_id in ids if not request.ids or test_id in request.ids)
        cases = tuple(_case(test_id, files) for test_id in wanted)
        return Report("finished", (*broken, *cases), wanted, seconds=0.01)

    async def close(self) -> None:
        self._note("close")

    def _lay(self, files: dict[str, bytes], change: Change) -> None:
        if change.content is None:
            files.pop(change.path, None)
        else:
            files[change.path] = change.content


def _mended(line: str, lines: Iterator[str]) -> str:
    """The next right line, with what was typed at the end of the wrong one."""
    if line.startswith(MARK):
        return line
    _, mark, typed = line.partition("  " + MARK)
    return next(lines) + mark + typed


class Mender:
    """Knows the fix, whatever was typed between and behind the lines that it changes."""

    name = "scripted"

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        files: dict[str, FileChange] = {}
        for name, (_, fixed) in BASE.items():
            lines = iter(fixed.split("\n"))
            now = task.snapshot.read(name).decode().split("\n")
            mended = "\n".join(_mended(line, lines) for line in now)
            files[name] = FileChange(mended.encode())
        yield Proposal(Patch(files), "the signs are swapped", confidence="unique")


def _collected(files: Mapping[str, bytes]) -> tuple[tuple[str, ...], tuple[CaseResult, ...]]:
    ids: list[str] = []
    broken: list[CaseResult] = []
    for path in sorted(files):
        if not path.startswith("test_"):
            continue
        try:
            module = _Imports(files).load(path.removesuffix(".py"))
        except Exception as error:
            broken.append(CaseResult(path, "error", path=path, failure=Failure(type(error).__name__, "")))
            continue
        # Not by parsing: in Python 3.11 two threads that do so at the same moment disturb each other.
        own = [value for value in vars(module).values() if isinstance(value, types.FunctionType)]
        names = [each.__name__ for each in own if each.__module__ == module.__name__]
        ids += [f"{path}::{name}" for name in names if name.startswith("test")]
    return tuple(ids), tuple(broken)


def _case(test_id: str, files: Mapping[str, bytes]) -> CaseResult:
    path, _, name = test_id.partition("::")
    try:
        getattr(_Imports(files).load(path.removesuffix(".py")), name)()
    except Exception as error:
        line = _line_in(path, error)
        failure = Failure(type(error).__name__, str(error), frames=(Frame(path, line, name, ""),))
        return CaseResult(test_id, "failed", 0.001, path, 1, failure)
    return CaseResult(test_id, "passed", 0.001, path, 1)


def _line_in(path: str, error: Exception) -> int:
    """Where in the test it was: the frames before are of this file, those behind of what the test calls."""
    frames = [
        line for frame, line in traceback.walk_tb(error.__traceback__) if frame.f_code.co_filename == path
    ]
    return frames[-1] if frames else 1


class _Imports:
    """Modules of the files first, then those of the process."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._loaded: dict[str, types.ModuleType] = {}

    def load(self, name: str) -> types.ModuleType:
        if name not in self._loaded:
            module = self._loaded[name] = types.ModuleType(name)
            module.__dict__["__builtins__"] = {**vars(builtins), "__import__": self._import}
            exec(compile(self._files[f"{name}.py"], f"{name}.py", "exec"), module.__dict__)
        return self._loaded[name]

    def _import(self, name: str, *rest: Any, **more: Any) -> Any:
        if f"{name}.py" in self._files:
            return self.load(name)
        return _NO_PROCESSES if name == "subprocess" else __import__(name, *rest, **more)


class _Nobody:
    """Stands for a process that never answers: here there is no box that would end it."""

    def __init__(self, argv: list[str], **_: Any) -> None:
        # The text of the program was written for this process alone, and nobody else would remove it.
        program = Path(argv[argv.index("-B") + 1])
        assert program.suffix == ".py" and program.parent == Path(tempfile.gettempdir()), program
        program.unlink()

    def communicate(self, timeout: float) -> tuple[bytes, bytes]:
        raise TimeoutError

    def kill(self) -> None:
        pass


_NO_PROCESSES = types.SimpleNamespace(Popen=_Nobody, PIPE=-1, DEVNULL=-3)


def main() -> None:
    ledger = Path(os.environ["UNTILGREEN_TEST_LEDGER"])

    def note(what: str) -> None:
        with ledger.open("a") as file:
            file.write(f"{what}\n")

    @asynccontextmanager
    async def open_scripted(*_: Any) -> AsyncIterator[ScriptedBox]:
        box = ScriptedBox(note)
        try:
            yield box
        finally:
            await box.close()

    async def choose(*_: Any) -> Chosen:
        return Chosen("bubblewrap", "asked for")

    for module, name, instead in (
        (pool, "open_box", open_scripted),
        (ground, "choose_backend", choose),
        (engine, "build", lambda *_, **__: Ladder((Mender(),))),
    ):
        assert name in vars(module), f"{module.__name__} does not use {name} any more"
        vars(module)[name] = instead
    sys.argv = ["untilgreen", "serve"]
    from untilgreen.cli import main as serve

    serve()


if __name__ == "__main__":
    main()
