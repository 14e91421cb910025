"""Where a project's imports begin: `src`, or what its build configuration says."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path


def find_import_roots(root: Path, pyproject: Mapping[str, object]) -> tuple[str, ...]:
    """Workspace-relative folders in the order of sys.path, as an editable install would have them."""
    told = [posixpath.normpath(folder) for folder in _declared(pyproject)]
    found = [folder for folder in told if folder not in (".", "") and _is_import_root(root, folder)]
    if not found and _is_import_root(root, "src") and _has_code(root / "src"):
        found = ["src"]
    return (*dict.fromkeys(found), "")


def _declared(pyproject: Mapping[str, object]) -> Iterator[str]:
    tool = _table(pyproject, "tool")
    setuptools = _table(tool, "setuptools")
    yield from _texts(_table(setuptools, "packages", "find").get("where"))
    yield from _texts(_table(setuptools, "package-dir").get(""))
    packages = _table(tool, "poetry").get("packages")
    for package in packages if isinstance(packages, list) else []:
        if isinstance(package, dict):
            yield from _texts(package.get("from"))
    wheel = _table(tool, "hatch", "build", "targets", "wheel")
    for package in _texts(wheel.get("packages")):
        yield posixpath.dirname(package)
    yield from _texts(wheel.get("sources"))
    yield from _texts(_table(tool, "pdm", "build").get("package-dir"))


def _table(tables: Mapping[str, object], *names: str) -> Mapping[str, object]:
    for name in names:
        inner = tables.get(name)
        tables = inner if isinstance(inner, dict) else {}
    return tables


def _texts(value: object) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [text for text in values if isinstance(text, str)]


def _is_import_root(root: Path, folder: str) -> bool:
    """A folder of the project that is no package itself."""
    # A link to a folder is not copied, so nothing could be imported from it.
    parts = Path(folder).parts
    inside = not Path(folder).is_absolute() and ".." not in parts
    steps = [root.joinpath(*parts[:n]) for n in range(1, len(parts) + 1)]
    return (
        inside
        and not any(step.is_symlink() for step in steps)
        and (root / folder).is_dir()
        and not (root / folder / "__init__.py").exists()
    )


def _has_code(folder: Path) -> bool:
    return any(next(folder.glob(pattern), None) for pattern in ("*.py", "*/*.py", "*/*/*.py"))
