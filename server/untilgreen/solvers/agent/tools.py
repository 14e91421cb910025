"""The tools: their names and arguments are stable, and nothing that a model writes is believed. Pure."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from untilgreen.models import Tool
from untilgreen.solvers.agent import requests
from untilgreen.solvers.agent.requests import Mistake, Request

LONGEST_ARGUMENTS = 1_000_000


def _line(value: Any) -> Any:
    """Some models write numbers as text."""
    return int(value) if isinstance(value, str) and value.strip().isdecimal() else value


def _names(value: Any) -> Any:
    """One id, or a list of them."""
    return [value] if isinstance(value, str) and value else value or []


Line = Annotated[int, BeforeValidator(_line), Field(ge=1)]


class _Arguments(BaseModel):
    # What a model adds on top does no harm; what it leaves out or gets wrong is told.
    model_config = ConfigDict(strict=True, extra="ignore", use_attribute_docstrings=True)


class _ListFiles(_Arguments):
    """Names of the project's files."""

    glob: str = "*"
    """For example src/*.py; * also crosses folders."""

    def request(self) -> Request:
        return requests.ListFiles(self.glob)


class _ReadFile(_Arguments):
    """The text of one file as it is now, with your edits, or some of its lines."""

    path: str
    """Relative to the project's root."""
    start: Line | None = None
    """The first line, from 1."""
    end: Line | None = None
    """The last line."""

    def request(self) -> Request:
        return requests.ReadFile(self.path, self.start or 1, self.end)


class _Search(_Arguments):
    """Lines of the project's files that contain a text or match a regular expression."""

    pattern: Annotated[str, Field(min_length=1)]
    glob: str | None = None
    """Only in files like this."""

    def request(self) -> Request:
        return requests.Search(self.pattern, self.glob or "")


class _EditFile(_Arguments):
    """Replace lines of a file. The old text must be there exactly once; quote enough lines around it."""

    path: str
    old: str
    """The lines to replace, exactly as they are; empty for a new file."""
    new: str
    """What takes their place."""

    def request(self) -> Request:
        return requests.EditFile(self.path, self.old, self.new)


class _WriteFile(_Arguments):
    """Write a whole file, a new one or one that is there."""

    path: str
    content: str

    def request(self) -> Request:
        return requests.WriteFile(self.path, self.content)


class _RunTests(_Arguments):
    """Run tests with your edits. When the failing ones pass, the whole suite is run and verified."""

    ids: Annotated[list[str], BeforeValidator(_names)] = []
    """Test ids; none means all that should turn green."""

    def request(self) -> Request:
        return requests.RunTests(tuple(self.ids))


class _GiveUp(_Arguments):
    """Say that it cannot be done without changing tests, and why."""

    reason: str

    def request(self) -> Request:
        return requests.GiveUp(self.reason)


_BY_NAME: dict[str, type[_Arguments]] = {
    "list_files": _ListFiles,
    "read_file": _ReadFile,
    "search": _Search,
    "edit_file": _EditFile,
    "write_file": _WriteFile,
    "run_tests": _RunTests,
    "give_up": _GiveUp,
}
NAMES = tuple(_BY_NAME)


def tools() -> tuple[Tool, ...]:
    return tuple(Tool(name, kind.__doc__ or "", _schema(kind)) for name, kind in _BY_NAME.items())


def understood(name: str, arguments: str) -> Request:
    """What a call asks for, or a mistake that says how to do it right."""
    if name not in _BY_NAME:
        return Mistake(f"There is no tool {_shown(name)}. The tools are: {', '.join(NAMES)}.")
    if len(arguments) > LONGEST_ARGUMENTS:
        return _mistake(name, f"The arguments of {name} are too long; make smaller edits.")
    try:
        value = json.loads(arguments or "{}", strict=False)
    except (ValueError, RecursionError):
        return _mistake(
            name,
            f"The arguments of {name} are not JSON; perhaps they were cut off. Call it with less text.",
        )
    return understood_value(name, value)


def understood_value(name: str, value: object) -> Request:
    """The same for arguments that are parsed already."""
    if not isinstance(value, dict):
        return _mistake(name, f"The arguments of {name} are one JSON object: {_usage(name)}")
    try:
        arguments = _BY_NAME[name].model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        return _mistake(name, f"{name}: {where}: {first['msg']}. It is called so: {_usage(name)}")
    request: Request = arguments.request()  # type: ignore[attr-defined]
    return request


def _mistake(name: str, text: str) -> Mistake:
    return Mistake(text, of_edit=name in ("edit_file", "write_file"))


def _usage(name: str) -> str:
    fields = _BY_NAME[name].model_fields.items()
    return f"{name}({', '.join(field if about.is_required() else f'{field}?' for field, about in fields)})"


def _schema(kind: type[_Arguments]) -> dict[str, object]:
    """As plain as it can be: small models and strict servers stumble over unions and titles."""
    properties: dict[str, object] = {}
    for name, field in kind.model_fields.items():
        about: dict[str, object] = {"type": "string"}
        if name in ("start", "end"):
            about = {"type": "integer"}
        elif name == "ids":
            about = {"type": "array", "items": {"type": "string"}}
        properties[name] = {**about, "description": field.description} if field.description else about
    required = [name for name, field in kind.model_fields.items() if field.is_required()]
    return {"type": "object", "properties": properties, "required": required}


def _shown(name: str) -> str:
    return repr(name[:60])
