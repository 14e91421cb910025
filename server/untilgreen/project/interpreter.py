"""The project's Python, found by reading files. Nothing is executed: a repository may ship a hostile one.

What is found is shown read-only to the code under test, so a strange environment must not point at the
user's own files, and a Python inside the workspace must not become the one that judges it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from untilgreen.project.wanted import Wanted
from untilgreen.workspace import open_file
from untilgreen_sandbox.box import Interpreter


def find_interpreter(
    root: Path, setting: str, environ: Mapping[str, str], wanted: Wanted | None = None
) -> tuple[Interpreter, tuple[str, ...]]:
    """The first candidate that looks right, and one sentence for each that does not.

    What is wanted decides among those of the machine only: an environment was made by somebody who knew.
    """
    problems: list[str] = []
    for source, path in _candidates(root, setting, environ, wanted):
        try:
            interpreter = _read(path, root, environ, trusted=source == "python")
        except (Odd, OSError) as error:
            said = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            problems.append(f"{source}: {path} is not used, {said}.")
            continue
        if source != "PATH" or wanted is None or wanted.accepts(interpreter.version):
            return interpreter, tuple(problems)
    own = _own()
    if wanted is None or wanted.accepts(own.version):
        return own, tuple(problems)
    version = (3, wanted.minors[0])
    name = f"python3.{version[1]}"
    problems.append(
        f"{wanted.source} asks for a Python that this machine does not have; "
        f"only Docker can run the tests, with Python 3.{version[1]}."
    )
    nowhere = Path(os.sep, "nowhere")
    return Interpreter(
        nowhere / "bin" / name, version, nowhere, nowhere, has_pytest=False, here=False
    ), tuple(problems)


def workspace_of(root: Path, environ: Mapping[str, str]) -> Path:
    """The repository that holds the project; the project's own folder when there is none."""
    private = {_real(Path(home)) for home in (environ.get("HOME", ""), _home("~")) if home}
    for folder in (root, *root.parents):
        # A home under version control is not one project.
        if _real(folder) in private or folder == Path(folder.anchor):
            break
        if (folder / ".git").exists():
            return folder
    return root


class Odd(Exception):
    """Why a candidate is not used; reads on after a comma."""


def _candidates(
    root: Path, setting: str, environ: Mapping[str, str], wanted: Wanted | None
) -> Iterator[tuple[str, Path]]:
    """In order: what was asked for, the active environment, the project's own, those on the path."""
    if setting:
        named = None if "/" in setting else shutil.which(setting, path=environ.get("PATH", ""))
        # What a name finds on the path is not yet what the user has pointed at.
        yield ("python on PATH", Path(named)) if named else ("python", root / _home(setting))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if environ.get(name):
            yield name, Path(environ[name])
    workspace = workspace_of(root, environ)
    for folder in dict.fromkeys((root, workspace)):
        for name in (".venv", "venv"):
            # A plain package may be called venv, too.
            if (folder / name / "pyvenv.cfg").exists() or (folder / name / "bin").exists():
                yield "workspace", folder / name
    names = ["python3", *(f"python3.{minor}" for minor in (wanted.minors if wanted else ()))]
    folders = [Path(folder) for folder in environ.get("PATH", "").split(os.pathsep)]
    for executable in [folder / name for name in names for folder in folders if folder.is_absolute()]:
        inside = _real(executable).is_relative_to(_real(workspace)) or executable.is_relative_to(workspace)
        if not inside and _is_installed(executable):
            yield "PATH", executable
    # The shims of pyenv are scripts, but what they would start lies beside them.
    for folder in folders if wanted else ():
        if folder.is_absolute() and folder.name == "shims" and not folder.is_relative_to(workspace):
            for name in names[1:]:
                found = folder.parent.glob(f"versions/{name.removeprefix('python')}.*/bin/{name}")
                yield from (("PATH", executable) for executable in sorted(found) if _is_installed(executable))


def _is_installed(executable: Path) -> bool:
    """False for the shims of version managers: scripts, or programs without a library beside them."""
    prefix = executable.parent.parent
    if not _is_binary(executable):
        return False
    return (prefix / "pyvenv.cfg").exists() or _version_of(_real(executable)) is not None


def _read(path: Path, root: Path, environ: Mapping[str, str], *, trusted: bool) -> Interpreter:
    """The interpreter of an environment folder, an installation folder or an executable."""
    path = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would leave the environment by its links
    if not path.exists():
        raise Odd("it does not exist")
    executable = _executable_in(path) if path.is_dir() else path
    prefix = executable.parent.parent
    workspace = workspace_of(root, environ)
    if executable.parent.name != "bin":
        raise Odd("it is not in the bin folder of an installation")
    if not trusted and _real(executable).is_relative_to(_real(workspace)):
        raise Odd("its program lies in the workspace; name it in the setting `python` if it is yours")
    if not _is_binary(executable):
        raise Odd("it is a script and not an interpreter")
    if (prefix / "pyvenv.cfg").exists():
        interpreter = _read_environment(executable, prefix, workspace, trusted=trusted)
    else:
        interpreter = _read_installation(executable)
    for folder in (interpreter.prefix, interpreter.base_prefix):
        _refuse_exposure(folder, root, environ)
    return interpreter


