"""What no patch may touch. Checked on the host before anything of a proposal runs."""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from untilgreen.model import Entry, Finding, Patch
from untilgreen.rules import REASONS
from untilgreen.solve.parts import mixes, same_tests
from untilgreen.solve.support import TEST_FOLDERS, TEST_NAMES, Support, folder_of_tests

__all__ = ["TEST_FOLDERS", "TEST_NAMES", "Protection", "changed_tests", "protect", "refusals"]
CONFIGURATION = (
    *("pyproject.toml", "pytest.ini", "pytest.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py"),
    *("Makefile", "package.json", "manage.py", "requirements*.txt", "*.lock", "MANIFEST.in"),
)
START_UP = ("*.pth", "*.egg-link", "sitecustomize.py", "usercustomize.py")
BINARY = ("*.pyc", "*.pyo", "*.so", "*.so.*", "*.pyd", "*.dll", "*.dylib", "*.exe", "*.whl", "*.egg", "*.zip")
METADATA = ("*.dist-info", "*.egg-info")
MAX_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Protection:
    """Made from the goal and the plan, before any proposal is seen."""

    entries: Mapping[str, Entry]
    """The pristine tree."""
    test_files: frozenset[str]
    path_folders: frozenset[str]
    """Folders that are on sys.path when tests run: a new module there can shadow another."""
    taken_names: frozenset[str]
    """Modules that are installed for the project."""
    support: Support
    """Knows which other files only serve the tests."""
    may_change_tests: bool = False
    mixed: Mapping[str, bytes] = field(default_factory=dict)
    """Files that hold code and tests, as they were: of these only the tests are protected."""


def protect(
    entries: Mapping[str, Entry],
    test_files: frozenset[str],
    import_roots: tuple[str, ...],
    installed: frozenset[str],
    *,
    may_change_tests: bool,
    read: Callable[[str], bytes] | None = None,
) -> Protection:
    """Blocking when `read` has to read files that mix code and tests; without it names alone decide."""
    folders = {root.strip("/") for root in import_roots}
    folders |= {_package_parent(path, entries) for path in test_files}
    mixed = _mixed(entries, test_files, frozenset(folders), read) if read is not None else {}
    support = Support(entries, test_files, folders, read)
    return Protection(entries, test_files, frozenset(folders), installed, support, may_change_tests, mixed)


def refusals(patch: Patch, protection: Protection) -> tuple[Finding, ...]:
    """Why this patch may not even be run; empty when it may."""
    found = [
        Finding(path, 1, rule, reason)
        for path, change in patch
        for rule, reason in [_refusal(path, change.content, protection)]
        if rule
    ]
    if not patch:
        found.append(Finding("", 0, "empty", "the patch changes nothing"))
    return tuple(found)


def changed_tests(patch: Patch, protection: Protection) -> tuple[Finding, ...]:
    """The tests in a patch that may change them: whoever allowed it should see what became of them."""
    if not protection.may_change_tests:
        return ()
    why = f"tests were changed here, as you allowed: {REASONS['unproven']}"
    return tuple(
        Finding(path, 1, "unproven", why)
        for path, change in patch
        if protection.support.holds(path)
        and (path not in protection.mixed or not _keeps_tests(path, change.content, protection))
    )


def _keeps_tests(path: str, content: bytes | None, protection: Protection) -> bool:
    return content is not None and same_tests(protection.mixed[path], content)


def _refusal(path: str, content: bytes | None, protection: Protection) -> tuple[str, str]:
    if not _stays_inside(path):
        return "outside", "it is not a path inside the workspace"
    parts = PurePosixPath(path).parts
    name = parts[-1]
    if any(part.startswith(".") for part in parts):
        return "hidden", "hidden files and folders are configuration"
    if "__pycache__" in parts or _matches(name, BINARY):
        return "binary", "binaries and bytecode cannot be reviewed"
    if _matches(name, START_UP):
        return "start-up", "it would run at every start of the interpreter"
    if any(_matches(part, METADATA) for part in parts) or name == "entry_points.txt":
        return "configuration", "metadata of packages can bring plugins along"
    if _matches(name, CONFIGURATION):
        return "configuration", "test and build configuration is never changed to pass"
    if not protection.may_change_tests and protection.support.holds(path):
        if path not in protection.mixed:
            return "test", "tests are never changed to pass"
        if not _keeps_tests(path, content, protection):
            return "test", "tests are never changed to pass, and of this file the tests are changed, too"
    if _through_link(path, protection.entries):
        return "link", "symbolic links are never written through"
    if content is not None and len(content) > MAX_BYTES:
        return "size", f"it is larger than {MAX_BYTES >> 20} MB"
    if content is not None and _shadows(path, protection):
        return "shadow", "a new module of this name would take the place of an installed one"
    return "", ""


def _stays_inside(path: str) -> bool:
    strange = "\\" in path or any(ord(character) < 32 for character in path)
    return not strange and all(part not in ("", ".", "..") for part in path.split("/"))


def _mixed(
    entries: Mapping[str, Entry],
    test_files: frozenset[str],
    folders: frozenset[str],
    read: Callable[[str], bytes],
) -> dict[str, bytes]:
    modules = frozenset(
        _top_module(path, folder)
        for folder in folders
        for path in entries
        if path.endswith(".py") and (not folder or path.startswith(f"{folder}/"))
    )
    found = {}
    for path in sorted(test_files):
        if (
            folder_of_tests(path)
            or not path.endswith(".py")
            or path not in entries
            or entries[path].size > MAX_BYTES
        ):
            continue
        # A file is not the workspace's other code.
        others = modules - {PurePosixPath(path).stem}
        if not _matches(PurePosixPath(path).name, TEST_NAMES) or mixes(path, read(path), others):
            found[path] = read(path)
    return found


def _through_link(path: str, entries: Mapping[str, Entry]) -> bool:
    prefixes = [path, *(parent.as_posix() for parent in PurePosixPath(path).parents)]
    return any(prefix in entries and entries[prefix].kind == "link" for prefix in prefixes)


def _shadows(path: str, protection: Protection) -> bool:
    if path in protection.entries or not path.endswith(".py"):
        return False
    return any(
        _top_module(path, folder) in sys.stdlib_module_names | protection.taken_names
        and not _already_there(_top_module(path, folder), folder, protection.entries)
        for folder in protection.path_folders
        if not folder or path.startswith(f"{folder}/")
    )


def _top_module(path: str, folder: str) -> str:
    first = path[len(folder) :].lstrip("/").split("/")[0]
    return first.removesuffix(".py")


def _already_there(module: str, folder: str, entries: Mapping[str, Entry]) -> bool:
    """A project that has a package of this name already is extended, not shadowed."""
    prefix = f"{folder}/{module}" if folder else module
    return any(path == f"{prefix}.py" or path.startswith(f"{prefix}/") for path in entries)


def _package_parent(path: str, entries: Mapping[str, Entry]) -> str:
    """The folder pytest puts on sys.path for a test file: the first one up that is no package."""
    folder = posixpath.dirname(path)
    while folder and f"{folder}/__init__.py" in entries:
        folder = posixpath.dirname(folder)
    return folder


def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)
