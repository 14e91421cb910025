"""A conversation in a form that every service accepts. Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence

from untilgreen.models.model import Message

NOT_RUN = "This call was not carried out."


def paired(messages: Sequence[Message]) -> list[Message]:
    """Every call has its answer right after it, and every answer its call; services refuse anything else."""
    result: list[Message] = []
    for position, message in enumerate(messages):
        if message.role == "tool":
            continue
        result.append(message)
        if message.calls:
            answers = _answers_after(messages, position)
            not_run = (Message("tool", NOT_RUN, answers=call.id) for call in message.calls)
            result += [answers.get(default.answers, default) for default in not_run]
    return result


def _answers_after(messages: Sequence[Message], position: int) -> dict[str, Message]:
    """Of one assistant's message: ids may come again later, so only what follows at once belongs to it."""
    found: dict[str, Message] = {}
    for message in messages[position + 1 :]:
        if message.role == "tool":
            found.setdefault(message.answers, message)
        elif message.role == "assistant":
            break
    return found


def sendable(text: str) -> str:
    """Without halves of characters, which JSON on the wire cannot hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def arguments_of(written: str) -> dict[str, object]:
    """A model's arguments as an object. What is none goes back to it as text."""
    try:
        value = json.loads(written or "{}")
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"unreadable": sendable(written)}
