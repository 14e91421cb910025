"""Text to tokens."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS = ("**", "//", "==", "<=", ">=", "+", "-", "*", "/", "%", "<", ">", "(", ")", ",", "=")


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    at: int


def tokenize(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        char = text[position]
        if char.isspace():
            position += 1
            continue
        start = position
        if char.isdigit() or (char == "." and text[position + 1 : position + 2].isdigit()):
            position = _number_end(text, position)
            yield Token("number", text[start:position], start)
        elif char.isalpha() or char == "_":
            while position < len(text) and (text[position].isalnum() or text[position] == "_"):
                position += 1
            yield Token("name", text[start:position], start)
        else:
            for operator in OPERATORS:
                if text.startswith(operator, position):
                    position += len(operator)
                    yield Token("operator", operator, start)
                    break
            else:
                raise SyntaxError(f"{char!r} at {position} is not known")
    yield Token("end", "", len(text))


def _number_end(text: str, position: int) -> int:
    seen_point = False
    while position < len(text):
        char = text[position]
        if char == "." and not seen_point:
            seen_point = True
        elif not char.isdigit():
            break
        position += 1
    if text[position : position + 1] in ("e", "E"):
        after = position + 1
        if text[after : after + 1] in ("+", "-"):
            after += 1
        if text[after : after + 1].isdigit():
            while after < len(text) and text[after].isdigit():
                after += 1
            position = after
    return position
