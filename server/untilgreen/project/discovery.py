"""What kind of project lies in a folder: its interpreter, where its imports begin, what it asks of us."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from untilgreen.project.dependencies import Dependencies, find_dependencies
from untilgreen.project.import_roots import find_import_roots
from untilgreen.project.interpreter import find_interpreter, workspace_of
from untilgreen.project.reading import reader
from untilgreen.project.wanted import find_wanted
from untilgreen.settings import Settings, read_toml
from untilgreen_sandbox.box import Interpreter


@dataclass(frozen=True, slots=True)
class Project:
    """All that must be known of a project before its tests can run."""

    root: Path
    interpreter: Interpreter
    import_roots: tuple[str, ...]
    """Workspace-relative folders for sys.path; the empty one is the root itself."""
    problems: tuple[str, ...] = ()
    """What was odd and passed over, one sentence each."""
    dependencies: Dependencies = field(default_factory=Dependencies)


def discover(root: Path, settings: Settings, environ: Mapping[str, str]) -> Project:
    """Read the project's files; nothing of it is executed."""
    dependencies = find_dependencies(root, reader(root))
    folders = dict.fromkeys((root, workspace_of(root, environ)))
    wanted, odd = find_wanted(tuple(map(reader, folders)), dependencies.requires_python)
    interpreter, problems = find_interpreter(root, settings.python, environ, wanted)
    # Nobody needs to know what is odd in a wish that decided nothing.
    chosen = settings.python or interpreter.prefix != interpreter.base_prefix
    path = root / "pyproject.toml"
    # What is wrong with the file is told by whoever reads its own table.
    tables = read_toml(path)[0] if path.is_file() else {}
    import_roots = find_import_roots(root, tables)
    return Project(root, interpreter, import_roots, (*(() if chosen else odd), *problems), dependencies)


def repository_table(root: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    """`[tool.untilgreen]` of the project's pyproject.toml; empty when there is none."""
    path = root / "pyproject.toml"
    if not path.is_file():
        return {}, ()
    tables, problems = read_toml(path)
    tool = tables.get("tool", {})
    table = tool.get("untilgreen", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        return {}, (*problems, f"{path}: tool.untilgreen is not a table; it was ignored.")
    return table, problems
