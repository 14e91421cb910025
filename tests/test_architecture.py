"""The rooms and the one direction of imports, as `docs/architecture.md` draws them."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent
SERVER = REPOSITORY / "server"
SANDBOX = REPOSITORY / "sandbox"

# A module may import from its own row and from rows above it.
ROWS = (
    {"model", "events", "errors", "rules", "failure_key", "trees", ""},
    {
        "workspace",
        "project",
        "settings",
        "desk",
        "intent",
        "diff",
        "journal",
        "scratch",
        "unbroken",
        "pool",
        "lock",
        "undo_records",
        "evidence",
        "pruning",
        "history",
        "shifting",
        "inverse",
    },
    {"solvers", "models"},
    {"solve"},
    {
        "job",
        "applying",
        "choosing",
        "ground",
        "moving",
        "checking",
        "ladder",
        "engine",
        "doctor",
        "recovery",
        "retesting",
        "proving",
        "cleaning",
    },
    {"watching"},
    {"lsp", "cli", "__main__"},
)
# Libraries that only one room may know.
OWNED = {
    "pygls": ("untilgreen.lsp",),
    "lsprotocol": ("untilgreen.lsp",),
    "openai": ("untilgreen.models",),
    "anthropic": ("untilgreen.models",),
    "typer": ("untilgreen.cli",),
    "rich": ("untilgreen.cli",),
    "watchfiles": ("untilgreen.watching",),
    "docker": tuple(f"untilgreen_sandbox.{name}" for name in ("docker", "image", "build", "inventory")),
}
LONGEST_FILE = 320


def wrong_imports(module: str, source: str) -> list[str]:
    """One sentence per import that points the wrong way."""
    found = []
    for imported in _imports(source):
        top = imported.split(".")[0]
        if top in OWNED and not module.startswith(OWNED[top]):
            found.append(f"{module} imports {imported}, which belongs to {' and '.join(OWNED[top])}")
        if module.startswith("untilgreen_sandbox"):
            found += _wrong_in_sandbox(module, imported)
        elif top == "untilgreen" and _row(imported) > _row(module):
            found.append(f"{module} imports {imported}, which lies above it")
    return found


def _wrong_in_sandbox(module: str, imported: str) -> list[str]:
    top = imported.split(".")[0]
    if top == "untilgreen":
        return [f"{module} imports {imported}: the sandbox never knows the server"]
    allowed = {"untilgreen_sandbox", *sys.stdlib_module_names}
    if module.startswith(OWNED["docker"]):
        allowed |= {"docker", "requests"}
    if module == "untilgreen_sandbox.inside.pytest_child":
        allowed |= {"pytest"}
    return [] if top in allowed else [f"{module} imports {imported}: the sandbox needs nothing but docker"]


def _imports(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            base = node.module or ""
            # `from untilgreen import engine` imports a module, too.
            found += [f"{base}.{alias.name}" if base == "untilgreen" else base for alias in node.names]
    return found


def _row(module: str) -> int:
    parts = module.split(".")
    room = parts[1] if len(parts) > 1 else ""
    if room.startswith("__version"):
        room = ""
    return next(n for n, row in enumerate(ROWS) if room in row)


def _modules() -> list[tuple[str, Path]]:
    found = []
    for base in (SERVER, SANDBOX):
        for path in sorted(base.rglob("*.py")):
            if "demo_project" not in path.parts:
                name = ".".join(path.relative_to(base).with_suffix("").parts).removesuffix(".__init__")
                found.append((name, path))
    return found


@pytest.mark.parametrize(
    ("module", "path"), _modules(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_imports_point_one_way(module: str, path: Path) -> None:
    assert wrong_imports(module, path.read_text()) == []


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("untilgreen.model", "from untilgreen.workspace import Snapshot"),
        ("untilgreen.workspace", "import untilgreen.engine"),
        ("untilgreen.solve.loop", "from untilgreen.lsp.server import serve"),
        ("untilgreen.solvers.scripted", "from untilgreen import engine"),
        ("untilgreen.engine", "from lsprotocol import types"),
        ("untilgreen.cli.app", "import pygls"),
        ("untilgreen.lsp.server", "import docker"),
        ("untilgreen_sandbox.box", "from untilgreen.model import Goal"),
        ("untilgreen_sandbox.box", "import docker"),
        ("untilgreen_sandbox.program", "import pydantic"),
        ("untilgreen_sandbox.inside.runner", "import pytest"),
    ],
)
def test_a_planted_wrong_import_is_found(module: str, planted: str) -> None:
    source = f"def late():\n    {planted}\n"
    assert len(wrong_imports(module, source)) >= 1


def test_the_program_inside_is_python_3_9() -> None:
    for path in sorted((SANDBOX / "untilgreen_sandbox/inside").glob("*.py")):
        ast.parse(path.read_text(), feature_version=(3, 9))


def test_no_file_hides_two_nouns() -> None:
    paths = [path for _, path in _modules()] + sorted((REPOSITORY / "tests").rglob("*.py"))
    long = {str(path): n for path in paths if (n := len(path.read_text().splitlines())) > LONGEST_FILE}
    assert long == {}


def test_no_room_for_odds_and_ends() -> None:
    names = {path.stem for _, path in _modules()}
    assert not names & {"utils", "util", "helpers", "common", "misc"}
