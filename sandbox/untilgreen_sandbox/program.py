"""The host's side of the program inside: how it gets there, what it is told, what it answers."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from untilgreen_sandbox.box import BoxSpec, Change, RunRequest
from untilgreen_sandbox.channel import Channel
from untilgreen_sandbox.errors import BadFrame, BoxLost, SandboxError
from untilgreen_sandbox.evaluating import EvaluationReading, told_candidates
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.inside.packed import MAGIC
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.runners import pytest as pytest_runner
from untilgreen_sandbox.sources import child_code, child_sources, program_frame
from untilgreen_sandbox.trace import TraceReport

ENVIRONMENT = {
    "HOME": "/tmp/home",
    "USER": "untilgreen",
    "LANG": "C.UTF-8",
    # Bytecode left by one version of a file could be taken for the next.
    "PYTHONDONTWRITEBYTECODE": "1",
    # Pools of threads that libraries start when they are imported: a process with threads cannot be forked,
    # and several boxes share the processors.
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
"""What tests find in their environment, besides a PATH, and a VIRTUAL_ENV if there is one."""
BATCH = 2 << 20
HELLO_SECONDS = 30.0
GRACE_SECONDS = 30.0
"""How much longer than a run's own limit the host waits before it calls the box lost."""


class Program:
    """One conversation with one program inside."""

    def __init__(
        self,
        channel: Channel,
        spec: BoxSpec,
        root: str,
        bundled: str,
        oom_kills: Callable[[], int] = lambda: 0,
    ) -> None:
        self._channel = channel
        self._spec = spec
        self._root = root
        self._bundled = bundled
        self._told_ahead: dict[str, list[str]] = {}
        self._oom_kills = oom_kills
        """For a control group that is seen from outside only."""
        self.spent = False
        """True while something is under way, and for ever when it did not end in order or left something that
        cannot be undone: a later answer could then be the answer to an earlier question."""

    async def start(
        self,
        *,
        python: str,
        uid: int,
        environment: dict[str, str],
        grouped: bool,
        mounts: Iterable[str] = (),
    ) -> dict[str, Any]:
        """Send the program in and tell it how tests run; returns what it says about itself.

        `grouped` means that a control group holds memory and number of processes.
        """
        await self._channel.send_raw(program_frame())
        hello = await self._expect("hello", HELLO_SECONDS)
        limits = self._spec.limits
        plain, probing = child_code()
        await self._channel.send(
            {
                "op": "setup",
                "root": self._root,
                "python": python,
                "environment": environment,
                "mounts": list(mounts),
                "grouped": grouped,
                "sources": child_sources(),
                "magic": MAGIC,
                "n_plain": len(plain),
                "limits": {
                    "uid": uid,
                    "memory_mb": limits.memory_mb,
                    "processes": limits.processes,
                    "open_files": limits.open_files,
                    "file_mb": limits.file_mb,
                    "disk_mb": limits.disk_mb,
                    "n_files": limits.n_files,
                    "output_kb": limits.output_kb,
                },
            },
            plain + probing,
        )
        await self._expect("ready", HELLO_SECONDS)
        return hello

    async def put(self, changes: AsyncIterator[Change]) -> None:
        self._begin()
        batch: list[Change] = []
        size = unanswered = 0
        async for change in changes:
            batch.append(change)
            size += len(change.content or b"") + 200
            if size > BATCH:
                await self._send_files(batch)
                batch, size, unanswered = [], 0, unanswered + 1
                if unanswered > 1:
                    # The program inside writes one batch while the next is on its way.
                    await self._expect("done", HELLO_SECONDS)
                    unanswered -= 1
        if batch:
            await self._send_files(batch)
            unanswered += 1
        for _ in range(unanswered):
            await self._expect("done", HELLO_SECONDS)
        self.spent = False

    async def execute(
        self, request: RunRequest, changes: tuple[Change, ...] = (), *, list_only: bool
    ) -> Report:
        """One run, from the request to the Report."""
        report, _ = await self._execute(request, changes, list_only=list_only)
        return report

    async def trace(
        self, request: RunRequest, changes: tuple[Change, ...], values: tuple[str, ...]
    ) -> TraceReport:
        """The same, with what each test executed, and with values of these functions."""
        told = json.dumps({"values": values}).encode()
        report, reading = await self._execute(request, changes, list_only=False, probe=told)
        return TraceReport(report, reading.tracing.trace())

    async def evaluate(
        self, request: RunRequest, wanted: EvaluationRequest, changes: tuple[Change, ...]
    ) -> Evaluation:
        """One run that asks no test for its own sake; however it ends, it says what became of each."""
        if request.rung == "auto":
            request = dataclasses.replace(request, rung="checkpoint")
        told = told_candidates(wanted)
        report, reading = await self._execute(request, changes, list_only=False, probe=told, wanted=wanted)
        assert reading.evaluating is not None
        return reading.evaluating.evaluation(report)

    async def _execute(
        self,
        request: RunRequest,
        changes: tuple[Change, ...],
        *,
        list_only: bool,
        probe: bytes = b"",
        wanted: EvaluationRequest | None = None,
    ) -> tuple[Report, pytest_runner.Reading]:
        self._begin()
        seconds = request.seconds or self._spec.limits.seconds
        told = pytest_runner.request_for(
            request,
            self._spec,
            self._root,
            self._bundled,
            list_only=list_only,
            pristine=not changes,
            probes=request.probes or bool(probe),
        )
        files, blob = _pack(changes)
        await self._channel.send(
            {
                "op": "run",
                "seconds": seconds,
                "one_test": request.one_test or seconds,
                "rung": "cold" if list_only else request.rung,
                "shared": request.shared,
                "editable": list(request.editable),
                "ahead": self._news(),
                "request": told,
                "files": files,
                "evaluation": len(probe),
            },
            blob + probe,
        )
        reading = _reading(wanted)
        output = {"head": b"", "tail": b""}
        oom_kills, listed = self._oom_kills(), request.listed
        while True:
            # A template and a run, each with its own limit.
            message, data = await self._channel.receive(2 * seconds + GRACE_SECONDS)
            if message.get("op") == "events":
                reading.feed(data)
                if listed is not None and reading.n_listed is not None:
                    listed(reading.n_listed)
                    listed = None
                continue
            if message.get("op") == "again":
                # The process that it was forked from is gone; what it said counts for nothing.
                reading = _reading(wanted)
                continue
            if message.get("op") == "output":
                self._keep(output, message.get("part"), data)
                continue
            if message.get("op") == "error":
                # Whatever a run did to the program that watches it, it is no answer about the code.
                raise BoxLost(f"The sandbox could not do it: {message.get('text')}")
            ended = _checked(message, "ended")
            self.spent = ended.get("clean") is not True
            self._check_interpreter(reading.hello)
            if reading.imported:
                self._spec.imported.learn(reading.imported, of_all_tests=not request.ids)
            ended |= {part: kept.decode("utf-8", "replace") for part, kept in output.items()}
            ended["oom"] = bool(ended.get("oom")) or self._oom_kills() > oom_kills
            return self._with_cause(reading.report(ended, list_only=list_only), ended), reading

    def _news(self) -> dict[str, list[str]] | None:
        """What runs imported, when the program inside does not know it yet."""
        told = self._spec.imported.told()
        if told == self._told_ahead:
            return None
        self._told_ahead = told
        return told

    def _keep(self, output: dict[str, bytes], part: object, data: bytes) -> None:
        """One more piece of what the tests printed; all of it might not fit into one frame."""
        if part not in ("head", "tail"):
            raise BadFrame(f"The sandbox sent output for {part!r}.")
        output[str(part)] += data
        if sum(map(len, output.values())) > self._spec.limits.output_kb << 10:
            raise BadFrame("The sandbox sent more output than its limit.")

    def _with_cause(self, report: Report, ended: dict[str, Any]) -> Report:
        if ended.get("over") != "files":
            return report
        cause = f"more than {self._spec.limits.n_files:,} files and folders were made"
        return dataclasses.replace(report, ended="killed", detail=f"{cause}; {report.detail}")

    def _begin(self) -> None:
        if self.spent:
            raise BoxLost("This sandbox cannot be used any more; what ran in it did not end in order.")
        self.spent = True

    def _check_interpreter(self, found: tuple[int, int] | None) -> None:
        wanted = self._spec.interpreter.version
        if found is not None and found != wanted:
            raise SandboxError(
                f"The sandbox ran Python {'.'.join(map(str, found))}, but the project uses "
                f"{'.'.join(map(str, wanted))}. Set `python` to the interpreter you mean."
            )

    async def _send_files(self, batch: list[Change]) -> None:
        files, blob = _pack(batch)
        await self._channel.send({"op": "put", "files": files}, blob)

    async def _expect(self, op: str, timeout: float) -> dict[str, Any]:
        message, _ = await self._channel.receive(timeout)
        return _checked(message, op)


def _reading(wanted: EvaluationRequest | None) -> pytest_runner.Reading:
    return pytest_runner.Reading(None if wanted is None else EvaluationReading(wanted))


def _checked(message: dict[str, Any], op: str) -> dict[str, Any]:
    if message.get("op") == "error":
        raise SandboxError(f"The sandbox could not do it: {message.get('text')}")
    if message.get("op") != op:
        raise BadFrame(f"The sandbox answered {message.get('op')!r} instead of {op!r}.")
    return message


def _pack(changes: Iterable[Change]) -> tuple[list[object], bytes]:
    files: list[object] = []
    parts: list[bytes] = []
    for change in changes:
        files.append([change.path, change.mode, None if change.content is None else len(change.content)])
        parts.append(change.content or b"")
    return files, b"".join(parts)
