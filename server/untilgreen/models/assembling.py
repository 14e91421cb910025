"""One reply from the pieces in which chat completions stream, with the habits of many servers. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from untilgreen.models.model import Reply, Stopped, ToolCall, Usage

STOPPED: dict[str, Stopped] = {"length": "length", "max_tokens": "length", "content_filter": "filtered"}
MOST_CALLS = 64


@dataclass(slots=True)
class _Call:
    index: object
    id: str
    name: str = ""
    arguments: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(slots=True)
class Assembly:
    """Takes chunks as plain JSON, whatever is in them, and never raises."""

    text: list[str] = field(default_factory=list)
    refusal: str = ""
    finish: str = ""
    model: str = ""
    usage: Usage | None = None
    answered: bool = False
    """There was a choice in some chunk."""
    text_length: int = 0
    arguments: int = 0
    """How many characters of arguments there are so far."""
    _calls: list[_Call] = field(default_factory=list)
    _reasoning: str = ""

    def add(self, chunk: object) -> str:
        """Take a chunk, or a whole completion; returns the text that came with it."""
        if not isinstance(chunk, Mapping):
            return ""
        self.model = _text(chunk.get("model")) or self.model
        self._count(chunk.get("usage"))
        choices = chunk.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return ""
        self.answered = True
        self.finish = _text(choice.get("finish_reason")) or self.finish
        delta = choice.get("delta") or choice.get("message")
        if not isinstance(delta, Mapping):
            return ""
        self.refusal += _text(delta.get("refusal"))
        self._reasoning += _text(delta.get("reasoning_content"))
        calls = delta.get("tool_calls")
        for part in calls if isinstance(calls, list) else ():
            if isinstance(part, Mapping):
                self._call(part)
        if isinstance(legacy := delta.get("function_call"), Mapping):
            self._call({"index": 0, "function": legacy})
        said = _content(delta.get("content"))
        self.text.append(said)
        self.text_length += len(said)
        return said

    def reply(self, estimate: Usage) -> Reply:
        calls = self._finished_calls()
        stopped = STOPPED.get(self.finish, "tools" if calls else "finished")
        reason = ""
        if self.refusal:
            stopped, reason = "refused", self.refusal
        return Reply("".join(self.text), calls, self.usage or estimate, stopped, reason, self.model)

    def asides(self) -> list[tuple[str, dict[str, Any]]]:
        """What has to go back with each call: of its message, and of itself."""
        message = {"reasoning_content": self._reasoning} if self._reasoning else {}
        told = [call for call in self._calls if call.name or call.arguments]
        return [
            (call.id, {"message": message, "call": {"extra_content": made.extra} if made.extra else {}})
            for call, made in zip(self._finished_calls(), told, strict=True)
        ]

    def _call(self, part: Mapping[str, Any]) -> None:
        function = part.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, written = _text(function.get("name")), function.get("arguments")
        arguments = written if isinstance(written, str) else json.dumps(written) if written else ""
        call = self._place(part.get("index"), _text(part.get("id")), name, arguments)
        if call is None:
            return
        if isinstance(extra := part.get("extra_content"), Mapping):
            call.extra = extra
        # A name may come in pieces, or whole with every piece of the arguments.
        if name != call.name:
            call.name += name
        call.arguments += arguments
        self.arguments += len(arguments)

    def _place(self, index: object, id: str, name: str, arguments: str) -> _Call | None:
        """The call that this piece belongs to; None when it only says again what is known."""
        same = [call for call in self._calls if call.index == index]
        call = same[-1] if same else None
        if call is None or _begins_another(call, id, name):
            if len(self._calls) >= MOST_CALLS:
                return None
            call = _Call(index, id)
            self._calls.append(call)
            return call
        call.id = call.id or id
        repeated = bool(id and name and arguments) and call.arguments == arguments and call.name == name
        return None if repeated and _is_json(arguments) else call

    def _finished_calls(self) -> tuple[ToolCall, ...]:
        """With an id for each, none twice."""
        taken: set[str] = set()
        calls = []
        for n, call in enumerate((call for call in self._calls if call.name or call.arguments), 1):
            id = call.id or f"call_{n}"
            if id in taken:
                id = f"{id}_{n}"
            taken.add(id)
            calls.append(ToolCall(id, call.name, call.arguments))
        return tuple(calls)

    def _count(self, told: object) -> None:
        if not isinstance(told, Mapping):
            return
        details = told.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, Mapping) else 0
        read, written = _number(told.get("prompt_tokens")), _number(told.get("completion_tokens"))
        if read or written:
            self.usage = Usage(read, written, min(read, _number(cached)))


def _begins_another(call: _Call, id: str, name: str) -> bool:
    """Servers without indexes, or with the same one for all, show by id or name that another call begins."""
    if id and call.id and id != call.id:
        return bool(name) or call.index is None
    if not name or not call.arguments or (id and id == call.id):
        return False
    return name != call.name or _is_json(call.arguments)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _content(content: object) -> str:
    """Text, or a list of parts with text in them."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, Mapping))
    return _text(content)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
