"""What the extension says about itself agrees with the server and with the rest of the repository."""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from pathlib import Path

import pytest

from untilgreen import __version__
from untilgreen.lsp import ext

REPOSITORY = Path(__file__).parents[2]
EXTENSION = REPOSITORY / "editors/vscode"
MESSAGES = (EXTENSION / "src/messages.ts").read_text()
PACKAGE = json.loads((EXTENSION / "package.json").read_text())
MIRRORED = [
    value
    for value in vars(ext).values()
    if isinstance(value, type) and value.__module__ == ext.__name__ and not value.__name__.startswith("_")
]


def test_constants_are_the_servers() -> None:
    own = {name: value for name, value in vars(ext).items() if name.isupper() and isinstance(value, str)}
    assert dict(re.findall(r'^export const (\w+) = "(.+)";$', MESSAGES, re.MULTILINE)) == own


@pytest.mark.parametrize("shape", MIRRORED, ids=lambda shape: shape.__name__)
def test_shapes_are_the_servers(shape: type) -> None:
    found = re.search(rf"^export interface {shape.__name__} {{\n(.*?)^}}", MESSAGES, re.MULTILINE | re.DOTALL)
    assert found is not None, f"messages.ts has no {shape.__name__}"
    written = {name: bool(mark) for name, mark in re.findall(r"^  (\w+)(\?)?:", found[1], re.MULTILINE)}
    assert written == optional_fields(shape)


def optional_fields(shape: type) -> dict[str, bool]:
    """Each field, and whether it may be left out."""
    if dataclasses.is_dataclass(shape):
        missing = dataclasses.MISSING
        return {field.name: field.default is not missing for field in dataclasses.fields(shape)}
    required = typing.cast(frozenset[str], getattr(shape, "__required_keys__"))  # noqa: B009
    return {name: name not in required for name in shape.__annotations__}


def test_the_version_is_the_servers() -> None:
    assert PACKAGE["version"] == __version__


def test_every_command_is_declared_and_carried_out() -> None:
    declared = {command["command"] for command in PACKAGE["contributes"]["commands"]}
    source = (EXTENSION / "src/commands.ts").read_text()
    assert set(re.findall(r'^    "(untilgreen\.\w+)": ', source, re.MULTILINE)) == declared
    # VS Code gives the server's own commands their names; a second owner of a name breaks both.
    assert declared.isdisjoint(value for name, value in vars(ext).items() if name.isupper())
    menus = PACKAGE["contributes"]["menus"]
    assert {entry["command"] for entries in menus.values() for entry in entries} <= declared
    walk = json.dumps(PACKAGE["contributes"]["walkthroughs"])
    assert set(re.findall(r"command:(untilgreen\.\w+)", walk)) <= declared


def test_no_registry_is_named() -> None:
    lock = (EXTENSION / "package-lock.json").read_text()
    assert "resolved" not in lock and '"integrity"' in lock


def test_the_page_of_the_timeline_loads_nothing_from_elsewhere() -> None:
    media = EXTENSION / "media"
    page = (media / "timeline.html").read_text()
    assert "default-src 'none'" in page and "unsafe" not in page
    assert re.findall(r'(?:src|href)="(.+?)"', page) == ["timeline.css", "timeline.js"]
    script = (media / "timeline.js").read_text()
    assert "innerHTML" not in script.replace("outerHTML", "") and "eval(" not in script
