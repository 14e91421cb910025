"""Writes everything that tells of settings, from their one declaration: a page, and what the editors need.

`python scripts/settings_pages.py` writes; with `--check` it only says what would change.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from untilgreen.settings import REPOSITORY_BUDGETS, REPOSITORY_LISTS, Settings

REPOSITORY = Path(__file__).resolve().parent.parent
PAGE = "docs/settings.md"
VSCODE = "editors/vscode/configuration.json"
EXTENSION = "editors/vscode/package.json"
NEOVIM = "editors/neovim/lua/untilgreen/settings.lua"
# A stranger's `.vscode/settings.json` may say these; it may not raise budgets or take in secrets.
FOR_ANYBODY = ("exclude", "pytest_args")
# What the extension itself reads; the server passes over them.
OF_THE_EXTENSION: dict[str, dict[str, Any]] = {
    "untilgreen.path": {
        "type": "string",
        "default": "",
        "markdownDescription": "The command `untilgreen` to use as server. "
        "Empty: the one that comes with the extension, in an environment of its own.",
        "scope": "machine",
    },
    "untilgreen.trace.server": {
        "type": "string",
        "enum": ["messages", "verbose"],
        "default": "messages",
        "markdownDescription": "How much of what is said between editor and server goes to the output, "
        "once its level is Trace (*Developer: Set Log Level…*).",
        "scope": "window",
    },
}
SOURCES = """\
Every setting has the same name everywhere, and the later one wins:

1. the configuration file, `~/.config/untilgreen/config.toml` (another one: `UNTILGREEN_CONFIG`);
2. the environment, in capitals: `UNTILGREEN_MAX_ATTEMPTS=4`; lists are separated by commas;
3. the editor: initialization options, then the section `untilgreen` of its configuration;
4. flags of the terminal.

An editor's settings count from the next job on.
A bad value is told once and leaves what was there.
A repository may say some of them in `[tool.untilgreen]` of its `pyproject.toml`.
In VS Code, what a stranger must not decide has machine scope: `.vscode/settings.json` cannot set it."""


def pages() -> dict[str, str]:
    """What each file should hold, by its path in the repository."""
    return {PAGE: _page(), VSCODE: _vscode(), EXTENSION: _extension(), NEOVIM: _neovim()}


def _page() -> str:
    lines = ["# Settings", "", "Written by `scripts/settings_pages.py`; do not edit.", "", SOURCES, ""]
    for name, schema in _properties().items():
        lines += [
            f"## `{name}`",
            "",
            str(schema["description"]),
            "",
            f"- values: {_values(schema)}",
            f"- default: `{json.dumps(schema.get('default'))}`",
            f"- environment: `UNTILGREEN_{name.upper()}`",
            f"- a repository: {_repository(name)}",
            "",
        ]
    return "\n".join(lines)


def _vscode() -> str:
    """The server's part of `contributes.configuration`."""
    properties = {f"untilgreen.{name}": _vscode_one(name, schema) for name, schema in _properties().items()}
    return _json({"title": "untilgreen", "properties": properties})


def _extension() -> str:
    """The extension's own description, with all settings in it; the rest of it is written by hand."""
    package = json.loads((REPOSITORY / EXTENSION).read_text(encoding="utf-8"))
    configuration = json.loads(_vscode())
    configuration["properties"] = {**OF_THE_EXTENSION, **configuration["properties"]}
    package["contributes"]["configuration"] = configuration
    return _json(package)


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _vscode_one(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    """VS Code sends defaults as if somebody had set them; with null, what is said elsewhere stays."""
    written = {key: value for key, value in schema.items() if key not in ("description", "default")}
    if "enum" in written:
        written["enum"] = [*written["enum"], None]
    if "type" in written:
        written["type"] = [written["type"], "null"]
    elif "anyOf" in written:
        written["anyOf"] = [*written["anyOf"], {"type": "null"}]
    default = json.dumps(schema.get("default"), ensure_ascii=False)
    return {
        **written,
        "default": None,
        "markdownDescription": f"{schema['description']} Default: `{default}`.",
        "scope": "window" if name in FOR_ANYBODY else "machine",
    }


def _neovim() -> str:
    lines = ["---@meta", "-- Written by scripts/settings_pages.py; do not edit.", ""]
    lines += [
        "--- What `settings.untilgreen` of the language server may hold.",
        "---@class untilgreen.Settings",
    ]
    for name, schema in _properties().items():
        lines.append(f"---@field {name}? {_lua(schema)} {schema['description']}")
    return "\n".join(lines) + "\n"


def _properties() -> dict[str, dict[str, Any]]:
    schema = Settings.model_json_schema()
    shared: dict[str, Any] = schema.get("$defs", {})
    found: dict[str, dict[str, Any]] = {}
    for name, declared in schema["properties"].items():
        resolved: dict[str, Any] = _resolved(declared, shared)
        resolved.pop("title", None)
        found[name] = resolved
    return found


def _resolved(value: Any, shared: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        if "$ref" in value:
            return _resolved(shared[value["$ref"].rpartition("/")[2]], shared)
        return {key: _resolved(item, shared) for key, item in value.items()}
    return [_resolved(item, shared) for item in value] if isinstance(value, list) else value


def _values(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if "anyOf" in schema:
        return ", or ".join(_values(one) for one in schema["anyOf"])
    said = {"array": "a list of texts", "object": "a table", "string": "a text", "boolean": "true or false"}
    words = [said.get(schema.get("type", ""), str(schema.get("type", "anything")))]
    for key, text in (
        ("minimum", "at least {}"),
        ("exclusiveMinimum", "more than {}"),
        ("maximum", "at most {}"),
        ("pattern", "like `{}`"),
    ):
        if key in schema:
            words.append(text.format(schema[key]))
    if isinstance(schema.get("additionalProperties"), dict):
        names = schema.get("propertyNames", {})
        words.append(f"of {_values(schema['additionalProperties'])}")
        words += [f"for {_values(names)}"] if "enum" in names else []
    return ", ".join(words)


def _repository(name: str) -> str:
    if name in REPOSITORY_LISTS:
        return "may add to it" + (", but names no secrets" if name == "include" else "")
    return "may lower it" if name in REPOSITORY_BUDGETS else "has no say"


def _lua(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "|".join(f"'{value}'" for value in schema["enum"])
    if "anyOf" in schema:
        return "|".join(dict.fromkeys(_lua(one) for one in schema["anyOf"]))
    known = {
        "integer": "integer",
        "number": "number",
        "boolean": "boolean",
        "string": "string",
        "null": "nil",
    }
    if schema.get("type") == "array":
        return f"{_lua(schema.get('items', {}))}[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return f"table<string, {_lua(values)}>" if isinstance(values, dict) else "table"
    return known.get(schema.get("type", ""), "any")


def main(arguments: list[str]) -> int:
    stale = [path for path, text in pages().items() if not _holds(REPOSITORY / path, text)]
    if "--check" in arguments:
        for path in stale:
            print(f"{path} is not what the settings say; run scripts/settings_pages.py")
        return 1 if stale else 0
    for path in stale:
        (REPOSITORY / path).parent.mkdir(parents=True, exist_ok=True)
        (REPOSITORY / path).write_text(pages()[path], encoding="utf-8")
        print(f"wrote {path}")
    return 0


def _holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
