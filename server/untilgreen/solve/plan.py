"""The plan: which tests exist, found out on the user's own code before any change."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from untilgreen.trees import tree_of
from untilgreen.workspace import Snapshot
from untilgreen_sandbox.environment import Surroundings
from untilgreen_sandbox.report import Report


@dataclass(frozen=True, slots=True)
class Plan:
    """Every run is measured against this."""

    ids: tuple[str, ...]
    """Tests that could be listed."""
    unlisted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Files that could not be collected → the tests their text names, which must exist once they can be."""
    config_file: str = ""

    @property
    def all_ids(self) -> tuple[str, ...]:
        """A file that cannot be collected counts as one test that fails."""
        return (*self.ids, *self.unlisted)

    @property
    def files(self) -> frozenset[str]:
        return frozenset(test_id.split("::")[0] for test_id in self.all_ids)

    def unlisted_file_of(self, test_id: str) -> str | None:
        path = test_id.split("::")[0]
        return path if path in self.unlisted else None


def make_plan(report: Report, read: Callable[[str], bytes]) -> Plan:
    """A plan from a list-only run; what could not be imported is read from its text."""
    unlisted = {
        case.id.split("::")[0]: named_tests(case.id.split("::")[0], read)
        for case in report.cases
        if case.id and case.outcome == "error"
    }
    return Plan(report.planned, unlisted, report.config_file)


def surroundings(snapshot: Snapshot) -> Surroundings:
    """What tells a failure of the code from one of the environment."""
    own = {part.removesuffix(".py") for path in snapshot.entries for part in path.split("/")}
    own |= {snapshot.root.name, _project_name(snapshot)}

    def left_out(path: str) -> bool:
        if path in snapshot.left_out:
            return True
        # Folders are named as a whole; that a file lies in one of them has to be looked up.
        inside = any(path.startswith(one) for one in snapshot.left_out if one.endswith("/"))
        return inside and ".." not in path.split("/") and (snapshot.root / path).is_file()

    return Surroundings(frozenset(own), left_out)


def _project_name(snapshot: Snapshot) -> str:
    try:
        table = tomllib.loads(snapshot.read("pyproject.toml").decode())
    except (FileNotFoundError, ValueError, RecursionError):
        return ""
    project = table.get("project")
    name = project.get("name", "") if isinstance(project, dict) else ""
    return name.replace("-", "_").lower() if isinstance(name, str) else ""


def named_tests(path: str, read: Callable[[str], bytes]) -> tuple[str, ...]:
    """Ids, without parameters, of the tests a file's text names by pytest's default conventions."""
    try:
        tree = tree_of(read(path))
    except (FileNotFoundError, SyntaxError, ValueError, RecursionError):
        return ()
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and (node.name.startswith("Test") or _is_unittest(node)):
            found += [f"{path}::{node.name}::{name}" for name in _test_functions(node.body)]
    return (*(f"{path}::{name}" for name in _test_functions(tree.body)), *found)


def _test_functions(body: list[ast.stmt]) -> list[str]:
    functions = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [node.name for node in functions if node.name.startswith("test")]


def _is_unittest(node: ast.ClassDef) -> bool:
    return any(ast.unparse(base).endswith("TestCase") for base in node.bases)
