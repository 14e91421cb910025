"""Which Python a project asks for, and which one it gets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.test_project import environment, found, install
from untilgreen.project.wanted import SENSIBLE, find_wanted

ANY = SENSIBLE


def asked(text: str | None, requires: str = "") -> tuple[tuple[int, ...] | None, int]:
    """The minor versions that will do, and how many problems there are."""
    content = None if text is None else text.encode()
    wanted, problems = find_wanted((lambda _path: content,), requires)
    return wanted.minors if wanted else None, len(problems)


@pytest.mark.parametrize(
    ("text", "minors", "n_problems"),
    [
        ("3.12", (12,), 0),
        ("3.12.4\n", (12,), 0),
        ("  3.12.4  \r\n", (12,), 0),
        ("\ufeff3.12\n", (12,), 0),
        ("# the old one: 3.9\n\n3.13  # for now\n", (13,), 0),
        ("3.12\n3.11\npypy3.10\n", (12,), 0),
        ("3.12 3.11", (12,), 0),
        ("cpython-3.12.1-linux-x86_64-gnu", (12,), 0),
        ("cpython@3.12", (12,), 0),
        ("python3.12", (12,), 0),
        ("3.14-dev", (14,), 0),
        ("3.14.0rc2", (14,), 0),
        ("3.13t", (13,), 0),
        ("3", ANY, 0),
        (">=3.12, <3.14", (12, 13), 0),
        ("system", None, 0),
        ("", None, 0),
        ("# nothing\n", None, 0),
        ("pypy3.10-7.3.12", None, 1),
        ("pypy3.10-7.3.12\n3.11\n", (11,), 1),
        ("miniconda3-4.7.12", None, 1),
        ("my-environment", None, 1),
        ("2.7.18", None, 1),
        ("3.6.15", None, 1),
        ("3.1234", None, 1),
        (">=banana", None, 1),
        ("\x1b[31m3.12\x00", None, 1),
        ("../../etc/passwd", None, 1),
    ],
)
def test_what_a_python_version_file_means(text: str, minors: tuple[int, ...] | None, n_problems: int) -> None:
    assert asked(text) == (minors, n_problems)


@pytest.mark.parametrize(
    ("requires", "minors"),
    [
        ("", None),
        (">=3.13,<3.15", (13, 14)),
        ("==3.12.*", (12,)),
        ("~=3.12.3", (12,)),
        (">=3.12.5,<3.13", (12,)),
        (">3.12.99,<3.14", (13,)),
        ("==3.12.7", (12,)),
        (">3.12,<3.13", (12,)),
        ("<3.12", (11, 10, 9)),
        (">=3.9,!=3.11.*,<3.13", (12, 10, 9)),
        ("<3.9", None),
        (">=4", None),
        ("banana", None),
        ("~=3.13", tuple(minor for minor in SENSIBLE if minor >= 13)),
    ],
)
def test_what_satisfies_requires_python(requires: str, minors: tuple[int, ...] | None) -> None:
    assert asked(None, requires) == (minors, 1 if requires and minors is None else 0)


def test_the_file_comes_before_requires_python_and_the_project_before_its_workspace() -> None:
    assert asked("3.12", ">=3.13") == ((12,), 0)
    assert asked("pypy3.10", "==3.13.*") == ((13,), 1)
    reads = (lambda _path: None, lambda _path: b"3.10")
    wanted, _ = find_wanted(reads, "")
    assert wanted is not None and wanted.minors == (10,)
    assert wanted.accepts((3, 10)) and not wanted.accepts((3, 11)) and not wanted.accepts((2, 10))


def test_no_way_to_be_read_is_a_problem(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".python-version")
    _, (problem,) = found(tmp_path)
    assert problem.startswith(".python-version is passed over, not a regular file")


@given(
    st.text(max_size=30) | st.from_regex(r"[<>=~!]{0,2}(py)?3\.[0-9]{1,4}[a-z.*, <>=]*"), st.text(max_size=20)
)
def test_no_text_is_an_error(text: str, requires: str) -> None:
    minors, _ = asked(text.encode("utf-8", "replace").decode(), requires)
    assert minors is None or minors


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "repository/package").mkdir(parents=True)
    (tmp_path / "repository/.git").mkdir()
    return tmp_path / "repository/package"


def machine(tmp_path: Path, *minors: int) -> Path:
    """A value for PATH; python3 is the first of these versions, and all have a name with their number."""
    folders = [install(tmp_path / f"python{minor}", minor) / "bin" for minor in minors]
    for folder in folders[1:]:
        (folder / "python3").unlink()
    return Path(os.pathsep.join(map(str, folders)))


@pytest.mark.parametrize(
    ("requires", "version"),
    [(">=3.10", (3, 10)), ("", (3, 10)), (">=3.12", (3, 12)), ("==3.13.*", (3, 13)), ("<3.10", (3, 9))],
)
def test_pythons_of_the_machine(root: Path, tmp_path: Path, requires: str, version: tuple[int, int]) -> None:
    path = machine(tmp_path, 10, 13, 12, 9)
    (root / "pyproject.toml").write_text(f"[project]\nname = 'x'\nrequires-python = '{requires}'\n")
    interpreter, problems = found(root, PATH=path)
    assert (interpreter.version, interpreter.here, problems) == (version, True, ())


def test_one_that_is_not_here(root: Path, tmp_path: Path) -> None:
    path = machine(tmp_path, 10, 13)
    (root / "setup.cfg").write_text("[options]\npython_requires = >=3.30,!=3.30.*\n")
    interpreter, (problem,) = found(root, PATH=path)
    assert (interpreter.version, interpreter.here) == ((3, 31), False)
    assert "requires-python (>=3.30,!=3.30.*)" in problem and "Python 3.31" in problem
    (root.parent / ".python-version").write_text("3.34")
    assert found(root, PATH=path)[0].version == (3, 34)
    (root / ".python-version").write_text("3.35")
    assert found(root, PATH=path)[0].version == (3, 35)
    assert found(root, str(tmp_path / "python13"), PATH=path)[0].version == (3, 13), "the user has chosen"
    assert found(root, "python3.13", PATH=path)[0].version == (3, 13)
    prefix = environment(root / ".venv", install(tmp_path / "base"))
    assert found(root, PATH=path) == (found(root)[0], ()), "an environment needs no wish"
    assert found(root)[0].prefix == prefix


def test_poetry_says_it_in_its_own_words(root: Path, tmp_path: Path) -> None:
    (root / "pyproject.toml").write_text(
        "[tool.poetry]\nname='x'\n[tool.poetry.dependencies]\npython='^3.12'\n"
    )
    assert found(root, PATH=machine(tmp_path, 10, 13))[0].version == (3, 13)


def test_what_the_shims_of_pyenv_would_start(root: Path, tmp_path: Path) -> None:
    install(tmp_path / "pyenv/versions/3.13.2", 13)
    shim = tmp_path / "pyenv/shims/python3.13"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexec pyenv\n")
    shim.chmod(0o755)
    path = Path(os.pathsep.join([str(shim.parent), str(machine(tmp_path, 10))]))
    assert found(root, PATH=path)[0].version == (3, 10)
    (root / ".python-version").write_text("3.13.2\n")
    assert found(root, PATH=path)[0].executable == tmp_path / "pyenv/versions/3.13.2/bin/python3.13"


def test_the_servers_own_python_may_satisfy(root: Path) -> None:
    (root / ".python-version").write_text(".".join(map(str, sys.version_info[:2])))
    interpreter, problems = found(root)
    assert (interpreter.here, interpreter.version, problems) == (True, sys.version_info[:2], ())


def test_the_environment_of_the_workspace_after_that_of_the_package(root: Path, tmp_path: Path) -> None:
    base = install(tmp_path / "base")
    shared = environment(root.parent / ".venv", base)
    (root.parent / ".python-version").write_text("3.35")
    assert found(root)[0].prefix == shared
    own = environment(root / "venv", base)
    assert found(root)[0].prefix == own


def test_a_home_under_version_control_is_no_workspace(root: Path, tmp_path: Path) -> None:
    environment(root.parent / ".venv", install(tmp_path / "base"))
    assert found(root, HOME=root.parent)[0].prefix != root.parent / ".venv"


def test_a_program_anywhere_in_the_workspace_is_not_trusted(root: Path, tmp_path: Path) -> None:
    planted, base = install(root.parent / "tools"), install(tmp_path / "base")
    environment(root / ".venv", planted)
    copied = environment(root / "venv", base)
    (copied / "bin/python").unlink()
    (copied / "bin/python").write_bytes(b"\x7fELF hostile")
    (copied / "bin/python").chmod(0o755)
    environment(root.parent / "venv", base, home=str(planted / "bin"))
    interpreter, problems = found(root, PATH=planted / "bin")
    assert not interpreter.executable.is_relative_to(root.parent)
    assert [problem.split(", ")[1].split(" in the workspace")[0] for problem in problems] == [
        "its program lies",
        "its program lies",
        "its home lies",
    ]


def test_the_package_is_not_shown_as_an_environment(root: Path, tmp_path: Path) -> None:
    """Neither the workspace nor the package in it, though only the first is a repository."""
    prefix = environment(root / "real", install(tmp_path / "base"))
    for path in prefix.iterdir():
        path.rename(root / path.name)
    (root / ".venv").symlink_to(".")
    _, (problem,) = found(root)
    assert "the tests would see all of it" in problem
