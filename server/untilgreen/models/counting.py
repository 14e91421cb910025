"""An estimate of tokens without any provider's tables, rather too many than too few. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from untilgreen.models.model import Message, Tool

# What tokenizers of today do not put together: words, digits, signs, line breaks with their indentation.
_PARTS = re.compile(r"[A-Za-z]+|[0-9]+|\n[ \t]*|[ \t]+|[^\x00-\x7f]+|.", re.DOTALL)
LETTERS_IN_A_TOKEN = 5
# What templates put around: some add a system message of their own.
PER_CONVERSATION = 24
PER_MESSAGE = 8
PER_TOOL = 12


def tokens_of(text: str) -> int:
    return sum(map(_part, _PARTS.findall(text)))


def _part(part: str) -> int:
    first = part[0]
    if first > "\x7f":
        # Letters of other scripts are one to two tokens, pictures three; no token is less than a byte.
        return len(part.encode("utf-8", "replace"))
    if first.isalpha():
        return -(-len(part) // LETTERS_IN_A_TOKEN)
    if first.isdigit():
        return -(-len(part) // 2)
    if first in " \t":
        # A single space goes with the word after it.
        return -(-(len(part) - 1) // 8)
    return 1


def tokens_of_conversation(messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
    total = PER_CONVERSATION
    for message in messages:
        total += PER_MESSAGE + tokens_of(message.text)
        for call in message.calls:
            total += PER_MESSAGE + tokens_of(call.name) + tokens_of(call.arguments)
    for tool in tools:
        told = f"{tool.name} {tool.description} {json.dumps(tool.parameters)}"
        total += PER_TOOL + tokens_of(told)
    return total
