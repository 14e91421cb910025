"""Which modules a project's environment holds, read from its folders."""

from __future__ import annotations

from pathlib import Path

from untilgreen_sandbox.box import Interpreter

# What runs the tests is always there, whether the project installed it or we brought it.
RUNNER_MODULES = frozenset({"pytest", "_pytest", "py", "pluggy", "iniconfig", "packaging", "pygments"})


def installed_modules(interpreter: Interpreter) -> frozenset[str]:
    """Top-level names that an import would find among installed packages."""
    names = set(RUNNER_MODULES)
    for folder in _package_folders(interpreter) if interpreter.here else ():
        if folder.is_dir():
            names |= {_module(path) for path in folder.iterdir()}
    return frozenset(names - {""})


def _package_folders(interpreter: Interpreter) -> list[Path]:
    version = ".".join(map(str, interpreter.version))
    prefixes = {interpreter.prefix, interpreter.base_prefix}
    folders = [prefix / f"lib/python{version}/site-packages" for prefix in prefixes]
    folders += [prefix / f"lib64/python{version}/site-packages" for prefix in prefixes]
    if Path("/usr") in prefixes:
        folders.append(Path("/usr/lib/python3/dist-packages"))
        folders.append(Path(f"/usr/local/lib/python{version}/dist-packages"))
    return folders


def _module(path: Path) -> str:
    """The name an import would use: a package's folder, or a file up to its first dot."""
    name = path.name if path.suffix not in (".py", ".so") else path.name.split(".")[0]
    return name if name.isidentifier() else ""
