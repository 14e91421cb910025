"""What pyproject.toml says of a project: its name, its entry points, and what its tests need installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeGuard

from untilgreen.project.requirement import (
    NAME,
    NotTaken,
    Requirement,
    normal,
    pep440,
    read_poetry,
    read_requirement,
)

FILE = "pyproject.toml"
SETUP = "setup.cfg or setup.py"
WANTED = frozenset({"test", "tests", "testing", "dev"})
"""Names of extras and groups that tests need."""
UNKNOWN_VERSION = "0.0.0"
OTHER_SOURCES = frozenset({"path", "git", "url", "workspace", "editable", "virtual", "directory"})
"""Where a package may come from that is not an index."""
_OBJECT = re.compile(r"[\w.-]+(:[\w.]+)?(\s*\[[\w.,\s-]*\])?")

Tell = Callable[[str, str, str], None]
"""Takes the file, why something in it is passed over, and what that is; may be empty."""


class Pyproject:
    """The tables of one file; those of a broken one are empty."""

    def __init__(
        self, tables: Mapping[str, object], tell: Tell, setup: Mapping[str, object] | None = None
    ) -> None:
        """`setup` is what older files of setuptools say, in the words of the `project` table."""
        self._tables, self._file = _with_setup(tables, setup or {})
        self._tell = tell
        self._seen: set[tuple[str, str]] = set()
        self.name = self.version = ""
        for table in (self._table("project"), self._table("tool", "poetry")):
            name, version = table.get("name"), table.get("version")
            if not self.name and isinstance(name, str) and re.fullmatch(NAME, name, re.ASCII):
                self.name = name
                known = isinstance(version, str) and re.fullmatch(r"v?\d[\w.+!-]*", version, re.ASCII)
                # One that is computed would need the project's code to run.
                self.version = str(version) if known else UNKNOWN_VERSION

    @property
    def requires_python(self) -> str:
        """Which versions of Python the project says it runs on; empty when it does not say."""
        said = self._table("project").get("requires-python")
        if not isinstance(said, str):
            poetry = self._table("tool", "poetry", "dependencies").get("python")
            said = ",".join(pep440(poetry)) if isinstance(poetry, str) else ""
        return said

    def declared(self, extras: frozenset[str] = WANTED) -> Iterator[Requirement]:
        """All that is asked for: by the project itself, by these extras, by groups that tests need."""
        project = self._table("project")
        for line in strings(project.get("dependencies")):
            yield from self.resolve(line, self._file)
        for extra in sorted(_table(project, "optional-dependencies")):
            if normal(extra) in extras:
                yield from self._extra(extra)
        for group in sorted(self._table("dependency-groups")):
            if normal(group) in WANTED:
                yield from self._group(group)
        for line in strings(self._table("tool", "uv").get("dev-dependencies")):
            yield from self.resolve(line, self._file)
        yield from self._of_poetry(extras)

    def resolve(self, line: str, source: str) -> Iterator[Requirement]:
        """What a line of this project means: one requirement, those of an extra of its own, or none."""
        try:
            requirement = read_requirement(line)
        except NotTaken as reason:
            self._tell(source, str(reason), line)
            return
        if self.name and requirement.name == normal(self.name):
            # An index may have another package of this name.
            for extra in requirement.extras:
                yield from self._extra(extra)
            return
        place = self._uv_source(requirement.name)
        if place & OTHER_SOURCES:
            self._tell(source, f"[tool.uv.sources] takes it from a {min(place & OTHER_SOURCES)}", line)
            return
        if "index" in place:
            self._tell(source, "only its package is; it is looked for in your own index", f"index of {line}")
        yield requirement

    def entry_points(self) -> Iterator[tuple[str, str, str]]:
        """Group, name and object of each one that is declared."""
        project, poetry = self._table("project"), self._table("tool", "poetry")
        groups = {**_table(poetry, "plugins"), **_table(project, "entry-points")}
        groups["console_scripts"] = {**_table(poetry, "scripts"), **_table(project, "scripts")}
        groups["gui_scripts"] = _table(project, "gui-scripts")
        for group in sorted(groups if self.name else ()):
            for name, value in sorted(_table(groups, group).items()):
                fits = re.fullmatch(r"[\w.-]+", group) and re.fullmatch(r"[^\W][^=\n\r]*", name)
                if fits and isinstance(value, str) and _OBJECT.fullmatch(value):
                    yield group, name.strip(), value

    def _extra(self, extra: str) -> Iterator[Requirement]:
        for name, lines in self._table("project", "optional-dependencies").items():
            if normal(name) == normal(extra) and self._first_time("extra", name):
                for line in strings(lines):
                    yield from self.resolve(line, self._file)

    def _group(self, group: str) -> Iterator[Requirement]:
        for name, items in self._table("dependency-groups").items():
            if normal(name) != normal(group) or not self._first_time("group", name):
                continue
            for item in items if isinstance(items, list) else []:
                if isinstance(item, str):
                    yield from self.resolve(item, self._file)
                elif is_table(item) and isinstance(item.get("include-group"), str):
                    yield from self._group(str(item["include-group"]))

    def _of_poetry(self, extras: frozenset[str]) -> Iterator[Requirement]:
        poetry = self._table("tool", "poetry")
        chosen = {
            normal(name)
            for extra, names in _table(poetry, "extras").items()
            if normal(extra) in extras
            for name in strings(names)
        }
        tables = [_table(poetry, "dependencies"), _table(poetry, "dev-dependencies")]
        for group in sorted(_table(poetry, "group")):
            if normal(group) in WANTED:
                tables.append(_table(poetry, "group", group, "dependencies"))
        for name, wanted in [pair for table in tables for pair in table.items()]:
            optional = is_table(wanted) and wanted.get("optional") is True
            if normal(name) == "python" or (optional and normal(name) not in chosen):
                continue
            try:
                for requirement in read_poetry(name, wanted):
                    yield from self.resolve(requirement.text, FILE)
            except NotTaken as reason:
                self._tell(FILE, str(reason), name)

    def _uv_source(self, name: str) -> frozenset[str]:
        for key, told in self._table("tool", "uv", "sources").items():
            if normal(key) == name:
                tables = told if isinstance(told, list) else [told]
                return frozenset(word for table in tables if is_table(table) for word in table)
        return frozenset()

    def _first_time(self, kind: str, name: str) -> bool:
        """Extras and groups may include each other in a circle."""
        known = (kind, name) in self._seen
        self._seen.add((kind, name))
        return not known

    def _table(self, *names: str) -> Mapping[str, object]:
        return _table(self._tables, *names)


def _with_setup(
    tables: Mapping[str, object], setup: Mapping[str, object]
) -> tuple[Mapping[str, object], str]:
    """A `project` table stands for itself, but for what it calls dynamic; and the file that says most."""
    project = _table(tables, "project")
    if not setup or _table(tables, "tool", "poetry"):
        return tables, FILE
    dynamic = strings(project.get("dynamic"))
    taken = {key: value for key, value in setup.items() if not project or key in dynamic}
    return {**tables, "project": {**taken, **project}}, FILE if project else SETUP


def is_table(value: object) -> TypeGuard[Mapping[str, object]]:
    return isinstance(value, Mapping)


def strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _table(value: object, *names: str) -> Mapping[str, object]:
    for name in names:
        value = value.get(name) if is_table(value) else None
    return value if is_table(value) else {}
