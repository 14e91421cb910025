"""Pages that are made from code, or speak about it, say what the code says."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType

import pytest

from untilgreen.lsp import ext
from untilgreen.settings import REPOSITORY_BUDGETS, Settings

REPOSITORY = Path(__file__).parent.parent


def settings_pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("settings_pages", REPOSITORY / "scripts/settings_pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "path",
    ["docs/settings.md", "editors/vscode/configuration.json", "editors/vscode/package.json", "lua"],
)
def test_what_tells_of_settings_is_up_to_date(path: str) -> None:
    pages = settings_pages().pages()
    [name] = [name for name in pages if name == path or name.endswith(f".{path}")]
    assert (REPOSITORY / name).read_text() == pages[name], "run scripts/settings_pages.py"
    assert all(setting in pages[name] for setting in Settings.model_fields)


def test_a_strangers_file_decides_nothing_that_matters() -> None:
    written = json.loads((REPOSITORY / "editors/vscode/configuration.json").read_text())["properties"]
    scopes = {name.removeprefix("untilgreen."): schema["scope"] for name, schema in written.items()}
    assert {name for name, scope in scopes.items() if scope != "machine"} == {"exclude", "pytest_args"}
    assert all(scopes[name] == "machine" for name in (*REPOSITORY_BUDGETS, "apply", "sandbox", "python"))
    # What nobody set must not win over what the user says elsewhere.
    assert all(schema["default"] is None and "null" in schema["type"] for schema in written.values())


def sections() -> dict[str, str]:
    text = (REPOSITORY / "docs/lsp-extensions.md").read_text()
    parts = re.split(r"^### `(.+)`$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_own_message_is_documented_and_no_other() -> None:
    own = re.compile(r"(untilgreen|experimental)[./]\w+")
    names = {str(value) for name, value in vars(ext).items() if name.isupper() and own.fullmatch(str(value))}
    assert sections().keys() == names


@pytest.mark.parametrize(
    "arguments",
    [value for name, value in vars(ext).items() if name.endswith("Arguments")],
    ids=lambda value: value.__name__,
)
def test_every_argument_is_documented(arguments: type) -> None:
    command = re.findall(r"`(untilgreen\.\w+)`", str(arguments.__doc__))[0]
    for field in dataclasses.fields(arguments):
        assert f"`{field.name}`" in sections()[command]
