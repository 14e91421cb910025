"""Anthropic's blocks of content: a conversation into them, and a reply out of them. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from untilgreen.models.asides import Asides
from untilgreen.models.conversation import arguments_of, paired, sendable
from untilgreen.models.model import Message, Reply, Stopped, Tool, ToolCall, Usage

STOPPED: dict[str, Stopped] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "refused",
}
KEPT = {"cache_control": {"type": "ephemeral"}}
"""What stands before this mark is cheaper when it is sent again within minutes, as an agent does."""


def system_of(messages: Sequence[Message]) -> list[dict[str, Any]]:
    text = "\n\n".join(
        message.text for message in messages if message.role == "system" and message.text.strip()
    )
    return [{"type": "text", "text": sendable(text), **KEPT}] if text else []


def conversation_of(messages: Sequence[Message], asides: Asides) -> list[dict[str, Any]]:
    """User and assistant by turns, the user first, and no text that is empty."""
    turns: list[tuple[str, list[dict[str, Any]]]] = []
    for message in paired(messages):
        if message.role == "system" or not (blocks := _blocks(message, asides)):
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if turns and turns[-1][0] == role:
            turns[-1][1].extend(blocks)
        else:
            turns.append((role, blocks))
    if not turns or turns[0][0] == "assistant":
        turns.insert(0, ("user", [{"type": "text", "text": "Go on."}]))
    if turns[-1][0] == "assistant":
        turns.append(("user", [{"type": "text", "text": "Go on."}]))
    turns[-1][1][-1] |= KEPT
    return [{"role": role, "content": blocks} for role, blocks in turns]


def tool_of(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}


def _blocks(message: Message, asides: Asides) -> list[dict[str, Any]]:
    text = sendable(message.text)
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.answers, "content": text or "(nothing)"}]
    thoughts = asides.of(message.calls[0].id).get("thoughts", []) if message.calls else []
    blocks: list[dict[str, Any]] = [*thoughts, *([{"type": "text", "text": text}] if text.strip() else [])]
    blocks += [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments_of(call.arguments)}
        for call in message.calls
    ]
    return blocks


@dataclass(slots=True)
class _Call:
    id: str
    name: str
    written: str = ""
    given: object = None
    """Arguments that came whole, before any piece of text."""


@dataclass(slots=True)
class Blocks:
    """Takes events as plain JSON, whatever is in them, and never raises."""

    stop: str = ""
    begun: bool = False
    length: int = 0
    """Characters so far, of text and of calls."""
    _text: list[str] = field(default_factory=list)
    _calls: dict[object, _Call] = field(default_factory=dict)
    _thoughts: dict[str, dict[str, Any]] = field(default_factory=dict)
    _model: str = ""
    _usage: dict[str, int] = field(default_factory=dict)

    def add(self, event: object) -> str:
        """Take an event; returns the text that came with it."""
        if not isinstance(event, Mapping):
            return ""
        match event.get("type"):
            case "message_start":
                message = _mapping(event.get("message"))
                self.begun = True
                self._model = _string(message.get("model"))
                self._count(message.get("usage"))
            case "content_block_start":
                return self._start(str(event.get("index")), _mapping(event.get("content_block")))
            case "content_block_delta":
                return self._delta(str(event.get("index")), _mapping(event.get("delta")))
            case "message_delta":
                self.stop = _string(_mapping(event.get("delta")).get("stop_reason")) or self.stop
                self._count(event.get("usage"))
            case "message_stop":
                self.stop = self.stop or "end_turn"
        return ""

    def add_whole(self, message: object) -> str:
        """Take a message that was not streamed."""
        whole = _mapping(message)
        self._model = _string(whole.get("model"))
        self._count(whole.get("usage"))
        content = whole.get("content")
        blocks = content if isinstance(content, list) else []
        said = [self._start(str(n), _mapping(block)) for n, block in enumerate(blocks)]
        self.stop = _string(whole.get("stop_reason"))
        return "".join(said)

    def reply(self, estimate: Usage) -> Reply:
        text = "".join(self._text)
        taken: dict[str, ToolCall] = {}
        for n, call in enumerate(self._calls.values(), 1):
            id = call.id or f"call_{n}"
            id = f"{id}_{n}" if id in taken else id
            taken[id] = ToolCall(id, call.name, call.written or json.dumps(call.given or {}))
        stopped = STOPPED.get(self.stop, "tools" if taken else "finished")
        reason = "The model declined to answer." if stopped == "refused" else ""
        usage = self._told() if self._usage else estimate
        return Reply(text, tuple(taken.values()), usage, stopped, reason, self._model)

    def thoughts(self) -> list[dict[str, Any]]:
        """In blocks that go back with the calls that came after them."""
        return list(self._thoughts.values())

    def _start(self, index: str, block: Mapping[str, Any]) -> str:
        if block.get("type") == "tool_use":
            self._calls[index] = _Call(
                _string(block.get("id")), _string(block.get("name")), given=block.get("input")
            )
        if block.get("type") in ("thinking", "redacted_thinking"):
            self._thoughts[index] = dict(block)
        return self._said(_string(block.get("text"))) if block.get("type") == "text" else ""

    def _delta(self, index: str, delta: Mapping[str, Any]) -> str:
        if delta.get("type") == "text_delta":
            return self._said(_string(delta.get("text")))
        if delta.get("type") == "input_json_delta" and index in self._calls:
            piece = _string(delta.get("partial_json"))
            self._calls[index].written += piece
            self.length += len(piece)
        if index in self._thoughts:
            for kind, name in (("thinking_delta", "thinking"), ("signature_delta", "signature")):
                if delta.get("type") == kind:
                    thought = self._thoughts[index]
                    thought[name] = _string(thought.get(name)) + _string(delta.get(name))
        return ""

    def _said(self, text: str) -> str:
        self._text.append(text)
        self.length += len(text)
        return text

    def _count(self, told: object) -> None:
        """Later numbers are totals, not additions."""
        for name, value in _mapping(told).items():
            if isinstance(value, int) and value >= 0:
                self._usage[str(name)] = value

    def _told(self) -> Usage:
        cached = self._usage.get("cache_read_input_tokens", 0)
        stored = self._usage.get("cache_creation_input_tokens", 0)
        read = self._usage.get("input_tokens", 0) + cached + stored
        return Usage(read, self._usage.get("output_tokens", 0), cached, stored)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
