"""Each shape of project gives the same tests and the same outcomes in a box as pytest gives without one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import venv
from pathlib import Path

import pytest

from boxes import Backend
from shapes.environments import environment_with, install_editable
from shapes.projects import SHAPES
from shapes.shape import Shape
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

HERE = Path(__file__).parent


@pytest.mark.dealt
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("backend", "shape"),
    [
        pytest.param(backend, shape, id=f"{backend}-{shape.name}")
        for shape in SHAPES
        for backend in shape.backends
    ],
)
async def test_as_native(
    backend: Backend, shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "workspace"
    shape.write(root)
    executable = _environment(shape, root, tmp_path)
    expected = _native(shape, root, executable, tmp_path)
    assert len(set(expected.values())) >= 2, expected
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    # An environment in the workspace is found without being named.
    python = "" if shape.editable else str(executable)
    if backend == "docker":
        # The distribution's own Python is the one that the base image holds, too.
        python = "/usr/bin/python3"
    assert await _in_a_box(backend, root, python, tmp_path) == expected


async def _in_a_box(backend: Backend, root: Path, python: str, folder: Path) -> dict[str, str]:
    settings, problems = read(
        {
            "sandbox": backend,
            "python": python,
            "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""),
            # The engine of these tests has no other network.
            "sandbox_build_network": "host",
        }
    )
    assert problems == ()
    async with Engine(settings, Journal(folder / "state")) as engine:
        job = engine.test(Goal(root), DiskDesk(root, folder / "intents"), "shape")
        await job.ended()
    assert job.verdict is not None, job.error
    report = job.verdict.after
    assert report is not None
    assert report.ended == "finished", (report.detail, report.output.head, report.output.tail)
    assert len(report.cases) == len(report.outcomes())
    return dict(report.outcomes())


def _native(shape: Shape, root: Path, python: Path, folder: Path) -> dict[str, str]:
    """pytest as its users run it, in a copy of the project."""
    copy = folder / "native"
    shutil.copytree(root, copy, ignore=shutil.ignore_patterns(".venv"))
    told = folder / "native.json"
    pytest_itself = environment_with("pytest").prefix / "lib"
    places = [HERE, *([] if shape.packages else pytest_itself.glob("python*/site-packages"))]
    done = subprocess.run(
        [python, "-m", "pytest", "-p", "native_outcomes"],
        cwd=copy,
        env={
            "PATH": os.defpath,
            "HOME": str(folder),
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            "NATIVE_OUTCOMES": str(told),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1, (done.stdout, done.stderr)
    outcomes: dict[str, str] = json.loads(told.read_text())
    return outcomes


def _environment(shape: Shape, root: Path, folder: Path) -> Path:
    """The interpreter of the project's environment; one without packages gets our pytest in the box."""
    if shape.packages:
        return environment_with(*shape.packages).executable
    environment = root / ".venv" if shape.editable else folder / "environment"
    venv.create(environment, symlinks=True, with_pip=False)
    if shape.editable:
        install_editable(root, environment)
    return environment / "bin/python"
