"""Programs that a test starts find the project, too: its modules, its version, its own commands."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import venv
from pathlib import Path

import pytest

from boxes import BACKENDS, Backend
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read

PYPROJECT = """\
    [build-system]
    requires = ["setuptools"]
    build-backend = "setuptools.build_meta"
    [project]
    name = "Corner.Shop"
    version = "3.4"
    [project.scripts]
    shop = "shop.command:Door.open"
    """
SHOP = {
    "shop/__init__.py": "NAME = 'corner'\n",
    "shop/command.py": """\
        import sys

        class Door:
            @staticmethod
            def open():
                print("open", *sys.argv[1:])
                return 3
        """,
}
TESTS = """\
    import multiprocessing, os, subprocess, sys
    from importlib.metadata import version

    def run(*command, folder):
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def test_child(tmp_path):
        source = "import shop; print(shop.NAME, shop.__file__)"
        status, said = run(sys.executable, "-c", source, folder=tmp_path)
        import shop
        assert (status, said) == (0, f"corner {shop.__file__}\\n")

    def test_isolated_child(tmp_path):
        assert run(sys.executable, "-I", "-c", "import shop", folder=tmp_path) == (0, "")

    def test_spawned():
        from shop.command import Door
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            assert pool.apply(Door.open) == 3

    def test_version(tmp_path):
        source = "from importlib.metadata import version; print(version('corner-shop'))"
        assert run(sys.executable, "-c", source, folder=tmp_path) == (0, "3.4\\n")

    def test_command(tmp_path):
        assert run("shop", "now", folder=tmp_path) == (3, "open now\\n")

    def test_the_tests_are_no_modules_of_a_child(tmp_path):
        assert run(sys.executable, "-c", "import test_shop", folder=tmp_path)[0] == (1 if {src} else 0)
    """


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))


async def outcomes(root: Path, folder: Path, **raw: str) -> dict[str, str]:
    base = os.environ["UNTILGREEN_SANDBOX_BASE"]
    settings, problems = read({**raw, "sandbox_base": base, "sandbox_build_network": "host"})
    assert problems == ()
    async with Engine(settings, Journal(folder / "state")) as engine:
        job = engine.test(Goal(root), DiskDesk(root, folder / "intents"), "editable")
        await job.ended()
    assert job.verdict is not None, job.error
    assert job.verdict.after is not None
    return {
        f"{case.id.split('::')[-1]}{': ' + case.message if case.message else ''}": case.outcome
        for case in job.verdict.after.cases
    }


@pytest.mark.timeout(200)
@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("src", [True, False], ids=["src", "flat"])
async def test_children_as_with_an_editable_install(
    backend: Backend, src: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    shop = {f"src/{path}" if src else path: text for path, text in SHOP.items()}
    write(root, {"pyproject.toml": PYPROJECT, "test_shop.py": TESTS.replace("{src}", str(src)), **shop})
    if not src:
        # setuptools takes more than one module at the top for a mistake, unless they are named.
        with (root / "pyproject.toml").open("a") as file:
            file.write("[tool.setuptools]\npackages = ['shop']\n[tool.setuptools.package-dir]\n'' = '.'\n")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    if backend == "docker":
        # The distribution's own Python is the one that the base image holds, too.
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        found = await outcomes(root, tmp_path, sandbox="docker")
    else:
        environment = tmp_path / "environment"
        venv.create(environment, symlinks=True, with_pip=False)
        _install_editable(environment, root)
        found = await outcomes(root, tmp_path, sandbox="bubblewrap", python=str(environment))
    assert list(found.values()) == ["passed"] * 6, found


def _install_editable(environment: Path, root: Path) -> None:
    """pip and setuptools as a user runs them; on this machine, which only our own project may ask for."""
    command = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python"), "install", "--quiet"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "-e", str(root)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.timeout(200)
async def test_a_command_never_takes_the_place_of_a_program_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    write(
        root,
        {
            "setup.cfg": """\
                [metadata]
                name = taker
                version = 1
                [options.entry_points]
                console_scripts =
                    python = taker:main
                    python3 = taker:main
                    activate = taker:main
                    x/../../../../escaped = taker:main
                    good-one = taker:main [extra]
                    no-object = taker
                """,
            "taker.py": "def main():\n    print('taken')\n",
            "test_taker.py": """\
                import os, shutil, subprocess, sys

                def test_programs():
                    for name in ("python", "python3"):
                        assert subprocess.check_output([name, "-c", "print(1)"]) == b"1\\n"
                    folder = os.path.dirname(sys.executable)
                    assert "taken" not in open(os.path.join(folder, "activate")).read()
                    assert not os.path.exists(os.path.join(folder, "../../../escaped"))
                    assert not os.path.exists(os.path.join(folder, "no-object"))
                    assert subprocess.check_output(["good-one"]) == b"taken\\n"
                """,
        },
    )
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    assert await outcomes(root, tmp_path, sandbox="docker") == {"test_programs": "passed"}
