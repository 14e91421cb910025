"""Large workspaces, much output, and what all of it costs the host's process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from boxes import Backend

HERE = Path(__file__).parent
SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
N_FILES = 20_000
PRINTED_MB = 1024 if SOAK else 64
CAPTURED_MB = 64


def drive(kind: str, backend: Backend, root: Path, **settings: Any) -> dict[str, Any]:
    """One job in a fresh process, so that its peak of memory is its own."""
    # The distribution's own Python is the one that the base image holds, too.
    environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
    done = subprocess.run(
        [
            *(sys.executable, HERE / "drives_a_job.py", kind, backend, root),
            *(root.parent / "state", json.dumps(settings)),
        ],
        env={**environment, "PATH": "/usr/bin:/bin"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    print(f"{backend} {kind}: {told['seconds']:.1f} s, peak of the host's process {told['peak_mb']:.0f} MB")
    return told


def grow(root: Path, files: dict[str, str]) -> Path:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture(scope="session")
def idle_mb(backend: Backend, tmp_path_factory: pytest.TempPathFactory) -> float:
    """What a job with one file takes."""
    root = grow(tmp_path_factory.mktemp("small") / "root", {"test_it.py": "def test_a(): pass\n"})
    return float(drive("test", backend, root)["peak_mb"])


LARGE_TEST = """\
import importlib, os
import pytest
from shop.prices import total

def test_every_file_is_there():
    n = sum(len(files) for folder, _, files in os.walk(".") if "__pycache__" not in folder)
    assert n == {n_files}

@pytest.mark.parametrize("n", [0, 1, 499, 998])
def test_modules(n):
    assert importlib.import_module(f"parts.p{{n}}.m7").NAME == f"{{n}}/7"

def test_total():
    assert total([1, 2]) == 3
"""


@pytest.mark.timeout(600)
def test_a_workspace_of_many_files(backend: Backend, tmp_path: Path, idle_mb: float) -> None:
    root = grow(
        tmp_path / "root",
        {
            "shop/prices.py": "def total(prices):\n    return max(prices)\n",
            "test_it.py": LARGE_TEST.format(n_files=N_FILES),
            ".gitignore": "*.dump\n",
        },
    )
    for n in range((N_FILES - 3) // 20):
        folder = root / f"parts/p{n}"
        folder.mkdir(parents=True)
        for m in range(20):
            (folder / f"m{m}.py").write_text(f"NAME = '{n}/{m}'\n" + "# what it is about\n" * 20)
    for n in range((N_FILES - 3) % 20):
        (root / f"more{n}.txt").write_text("")
    fixed = "def total(prices):\n    return sum(prices)\n"
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"proposals": [{"files": {"shop/prices.py": fixed}}]}))
    told = drive("solve", backend, root, solver=f"scripted:{script}")
    assert (told["verdict"], told["n_files"]) == ("green", N_FILES), told
    assert told["fixed"] == ["test_it.py::test_total"]
    assert set(told["outcomes"].values()) == {"passed"}
    assert len(told["outcomes"]) == 6
    assert told["peak_mb"] < idle_mb + 100


FLOOD = """\
import os

def flood():
    block = (b"x" * 1023 + b"\\n") * 64
    for _ in range({mb} * 16):
        os.write(1, block)

def test_before():
    pass

def test_flood():
    flood()

def test_flood_and_fail():
    flood()
    assert 1 == 2

def test_after():
    pass
"""


@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("arguments", "n_mb"),
    # What pytest captures is a file, which may not be larger than any other; it is shown when a test fails.
    [(["-s"], PRINTED_MB), ([], CAPTURED_MB)],
    ids=["not captured", "captured"],
)
def test_a_flood_of_output(
    backend: Backend, tmp_path: Path, idle_mb: float, arguments: list[str], n_mb: int
) -> None:
    root = grow(tmp_path / "root", {"test_it.py": FLOOD.format(mb=n_mb)})
    told = drive("test", backend, root, pytest_args=arguments, test_seconds=600.0)
    assert told["ended"] == "finished", told
    assert told["capped"]
    assert told["dropped"] > (n_mb - 1) << 20
    assert told["outcomes"] == {
        "test_it.py::test_before": "passed",
        "test_it.py::test_flood": "passed",
        "test_it.py::test_flood_and_fail": "failed",
        "test_it.py::test_after": "passed",
    }
    assert told["peak_mb"] < idle_mb + 40


MISSING = """\
import pathlib

def test_installed():
    import nowhere_installed

def test_left_out():
    pathlib.Path("data/prices.csv").read_text()

def test_right():
    pass
"""


def test_what_is_missing_is_named_with_its_remedy(backend: Backend, tmp_path: Path) -> None:
    files = {"test_it.py": MISSING, ".gitignore": "data/\n", "data/prices.csv": "1\n"}
    root = grow(tmp_path / "root", files)
    told = drive("test", backend, root)
    assert told["verdict"] == "blocked", told
    assert told["environment"] == {
        "test_it.py::test_installed": (
            "Install nowhere_installed in the project's environment: nowhere_installed is not there."
        ),
        "test_it.py::test_left_out": (
            "Name data/prices.csv in the setting `include` if tests may see it: "
            "it was not copied into the sandbox."
        ),
    }
    # The remedy works.
    told = drive("test", backend, root, include=["data/prices.csv"])
    assert list(told["environment"]) == ["test_it.py::test_installed"]
