"""Is everything here that a solve needs? One check per part, each with its remedy."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from untilgreen.errors import ModelError, WorkspaceError
from untilgreen.journal import default_folder
from untilgreen.models.asking import PROBE, PROBE_TOKENS
from untilgreen.models.choosing import choose, open_model
from untilgreen.models.endpoint import Endpoint
from untilgreen.models.model import Limits
from untilgreen.models.patience import IMPATIENT
from untilgreen.project import Project, discover
from untilgreen.settings import Settings
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox import bubblewrap
from untilgreen_sandbox.box import BoxSpec
from untilgreen_sandbox.errors import NoSandbox

if TYPE_CHECKING:
    from untilgreen_sandbox.inventory import Inventory

LEAST_FREE_MB = 500
MODEL_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: Literal["good", "note", "bad"]
    detail: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    checks: tuple[Check, ...]
    inventory: Inventory | None

    @property
    def can_solve(self) -> bool:
        """At least one sandbox works and nothing else stands in the way."""
        sandboxes = [check for check in self.checks if check.name in ("docker", "bubblewrap")]
        others = [check for check in self.checks if check not in sandboxes]
        return any(check.state == "good" for check in sandboxes) and all(
            check.state != "bad" for check in others
        )


async def diagnose(root: Path, settings: Settings, environ: Mapping[str, str]) -> Diagnosis:
    """Look, and change nothing: no image is built and nothing of the project runs."""
    project = await asyncio.to_thread(discover, root, settings, environ)
    engine, inventory = await _engine()
    checks = (
        engine,
        await _bubblewrap(project),
        _interpreter(project),
        await asyncio.to_thread(_workspace, root, settings),
        _disk(default_folder(environ)),
        _solver(settings),
        await _model(settings, environ),
    )
    return Diagnosis(checks, inventory)


async def _engine() -> tuple[Check, Inventory | None]:
    # Docker's library takes its time to load, so only those who ask for the engine wait for it.
    from untilgreen_sandbox.inventory import take_inventory

    try:
        inventory = await asyncio.to_thread(take_inventory)
    except NoSandbox as error:
        reason, _, remedy = str(error).partition(";")
        return Check("docker", "note", f"{reason}.", remedy.strip()), None
    n = len(inventory.images)
    images = f"{n} {'image' if n == 1 else 'images'} of ours"
    return Check("docker", "good", f"engine {inventory.engine} answers, {images}"), inventory


async def _bubblewrap(project: Project) -> Check:
    problem = await bubblewrap.problem(BoxSpec(project.root, project.interpreter, project.import_roots))
    if problem is None:
        who = "as root; tests get a user of their own" if _is_root() else "as you, in a user namespace"
        return Check("bubblewrap", "good", f"works {who}")
    reason, _, remedy = problem.partition(";")
    return Check("bubblewrap", "note", reason if remedy else problem, remedy.strip())


def _interpreter(project: Project) -> Check:
    interpreter = project.interpreter
    version = ".".join(map(str, interpreter.version))
    pytest = "with its own pytest" if interpreter.has_pytest else "without pytest, so ours is used"
    where = f"at {interpreter.executable}" if interpreter.here else "in an image only"
    detail = f"Python {version} {where}, {pytest}"
    if project.problems:
        return Check(
            "python", "note", f"{detail}. {' '.join(project.problems)}", "set `python` to the one you mean"
        )
    return Check("python", "good", detail)


def _workspace(root: Path, settings: Settings) -> Check:
    try:
        snapshot = take_snapshot(
            root, max_mb=settings.workspace_max_mb, exclude=settings.exclude, include=settings.include
        )
    except WorkspaceError as error:
        return Check("workspace", "bad", str(error))
    megabytes = snapshot.total_bytes / (1 << 20)
    detail = f"{len(snapshot.entries)} files, {megabytes:.1f} MB would be copied"
    if snapshot.left_out:
        names = ", ".join(snapshot.left_out[:5]) + (" …" if len(snapshot.left_out) > 5 else "")
        return Check("workspace", "good", f"{detail}; left out: {names}")
    return Check("workspace", "good", detail)


def _disk(state: Path) -> Check:
    existing = next(folder for folder in (state, *state.parents) if folder.is_dir())
    free = shutil.disk_usage(existing).free >> 20
    if free < LEAST_FREE_MB or not os.access(existing, os.W_OK):
        return Check(
            "journal", "bad", f"{state} has {free} MB left or cannot be written", "free some space there"
        )
    return Check("journal", "good", f"{state}, {free:,} MB free")


def _solver(settings: Settings) -> Check:
    if settings.solver.startswith("scripted:"):
        return Check("solver", "good", settings.solver)
    return Check("solver", "good", f"{settings.solver}; offline repair needs no model and no network")


async def _model(settings: Settings, environ: Mapping[str, str]) -> Check:
    """One cheap call. Without a model there is still offline repair, unless it was ruled out."""
    if settings.solver not in ("auto", "model"):
        return Check("model", "good", "the solver asks none")
    try:
        chosen = choose(settings, environ)
        told = [await _answer(endpoint, environ) for endpoint in (chosen.small, chosen.strong) if endpoint]
    except ModelError as error:
        state: Literal["note", "bad"] = "bad" if settings.solver == "model" else "note"
        return Check("model", state, error.reason, error.remedy)
    return Check("model", "good", "; ".join(told))


async def _answer(endpoint: Endpoint, environ: Mapping[str, str]) -> str:
    model = open_model(endpoint, environ, IMPATIENT)
    begun = time.monotonic()
    try:
        await model.reply(PROBE, limits=Limits(tokens=PROBE_TOKENS, seconds=MODEL_SECONDS))
    finally:
        await model.close()
    tools = {True: "with tools", False: "without tools", None: "not known yet if with tools"}[model.tools]
    return f"{endpoint.model} at {endpoint.place} answers in {time.monotonic() - begun:.1f} s, {tools}"


def _is_root() -> bool:
    return sys.platform != "win32" and os.getuid() == 0
