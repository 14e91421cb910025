"""Which Python a project has, read from files; what is odd is told and passed over."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from untilgreen.project import discover, repository_table
from untilgreen.settings import Settings
from untilgreen_sandbox.box import Interpreter

OWN = Path(getattr(sys, "_base_executable", sys.executable))


def install(prefix: Path, minor: int = 12, *, pytest_too: bool = False) -> Path:
    """An installation as its files look; running it would fail."""
    binary = prefix / "bin" / f"python3.{minor}"
    library = prefix / "lib" / f"python3.{minor}"
    binary.parent.mkdir(parents=True, exist_ok=True)
    (library / "site-packages" / "pytest").mkdir(parents=True)
    (library / "os.py").touch()
    binary.write_bytes(b"\x7fELF and so on")
    binary.chmod(0o755)
    for name in ("python3", "python"):
        (binary.parent / name).symlink_to(binary.name)
    if pytest_too:
        (library / "site-packages/pytest/__init__.py").touch()
    return prefix


def environment(prefix: Path, base: Path, **config: str) -> Path:
    lines = {"home": str(base / "bin"), "version": "3.12.4"} | config
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib/python3.12/site-packages/pytest").mkdir(parents=True)
    (prefix / "pyvenv.cfg").write_text("".join(f"{key} = {value}\n" for key, value in lines.items() if value))
    (prefix / "bin/python").symlink_to(base / "bin" / "python3")
    return prefix


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return install(tmp_path / "base")


def found(root: Path, python: str = "", **environ: Path) -> tuple[Interpreter, tuple[str, ...]]:
    variables = {name: str(value) for name, value in environ.items()}
    project = discover(root, Settings(python=python), variables)
    return project.interpreter, project.problems


def test_an_environment_in_the_workspace(root: Path, base: Path) -> None:
    prefix = environment(root / ".venv", base)
    expected = Interpreter(prefix / "bin/python", (3, 12), prefix, base, has_pytest=False)
    assert found(root) == (expected, ())
    (prefix / "lib/python3.12/site-packages/pytest/__init__.py").touch()
    assert found(root)[0].has_pytest


def test_the_order_of_candidates(root: Path, base: Path, tmp_path: Path) -> None:
    on_path = install(tmp_path / "path", 10)
    assert found(root)[0].executable == OWN
    assert found(root, PATH=on_path / "bin")[0].version == (3, 10)
    plain = environment(root / "venv", base)
    assert found(root, PATH=on_path / "bin")[0].prefix == plain
    dotted = environment(root / ".venv", base)
    assert found(root, PATH=on_path / "bin")[0].prefix == dotted
    conda = install(tmp_path / "conda", 11)
    assert found(root, CONDA_PREFIX=conda)[0] == Interpreter(
        conda / "bin/python", (3, 11), conda, conda, has_pytest=False
    )
    active = environment(tmp_path / "active", base)
    assert found(root, CONDA_PREFIX=conda, VIRTUAL_ENV=active)[0].prefix == active
    for setting in (str(on_path), str(on_path / "bin/python3"), "../path"):
        interpreter, problems = found(root, setting, VIRTUAL_ENV=active)
        assert (interpreter.prefix, problems) == (on_path, ()), setting
    assert found(root, "python3.10", PATH=on_path / "bin", VIRTUAL_ENV=active)[0].version == (3, 10)


def test_packages_of_the_system_count_only_when_they_are_shared(root: Path, tmp_path: Path) -> None:
    base = install(tmp_path / "with", pytest_too=True)
    environment(root / "venv", base)
    assert not found(root)[0].has_pytest
    environment(root / ".venv", base, **{"include-system-site-packages": "true"})
    assert found(root)[0].has_pytest


def test_shims_on_the_path_are_passed_over(root: Path, base: Path, tmp_path: Path) -> None:
    shims = install(tmp_path / "manager") / "bin"
    (shims / "python3.12").write_text("#!/bin/sh\nexec pyenv\n")
    planted = install(root / "tools")
    path = os.pathsep.join(["", ".", str(shims), str(planted / "bin"), str(base / "bin")])
    assert found(root, PATH=Path(path)) == (
        Interpreter(base / "bin/python3", (3, 12), base, base, has_pytest=False),
        (),
    )


def test_a_home_that_is_a_link(root: Path, base: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(base)
    (tmp_path / "bin").symlink_to(base / "bin")
    environment(root / ".venv", tmp_path / "linked")
    assert found(root)[0].base_prefix == tmp_path / "linked", "links lead through that name"
    environment(root / "venv", base, home=str(tmp_path / "bin"))
    assert found(root, "venv")[0].base_prefix == base


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        ({"home": ""}, "home"),
        ({"home": "bin"}, "home"),
        ({"version": "2.7"}, "version"),
        ({"version": "3.7.1"}, "no Python 3.7"),
    ],
)
def test_an_odd_environment_is_told_and_passed_over(
    root: Path, base: Path, config: dict[str, str], reason: str
) -> None:
    prefix = environment(root / ".venv", base, **config)
    if config.get("version") == "2.7":
        (base / "lib/python3.11").mkdir()
        (base / "lib/python3.11/os.py").touch()
        (base / "bin/python3.12").rename(base / "bin/python3")
    interpreter, problems = found(root)
    assert interpreter.executable == OWN
    assert len(problems) == 1 and str(prefix) in problems[0] and reason in problems[0]


def test_a_python_inside_the_workspace_is_only_used_when_the_user_names_it(root: Path, base: Path) -> None:
    install(root / "python")
    environment(root / ".venv", root / "python")
    copied = environment(root / "venv", base)
    (copied / "bin/python").unlink()
    (copied / "bin/python").write_bytes(b"\x7fELF hostile")
    (copied / "bin/python").chmod(0o755)
    interpreter, problems = found(root)
    assert interpreter.executable == OWN
    assert len(problems) == 2 and all("in the workspace" in problem for problem in problems)
    assert found(root, "./venv")[0].executable == copied / "bin/python"
    assert found(root, VIRTUAL_ENV=copied)[0].executable == OWN


def test_a_program_that_is_not_the_one_it_names(root: Path, base: Path, tmp_path: Path) -> None:
    prefix = environment(root / ".venv", base)
    other = install(tmp_path / "other")
    (prefix / "bin/python").unlink()
    (prefix / "bin/python").symlink_to(other / "bin/python3")
    interpreter, problems = found(root)
    assert interpreter.executable == OWN
    assert "not the Python in" in problems[0]


def test_no_environment_may_show_the_users_files(root: Path, tmp_path: Path) -> None:
    home = install(tmp_path / "home")
    prefix = environment(root / ".venv", home)
    assert found(root, HOME=tmp_path)[0].prefix == prefix
    for private in (home, home / "someone"):
        interpreter, problems = found(root, HOME=private)
        assert interpreter.executable == OWN
        assert "the tests would see all of it" in problems[0]


def test_the_workspace_is_not_shown_as_an_environment(root: Path, base: Path) -> None:
    environment(root / "real", base)
    for path in (root / "real").iterdir():
        path.rename(root / path.name)
    (root / ".venv").symlink_to(".")
    interpreter, problems = found(root)
    assert interpreter.executable == OWN
    assert "the tests would see all of it" in problems[0]


def test_the_root_folder_is_no_installation(root: Path) -> None:
    prefix = environment(root / ".venv", Path("/"), home="/nowhere")
    (prefix / "bin/python").unlink()
    (prefix / "bin/python").symlink_to(OWN)
    interpreter, _problems = found(root)
    assert interpreter.base_prefix != Path("/")


@pytest.mark.parametrize("name", ["bin/python", "pyvenv.cfg"])
def test_a_pipe_does_not_hold_us_up(root: Path, base: Path, name: str) -> None:
    prefix = environment(root / ".venv", base)
    (prefix / name).unlink()
    os.mkfifo(prefix / name)
    interpreter, problems = found(root)
    assert interpreter.executable == OWN
    assert len(problems) == 1


def test_what_does_not_exist_is_told(root: Path) -> None:
    _, problems = found(root, "/nowhere/python", VIRTUAL_ENV=root / "gone")
    assert [problem.split(":")[0] for problem in problems] == ["python", "VIRTUAL_ENV"]
    (root / "venv").mkdir()
    (root / "venv/__init__.py").touch()
    assert found(root)[1] == (), "a package may be called venv"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["a.py"], ("",)),
        (["src/pkg/__init__.py"], ("src", "")),
        (["src/mod.py"], ("src", "")),
        (["src/space/pkg/mod.py"], ("src", "")),
        (["src/__init__.py", "src/mod.py"], ("",)),
        (["src/main.c"], ("",)),
        (["src"], ("",)),
    ],
)
def test_where_imports_begin(root: Path, files: list[str], expected: tuple[str, ...]) -> None:
    for path in files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).touch()
    assert discover(root, Settings(), {}).import_roots == expected


@pytest.mark.parametrize(
    "pyproject",
    [
        '[tool.setuptools.packages.find]\nwhere = ["python/lib"]',
        '[tool.setuptools]\npackage-dir = {"" = "./python/lib/"}',
        '[tool.poetry]\npackages = [{include = "pkg", from = "python/lib"}]',
        '[tool.hatch.build.targets.wheel]\npackages = ["python/lib/pkg"]',
        '[tool.hatch.build.targets.wheel]\nsources = ["python/lib"]',
        '[tool.pdm.build]\npackage-dir = "python/lib"',
    ],
)
def test_where_the_build_says_that_imports_begin(root: Path, pyproject: str) -> None:
    for path in ("python/lib/pkg/__init__.py", "src/other.py"):
        (root / path).parent.mkdir(parents=True)
        (root / path).touch()
    (root / "pyproject.toml").write_text(pyproject)
    assert discover(root, Settings(), {}).import_roots == ("python/lib", "")
    (root / "python").rename(root.parent / "python")
    (root / "python").symlink_to(root.parent / "python")
    assert discover(root, Settings(), {}).import_roots == ("src", ""), "what lies elsewhere is not copied"


@pytest.mark.parametrize("where", ["..", "../elsewhere", "/usr/lib", "nowhere", "pkg", 3, "."])
def test_odd_places_for_imports(root: Path, where: object) -> None:
    (root / "pkg").mkdir()
    (root / "pkg/__init__.py").touch()
    (root / "pyproject.toml").write_text(f"[tool.setuptools.packages.find]\nwhere = [{where!r}]")
    assert discover(root, Settings(), {}).import_roots == ("",)


@pytest.mark.parametrize(
    ("text", "table", "problems"),
    [
        (None, {}, 0),
        ("[project]\nname = 'x'\n", {}, 0),
        ("[tool.untilgreen]\nmax_attempts = 2\n", {"max_attempts": 2}, 0),
        ("[tool]\nuntilgreen = 3\n", {}, 1),
        ("tool = 3\n", {}, 0),
        ("[tool.untilgreen\n", {}, 1),
    ],
)
def test_the_repositorys_own_table(
    root: Path, text: str | None, table: dict[str, object], problems: int
) -> None:
    if text is not None:
        (root / "pyproject.toml").write_text(text)
    found_table, found_problems = repository_table(root)
    assert (found_table, len(found_problems)) == (table, problems)
