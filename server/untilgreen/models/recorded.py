"""Model traffic on disk, for bug reports and for tests that cost nothing: what was sent, what came back.

One JSON object a line. There are no keys and no headers in it, but there is code.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from untilgreen.errors import ModelError, NoTools, TooLong, UsageError
from untilgreen.models.counting import tokens_of_conversation
from untilgreen.models.model import ORDINARY, Limits, Message, Model, Reply, Tool, ToolCall, Usage

VERSION = 1
ERRORS: dict[str, type[ModelError]] = {kind.__name__: kind for kind in (ModelError, TooLong, NoTools)}
# Durations, addresses in memory and the marks around data differ from run to run, and say nothing.
_CHANCE = re.compile(r"\b\d+\.\d+ ?s(?:econds)?\b|\b0x[0-9a-f]{6,}\b|\bdata-[0-9a-f]{12}\b")
SHOWN = 60


class Recording:
    """A model that writes down what another one is asked and says."""

    def __init__(self, model: Model, path: Path) -> None:
        self._model = model
        self._path = path
        self.name = model.name

    @property
    def tools(self) -> bool | None:
        return self._model.tools

    @property
    def context(self) -> int:
        return self._model.context

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        limits: Limits = ORDINARY,
        heard: Callable[[str], None] = lambda _text: None,
    ) -> Reply:
        asked = {
            "v": VERSION,
            "model": self.name,
            "tools_known": self.tools,
            "context": self.context,
            "messages": [_without_defaults(message) for message in messages],
            "tools": [tool.name for tool in tools],
        }
        try:
            reply = await self._model.reply(messages, tools, limits, heard)
        except ModelError as error:
            self._write(asked | {"error": {"kind": type(error).__name__, "text": str(error)}})
            raise
        self._write(asked | {"reply": _without_defaults(reply)})
        return reply

    def ignores_tools(self) -> None:
        self._model.ignores_tools()

    def cost(self, usage: Usage) -> float | None:
        return self._model.cost(usage)

    def count(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        return self._model.count(messages, tools)

    async def close(self) -> None:
        await self._model.close()

    def _write(self, line: Mapping[str, object]) -> None:
        # Only the user reads it: code of theirs is in it.
        handle = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(handle, "a", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(line) + "\n")


class Tape:
    """A recording that is played once, from its beginning; several models may share it, as they did then."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._n = 0
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
            self._lines: list[dict[str, Any]] = [_checked(json.loads(line)) for line in lines if line.strip()]
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {os.strerror(error.errno or 0)}.") from None
        except (ValueError, KeyError, TypeError):
            raise UsageError(f"{path} is not a recording of model traffic.") from None

    @property
    def models(self) -> tuple[str, ...]:
        """Their names, in the order in which they were first asked."""
        return tuple(dict.fromkeys(line["model"] for line in self._lines))

    def first_of(self, name: str) -> dict[str, Any]:
        return next((line for line in self._lines if line["model"] == name), {})

    def next(self, name: str, messages: Sequence[Message], tools: Sequence[Tool]) -> dict[str, Any]:
        self._n += 1
        if self._n > len(self._lines):
            raise ModelError(f"The recording ends after call {len(self._lines)}, but there is one more now.")
        line = self._lines[self._n - 1]
        if difference := _difference(line, name, messages, tools):
            raise ModelError(f"The conversation differs from the recording in call {self._n}: {difference}")
        return line


class Replaying:
    """A model that says what a recording says, as long as it is asked the same."""

    def __init__(self, tape: Tape, name: str) -> None:
        self._tape = tape
        self.name = name
        first = tape.first_of(name)
        self.tools: bool | None = first.get("tools_known")
        self.context = int(first.get("context", 0))

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        limits: Limits = ORDINARY,
        heard: Callable[[str], None] = lambda _text: None,
    ) -> Reply:
        line = self._tape.next(self.name, messages, tools)
        if error := line.get("error"):
            if error["kind"] == "NoTools":
                self.tools = False
            raise ERRORS.get(error["kind"], ModelError)(error["text"])
        reply = _reply(line["reply"])
        heard(reply.text)
        return reply

    def ignores_tools(self) -> None:
        self.tools = False

    def cost(self, usage: Usage) -> float | None:
        return 0.0

    def count(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        return tokens_of_conversation(messages, tools)

    async def close(self) -> None:
        pass


def _difference(
    line: Mapping[str, Any], name: str, messages: Sequence[Message], tools: Sequence[Tool]
) -> str:
    """The first one, in words; empty when there is none."""
    if line["model"] != name:
        return f"then {line['model']} was asked, now {name}."
    now = [json.loads(json.dumps(_without_defaults(message))) for message in messages]
    for n, (was, is_now) in enumerate(zip(line["messages"], now, strict=False), 1):
        for part in ("role", "text", "calls", "answers"):
            then, here = _comparable(was.get(part)), _comparable(is_now.get(part))
            if then != here:
                return f"the {part} of message {n} ({is_now['role']}). {_apart(then, here)}"
    if len(line["messages"]) != len(now):
        return f"then there were {len(line['messages'])} messages, now {len(now)}."
    if line["tools"] != [tool.name for tool in tools]:
        return f"then the tools were {', '.join(line['tools']) or 'none'}, now {len(tools)} others."
    return ""


def _comparable(value: object) -> str:
    return _CHANCE.sub("…", value if isinstance(value, str) else json.dumps(value))


def _apart(then: str, here: str) -> str:
    """Where two texts part, and what each says there."""
    at = next(
        (n for n, (a, b) in enumerate(zip(then, here, strict=False)) if a != b), min(len(then), len(here))
    )
    begin = max(0, at - SHOWN // 3)
    return f"Then: {then[begin : begin + SHOWN]!r}, now: {here[begin : begin + SHOWN]!r}."


def _without_defaults(value: Message | Reply) -> dict[str, Any]:
    """The fields that say something, by name."""
    fields = dataclasses.asdict(value)
    return {name: told for name, told in fields.items() if told or name in ("text", "role")}


def _checked(line: Any) -> dict[str, Any]:
    if line["v"] != VERSION or not isinstance(line["model"], str) or not isinstance(line["messages"], list):
        raise ValueError
    if "error" in line:
        line["error"]["kind"], line["error"]["text"]
    else:
        _reply(line["reply"])
    return dict(line)


def _reply(told: Mapping[str, Any]) -> Reply:
    return Reply(
        told["text"],
        tuple(ToolCall(**call) for call in told.get("calls", ())),
        Usage(**told.get("usage", {})),
        told.get("stopped", "finished"),
        told.get("reason", ""),
        told.get("model", ""),
    )
