"""What a project needs installed, read from its files. Nothing is executed, and nothing in them is trusted:
a repository says which packages it needs, and never where they come from.
"""

from __future__ import annotations

import json
import posixpath
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from untilgreen.project.pyproject import FILE, OTHER_SOURCES, WANTED, Pyproject, is_table
from untilgreen.project.reading import Read, Unreadable, read_text
from untilgreen.project.requirement import NAME, NotTaken, normal, read_poetry, read_requirement
from untilgreen.project.setup_files import CFG, PY, setup_table

LOCKS = ("uv.lock", "poetry.lock")
PIPFILE_LOCK = "Pipfile.lock"
_FILES = re.compile(r"((dev|tests?|testing)[-_])?requirements[^/]*\.txt")
# An option, and its value behind a space or an equals sign; short ones may have it without either.
_OPTION = re.compile(r"(--[a-z-]+|-[a-zA-Z])[=\s]*(.*)")
_ITSELF = re.compile(r"(?:file:)?\./?(?:\[(?P<extras>[^\]]*)\])?")
_LOCAL = re.compile(r"\.{0,2}/.*|\.\.|file:.*|.*\.(whl|zip|tar\.\w+)")
_HARMLESS = ("--require-hashes", "--prefer-binary")


@dataclass(frozen=True, slots=True)
class Dependencies:
    """What to install for a project's tests, and what the project calls itself."""

    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    """Which version, if a package is installed at all."""
    files: tuple[str, ...] = ()
    """What was read."""
    name: str = ""
    version: str = ""
    entry_points: tuple[tuple[str, str, str], ...] = ()
    """Group, name and object of each one that the project itself declares."""
    problems: tuple[str, ...] = ()
    requires_python: str = ""

    @property
    def modules(self) -> frozenset[str]:
        """The names that most of these packages are imported by."""
        names = (re.match(NAME, line) for line in (*self.requirements, *self.constraints))
        return frozenset(normal(name[0]).replace("-", "_") for name in names if name)


def find_dependencies(root: Path, read: Read) -> Dependencies:
    """From a lock, else from requirements files, else from pyproject.toml, setup.cfg and setup.py alone."""
    finder = _Finder(read)
    locked = finder.locked()
    if locked is not None:
        finder.add_declared(WANTED)
    else:
        finder.add_pipfile_lock()
    if not finder.requirements:
        for name in _requirements_files(root):
            finder.add_file(name, "-r")
        if not finder.requirements and locked is None:
            finder.add_declared(WANTED)
    elif locked:
        finder.constraints |= dict.fromkeys(locked)
    return Dependencies(
        tuple(finder.requirements),
        tuple(finder.constraints) if finder.requirements else (),
        tuple(finder.files),
        finder.pyproject.name,
        finder.pyproject.version,
        tuple(finder.pyproject.entry_points()),
        tuple(finder.problems),
        finder.pyproject.requires_python,
    )


def _requirements_files(root: Path) -> list[str]:
    try:
        return sorted(path.name for path in root.iterdir() if _FILES.fullmatch(path.name))
    except OSError:
        return []


