"""What `--show-prompt` shows: the first messages to a model, just as they would leave."""

from __future__ import annotations

import json
from typing import Any

from untilgreen.cli.contract import SCHEMA
from untilgreen.models import Message, Tool


def sending_object(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "messages": [{"role": message.role, "text": message.text} for message in messages],
        "tools": [
            {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
            for tool in tools
        ],
    }


def sending_text(messages: tuple[Message, ...], tools: tuple[Tool, ...]) -> str:
    parts = [f"=== {message.role} ===\n{message.text}" for message in messages]
    if tools:
        lines = [f"{tool.name}: {tool.description} {json.dumps(tool.parameters)}" for tool in tools]
        parts.append("=== tools ===\n" + "\n".join(lines))
    return "\n\n".join(parts)
