"""Our own pytest, for projects that have none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from boxes import own_interpreter
from untilgreen_sandbox.box import Interpreter
from untilgreen_sandbox.bundle import bundled_packages
from untilgreen_sandbox.errors import SandboxError


def python(version: tuple[int, int], has_pytest: bool = False) -> Interpreter:
    return Interpreter(Path("/x/bin/python"), version, Path("/x"), Path("/x"), has_pytest)


def test_a_project_with_pytest_gets_nothing() -> None:
    assert bundled_packages(python((3, 11), has_pytest=True)) == ()


def test_what_is_needed_and_nothing_else() -> None:
    names = {path.name for path in bundled_packages(own_interpreter())}
    assert {"pytest", "_pytest", "pluggy", "iniconfig", "packaging", "pygments"} <= names
    assert not {
        name for name in names if name.startswith(("untilgreen", "docker", "pydantic", "bin", "site-"))
    }
    assert not {"..", "__pycache__", ""} & names


def test_all_of_it_exists_and_is_pure_python() -> None:
    for path in bundled_packages(own_interpreter()):
        assert path.exists(), path
        assert not [one for one in path.rglob("*") if one.suffix in (".so", ".pyd", ".dylib")]


def test_it_runs_alone(tmp_path: Path) -> None:
    for path in bundled_packages(own_interpreter()):
        (tmp_path / path.name).symlink_to(path)
    code = (
        f"import sys; sys.path.append({str(tmp_path)!r}); import pytest; sys.exit(pytest.main(['--version']))"
    )
    subprocess.run([Path(sys.base_prefix) / "bin/python3", "-I", "-S", "-c", code], check=True)


def test_an_older_python_is_told_what_to_install() -> None:
    with pytest.raises(SandboxError, match="pip install pytest"):
        bundled_packages(python((3, 8)))