class _Finder:
    """Collects while files are read; dicts, because they keep the order and drop what comes twice."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self.requirements: dict[str, None] = {}
        self.constraints: dict[str, None] = {}
        self.files: dict[str, None] = {}
        self.problems: dict[str, None] = {}
        self._included: set[tuple[str, str]] = set()
        tables = self._toml(FILE) or {}
        cfg, py = (self._content(path, optional=True) for path in (CFG, PY))
        self.pyproject = Pyproject(tables, self._tell, setup_table(cfg, py, self._tell))

    def locked(self) -> list[str] | None:
        """`name==version` of every package that the lock has just once; None when there is no lock."""
        for path in LOCKS:
            packages = (self._toml(path) or {}).get("package")
            if not isinstance(packages, list):
                continue
            versions: dict[str, set[str]] = {}
            for package in filter(is_table, packages):
                name, version = package.get("name"), package.get("version")
                named = isinstance(name, str) and isinstance(version, str)
                if named and _is_from_index(package.get("source", {})):
                    versions.setdefault(str(name), set()).add(str(version))
            lines = [f"{name}=={found.pop()}" for name, found in versions.items() if len(found) == 1]
            return [line for line in lines if self._is_valid(line, path)]
        return None

    def add_pipfile_lock(self) -> None:
        content = self._content(PIPFILE_LOCK, optional=True)
        try:
            lock = json.loads(content or "{}")
        except (ValueError, RecursionError):
            self._tell(PIPFILE_LOCK, "it is not valid JSON", "")
            return
        for section in ("default", "develop"):
            packages = lock.get(section) if is_table(lock) else None
            for name, wanted in packages.items() if is_table(packages) else ():
                try:
                    # Its entries look like those of a Poetry table.
                    self.requirements |= {found.text: None for found in read_poetry(str(name), wanted)}
                except NotTaken as reason:
                    self._tell(PIPFILE_LOCK, str(reason), str(name))

    def add_declared(self, extras: frozenset[str]) -> None:
        self.requirements |= {found.text: None for found in self.pyproject.declared(extras)}

    def add_file(self, path: str, kind: str) -> None:
        """A requirements file (-r) or one of constraints (-c), and those it includes; each of them once."""
        if (kind, path) in self._included:
            return
        self._included.add((kind, path))
        content = self._content(path)
        for line in _lines(content or ""):
            if line.startswith("-"):
                self._add_option(line, path, kind)
            elif itself := _ITSELF.fullmatch(line):
                self._add_itself(itself["extras"])
            elif _LOCAL.fullmatch(line):
                self._tell(path, "what lies elsewhere is not in an image", line)
            elif kind == "-r":
                self.requirements |= {found.text: None for found in self.pyproject.resolve(line, path)}
            elif self._is_valid(line, path):
                self.constraints[line] = None

    def _add_option(self, line: str, path: str, kind: str) -> None:
        match = _OPTION.match(line)
        option, value = (match[1], match[2].strip("'\" ")) if match else (line, "")
        if option in ("-r", "--requirement", "-c", "--constraint"):
            included = posixpath.normpath(posixpath.join(posixpath.dirname(path), value))
            if included.startswith(("/", "..")):
                self._tell(path, "it lies outside of the workspace", value)
            else:
                self.add_file(included, "-c" if option in ("-c", "--constraint") else kind)
        elif option in ("-e", "--editable"):
            if itself := _ITSELF.fullmatch(value):
                self._add_itself(itself["extras"])
            else:
                # Its address may hold a password.
                self._tell(path, "only the project itself can be editable in an image", option)
        elif option not in _HARMLESS:
            self._tell(path, "where packages come from, and how, is for you to say", option)

    def _add_itself(self, extras: str | None) -> None:
        self.add_declared(WANTED | {normal(extra.strip()) for extra in (extras or "").split(",")})

    def _is_valid(self, line: str, source: str) -> bool:
        try:
            read_requirement(line)
        except NotTaken as reason:
            self._tell(source, str(reason), line)
            return False
        return True

    def _toml(self, path: str) -> Mapping[str, object] | None:
        content = self._content(path, optional=True)
        try:
            return None if content is None else tomllib.loads(content)
        # Deep nesting ends the parser of the standard library with a RecursionError.
        except (ValueError, RecursionError) as error:
            self._tell(path, f"it is not valid TOML ({str(error) or 'it is nested too deeply'})", "")
            return None

    def _content(self, path: str, *, optional: bool = False) -> str | None:
        try:
            text = read_text(self._read, path)
        except Unreadable as error:
            self._tell(path, str(error), "")
            return None
        if text is not None:
            self.files[path] = None
        elif not optional:
            self._tell(path, "it does not exist", "")
        return text

    def _tell(self, source: str, why: str, what: str) -> None:
        shown = f"{source}: `{repr(what)[1:-1][:60]}`" if what else source
        self.problems[f"{shown} is passed over, {why}."] = None


def _is_from_index(source: object) -> bool:
    """uv names the kind of a source by its key, Poetry by its type, which only other sources have."""
    if not is_table(source):
        return False
    return source["type"] == "legacy" if "type" in source else not source.keys() & OTHER_SOURCES


def _lines(content: str) -> Iterator[str]:
    """Logical lines without comments."""
    for line in re.sub(r"\\\r?\n", " ", content).splitlines():
        if text := re.sub(r"(^|\s)#.*", "", line).strip():
            yield text
