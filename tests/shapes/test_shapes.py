"""Each shape of project gives the same tests and the same outcomes in a box as pytest gives without one."""

from __future__ import annotations

import json
import os
import subprocess
import venv
from pathlib import Path

import pytest

from boxes import BACKENDS, Backend
from shapes.environments import environment_with
from shapes.projects import SHAPES, Shape
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

HERE = Path(__file__).parent


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("backend", "shape"),
    [
        pytest.param(backend, shape, id=f"{backend}-{shape.name}")
        for backend in BACKENDS
        for shape in SHAPES
        if backend == "bubblewrap" or shape.in_an_image
    ],
)
async def test_as_native(
    backend: Backend, shape: Shape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "workspace"
    shape.write(root)
    python = _environment(shape, root, tmp_path)
    expected = _native(shape, python, tmp_path)
    assert len(set(expected.values())) >= 2, expected
    if backend == "docker":
        # The distribution's own Python is the one that the base image holds, too.
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        monkeypatch.delenv("VIRTUAL_ENV", raising=False)
        python = ""
    assert await _in_a_box(backend, root, python, tmp_path) == expected


async def _in_a_box(backend: Backend, root: Path, python: str, folder: Path) -> dict[str, str]:
    settings, problems = read(
        {
            "sandbox": backend,
            "python": python,
            "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""),
        }
    )
    assert problems == ()
    engine = Engine(settings, Journal(folder / "state"))
    job = engine.test(Goal(root), DiskDesk(root, folder / "intents"), "shape")
    await job.ended()
    assert job.verdict is not None, job.error
    report = job.verdict.after
    assert report is not None
    assert report.ended == "finished", (report.detail, report.output.head, report.output.tail)
    assert len(report.cases) == len(report.outcomes())
    return dict(report.outcomes())


def _native(shape: Shape, python: str, folder: Path) -> dict[str, str]:
    """pytest as its users run it, in a copy of the project."""
    copy = folder / "native"
    shape.write(copy)
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


def _environment(shape: Shape, root: Path, folder: Path) -> str:
    """The interpreter of the project's environment; one without packages gets our pytest in the box."""
    if shape.packages:
        return str(environment_with(*shape.packages).executable)
    environment = folder / "environment"
    venv.create(environment, symlinks=True, with_pip=False)
    if shape.editable:
        (packages,) = environment.glob("lib/python*/site-packages")
        (packages / "__editable__.shop.pth").write_text(f"{root / shape.editable}\n")
    return str(environment / "bin/python")
