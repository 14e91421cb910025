"""The workbench of one job: a snapshot, a box that holds it, and a new box whenever trust needs one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AsyncExitStack

from untilgreen.model import Attempt, Patch
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.box import Box, BoxSpec, Change, Chosen, RunRequest, open_box
from untilgreen_sandbox.errors import BoxLost
from untilgreen_sandbox.report import Report


class Bench:
    """Use as `async with`; every box it opened is closed on the way out."""

    def __init__(
        self,
        chosen: Chosen,
        spec: BoxSpec,
        snapshot: Snapshot,
        arguments: tuple[str, ...],
        progress: Callable[[str], None],
    ) -> None:
        self._chosen = chosen
        self._spec = spec
        self._snapshot = snapshot
        self._arguments = arguments
        self._progress = progress
        self._stack = AsyncExitStack()
        self._box: Box | None = None
        self.config_file = ""
        """Set by the plan, so that every later run reads the same configuration."""
        self.tested: list[Attempt] = []

    async def __aenter__(self) -> Bench:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(self.tested)

    async def box(self) -> Box:
        """The warm box with the snapshot in it, opened when first needed."""
        if self._box is None:
            box = await self._stack.enter_async_context(open_box(self._chosen, self._spec, self._progress))
            await box.put(self._snapshot.changes())
            self._box = box
        return self._box

    async def plan(self, ids: tuple[str, ...] = ()) -> Report:
        report = await (await self.box()).plan(self._request(ids))
        self.config_file = report.config_file
        return report

    async def run(self, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        """A cold process in the warm box; one that vanished says nothing about the code, so once more."""
        try:
            return await (await self.box()).run(self._request(ids), _changes(patch))
        except BoxLost:
            await self._stack.aclose()
            self._box = None
            return await (await self.box()).run(self._request(ids), _changes(patch))

    async def run_fresh(self, patch: Patch) -> Report:
        """The full suite in a box that has seen nothing: the snapshot, and these bytes, and no other run."""
        try:
            return await self._run_fresh(patch)
        except BoxLost:
            return await self._run_fresh(patch)

    async def _run_fresh(self, patch: Patch) -> Report:
        async with open_box(self._chosen, self._spec, self._progress) as box:
            await box.put(self._snapshot.changes())
            report = await box.run(self._request(()), _changes(patch))
            return dataclasses.replace(report, rung="fresh")

    def _request(self, ids: tuple[str, ...]) -> RunRequest:
        return RunRequest(ids=ids, arguments=self._arguments, config_file=self.config_file)


def _changes(patch: Patch) -> tuple[Change, ...]:
    return tuple(Change(path, change.content, change.mode) for path, change in patch)
