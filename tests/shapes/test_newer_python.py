"""A project for a Python that this machine lacks runs on an image that has it, as it runs there natively."""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import sys
import tarfile
from pathlib import Path

import docker
import pytest

from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import SandboxUnavailable
from untilgreen.events import Preparing
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

HERE = Path(__file__).parent
PROJECT = {
    "pyproject.toml": """\
[project]
name = "corner-shop"
version = "2.1"
requires-python = ">=3.13"
dependencies = ["markupsafe==3.0.2"]
[project.optional-dependencies]
test = ["pytest"]
[project.scripts]
shop = "shop.command:main"
""",
    "src/shop/__init__.py": """\
import copy
from dataclasses import dataclass

from markupsafe import Markup, escape

@dataclass(frozen=True)
class Item[Label = str]:
    name: Label
    price: int

    def cheaper(self):
        return copy.replace(self, price=self.price - 1)

    def html(self):
        return Markup("<b>%s</b>") % escape(self.name)
""",
    "src/shop/command.py": "def main():\n    print('open')\n",
    "tests/test_shop.py": """\
import re, subprocess, sys
import pytest
from shop import Item

def test_replace():
    assert Item("pen", 2).cheaper() == Item("pen", 1)

def test_wrong():
    assert Item("pen", 2).cheaper().price == 2

def test_compiled_package():
    from markupsafe import _speedups
    assert "313" in _speedups.__file__
    assert Item("<", 1).html() == "<b>&lt;</b>"

@pytest.mark.parametrize("text", ["a", "["])
def test_pattern(text):
    try:
        re.compile(text)
    except re.PatternError as error:
        pytest.fail(str(error))

@pytest.mark.skipif(sys.version_info >= (3, 13), reason="for older ones")
def test_older():
    assert False

@pytest.mark.xfail(reason="gone in 3.13", raises=ModuleNotFoundError, strict=True)
def test_gone():
    import cgi

def test_child(tmp_path):
    source = "import shop, sys; print(sys.version_info >= (3, 13), shop.Item('x', 1).html())"
    done = subprocess.run([sys.executable, "-c", source], cwd=tmp_path, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True <b>x</b>\\n", "")
""",
}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    # The distribution's own Python is older than what the project asks for.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    for path, text in PROJECT.items():
        (tmp_path / "project" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "project" / path).write_text(text)
    return tmp_path / "project"


@pytest.mark.timeout(400)
async def test_outcomes_as_native(root: Path, tmp_path: Path) -> None:
    expected = _native(tmp_path)
    assert sorted(expected.values()) == ["failed"] * 2 + ["passed"] * 4 + ["skipped", "xfailed"], expected
    settings, problems = read(
        {
            "sandbox": "docker",
            "sandbox_base": os.environ["UNTILGREEN_NEWER_BASE"],
            "sandbox_build_network": "host",
        }
    )
    assert problems == ()
    async with Engine(settings, Journal(tmp_path / "state")) as engine:
        job = engine.test(Goal(root), DiskDesk(root, tmp_path / "intents"), "newer")
        await job.ended()
    assert job.verdict is not None, job.error
    assert job.verdict.after is not None
    assert dict(job.verdict.after.outcomes()) == expected


@pytest.mark.parametrize(
    ("sandbox", "reason"),
    [
        (
            "bubblewrap",
            r"asks for Python 3\.38, which this machine does not have; install it .* or use Docker",
        ),
        ("docker", r"has Python 3\.13, but the project uses 3\.38\. Set `sandbox_base`"),
    ],
)
async def test_an_older_python_is_refused_with_the_way_out(
    root: Path, tmp_path: Path, sandbox: str, reason: str
) -> None:
    (root / ".python-version").write_text("3.38.1\n")
    settings, _ = read({"sandbox": sandbox, "sandbox_base": os.environ["UNTILGREEN_NEWER_BASE"]})
    engine = Engine(settings, Journal(tmp_path / "state"))
    job = engine.test(Goal(root), DiskDesk(root, tmp_path / "intents"), "newer")
    told = [event.text async for event in job.events() if isinstance(event, Preparing)]
    assert any(".python-version (3.38.1)" in text and "only Docker" in text for text in told)
    with pytest.raises(SandboxUnavailable, match=reason):
        raise job.error or AssertionError("it ran")


def _native(folder: Path) -> dict[str, str]:
    """Python's own `-m pytest` in a plain container of the base, with packages that pip chose for it."""
    packages = folder / "packages"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--python-version", "3.13", "--platform", f"manylinux2014_{platform.machine()}"]
    done = subprocess.run(
        [*command, *wanted, "--only-binary=:all:", "--target", packages, "pytest", "markupsafe==3.0.2"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert done.returncode == 0, done.stderr
    client = docker.from_env()
    container = client.containers.create(
        os.environ["UNTILGREEN_NEWER_BASE"],
        ["python3.13", "-m", "pytest", "-p", "native_outcomes"],
        working_dir="/native/project",
        network_mode="none",
        environment={
            "PYTHONPATH": "/native/project/src:/native/packages:/native/plugin",
            "NATIVE_OUTCOMES": "/native/outcomes.json",
        },
    )
    try:
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            archive.add(packages, "native/packages")
            archive.add(folder / "project", "native/project")
            archive.add(HERE / "native_outcomes.py", "native/plugin/native_outcomes.py")
        container.put_archive("/", buffer.getvalue())
        container.start()
        status = container.wait(timeout=120)["StatusCode"]
        assert status == 1, container.logs().decode()
        answer, _ = container.get_archive("/native/outcomes.json")
        with tarfile.open(fileobj=io.BytesIO(b"".join(answer))) as archive:
            told = archive.extractfile("outcomes.json")
            assert told is not None
            outcomes: dict[str, str] = json.loads(told.read())
    finally:
        container.remove(force=True)
        client.close()
    return outcomes
