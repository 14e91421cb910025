"""`untilgreen demo`: a small broken project, shown failing, solved without a model, proved, and undone."""

from __future__ import annotations

import dataclasses
import os
import shutil
from importlib import resources
from pathlib import Path

from untilgreen.cli.door import Door, Options
from untilgreen.journal import default_folder
from untilgreen.model import Goal
from untilgreen.scratch import scratch_folder

FOLDER = "untilgreen-demo"


def run_demo(options: Options, *, apply: bool) -> None:
    """Works on a copy: one that vanishes, or with --apply one in the current folder."""
    options = dataclasses.replace(options, flags={**options.flags, "solver": "offline"})
    with resources.as_file(resources.files("untilgreen") / "demo_project") as project:
        if apply:
            _show(dataclasses.replace(options, root=_copy(project, Path(FOLDER))), apply=True)
        with scratch_folder(default_folder(os.environ) / "scratch") as folder:
            _show(dataclasses.replace(options, root=_copy(project, folder / "teashop")), apply=False)


def _show(options: Options, *, apply: bool) -> None:
    with Door(options) as door:
        door.screen.say(
            "A tea shop with five mistakes in it. First its tests, from inside the sandbox; then the fix,\n"
            "found without a model, a key or a network, and proved.\n"
        )
        door.demo(Goal(door.root), apply=apply)


def _copy(project: Path, target: Path) -> Path:
    if target.exists():
        raise SystemExit(f"untilgreen: {target} exists already; remove it or go to another folder.")
    shutil.copytree(project, target, ignore=shutil.ignore_patterns("__pycache__"))
    return target