def _read_environment(executable: Path, prefix: Path, workspace: Path, *, trusted: bool) -> Interpreter:
    config = _pyvenv(prefix / "pyvenv.cfg")
    home = Path(config.get("home", ""))
    if not home.is_absolute():
        raise Odd("its pyvenv.cfg does not say where its Python is (home)")
    if not trusted and _real(home).is_relative_to(_real(workspace)):
        raise Odd("its home lies in the workspace; name it in the setting `python` if it is yours")
    version = _version(config.get("version", config.get("version_info", ""))) or _version_of(
        _real(executable)
    )
    if version is None:
        raise Odd("its version is unknown")
    end = _real(executable)
    # The folder as it is named comes first: links in the environment lead through that name.
    bases = (home.parent, _real(home).parent, end.parent.parent)
    base = next((base for base in bases if base != Path(base.anchor) and _library(base, version)), None)
    if base is None:
        raise Odd(f"there is no Python {version[0]}.{version[1]} in {home.parent}")
    if not trusted and not end.is_relative_to(_real(base)) and not end.is_relative_to(_real(prefix)):
        raise Odd(f"its program is {end} and not the Python in {base}")
    places = [*_site_packages(prefix, version)]
    if config.get("include-system-site-packages", "").lower() == "true":
        places += _site_packages(base, version)
    return Interpreter(executable, version, prefix, base, _has_pytest(places))


def _read_installation(executable: Path) -> Interpreter:
    real = _real(executable)
    version = _version_of(real)
    if version is None:
        raise Odd("it belongs to no installation: there is no lib/python3.X/os.py beside its bin folder")
    # Conda and /usr/local may be reached by links; the library decides which name is the installation's.
    prefix = executable.parent.parent
    if prefix == Path(prefix.anchor) or not _library(prefix, version):
        executable, prefix = real, real.parent.parent
    return Interpreter(executable, version, prefix, prefix, _has_pytest(_site_packages(prefix, version)))


def _own() -> Interpreter:
    """The Python that runs the server, without the server's own environment."""
    prefix = Path(sys.base_prefix)
    version = (sys.version_info.major, sys.version_info.minor)
    executable = Path(getattr(sys, "_base_executable", None) or sys.executable)
    return Interpreter(executable, version, prefix, prefix, _has_pytest(_site_packages(prefix, version)))


def _refuse_exposure(prefix: Path, root: Path, environ: Mapping[str, str]) -> None:
    """Whole prefixes are shown to the tests: none may be somebody's home or hold the workspace."""
    real = _real(prefix)
    if real in (Path("/usr"), Path("/usr/local")):
        return
    homes = [_real(Path(home)) for home in (environ.get("HOME", ""), _home("~")) if home]
    private = [Path(real.anchor), Path("/root"), *homes, _real(root)]
    if any(one.is_relative_to(real) for one in private) or real.parent in (Path("/home"), Path("/Users")):
        raise Odd(f"{real} holds more than an installation, and the tests would see all of it")


def _executable_in(folder: Path) -> Path:
    for name in ("python", "python3"):
        if (folder / "bin" / name).exists():
            return folder / "bin" / name
    raise Odd("it has no bin/python")


def _is_binary(executable: Path) -> bool:
    try:
        with open_file(_real(executable)) as file:
            return os.access(executable, os.X_OK) and file.read(2) not in (b"#!", b"")
    except OSError:
        return False


def _version_of(real: Path) -> tuple[int, int] | None:
    """By the program's name, else by the only library of its installation."""
    prefix = real.parent.parent
    named = _version(real.name.removeprefix("python"))
    if named and _library(prefix, named):
        return named
    found = {_version(lib.parent.name.removeprefix("python")) for lib in prefix.glob("lib/python3.*/os.py")}
    return found.pop() if len(found) == 1 else None


def _version(text: str) -> tuple[int, int] | None:
    match = re.match(r"3\.(\d{1,2})(?!\d)", text)
    return (3, int(match[1])) if match else None


def _library(prefix: Path, version: tuple[int, int]) -> bool:
    # The free-threaded build has a `t` at the end.
    name = f"python{version[0]}.{version[1]}"
    return any((prefix / "lib" / folder / "os.py").is_file() for folder in (name, f"{name}t"))


def _site_packages(prefix: Path, version: tuple[int, int]) -> Iterator[Path]:
    name = f"python{version[0]}.{version[1]}"
    for lib in ("lib", "lib64"):
        yield from (prefix / lib / folder / "site-packages" for folder in (name, f"{name}t"))
    if prefix == Path("/usr"):
        yield Path("/usr/lib/python3/dist-packages")
        yield Path("/usr/local/lib") / name / "dist-packages"
        yield Path("/usr/local/lib") / name / "site-packages"


def _has_pytest(places: Iterator[Path] | list[Path]) -> bool:
    return any((place / "pytest" / "__init__.py").is_file() for place in places)


def _pyvenv(path: Path) -> dict[str, str]:
    with open_file(path) as file:
        text = file.read(65_536).decode("utf-8", "replace")
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {key.strip().lower(): value.strip() for key, _, value in pairs}


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _home(text: str) -> str:
    return os.path.expanduser(text)  # noqa: PTH111 - Path.expanduser() raises where there is no home
