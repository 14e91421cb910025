"""What a scripted model says, whatever its wire format: answers, faults, broken connections."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

End = Literal["whole", "reset", "stall", "cut"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One call of a tool."""

    name: str
    arguments: str
    id: str | None = None
    """None: one of its own, as the real services do."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply, in pieces. Two of them can be added: `say("Look:") + call("read_file", path="a.py")`."""

    text: str = ""
    calls: tuple[Wanted, ...] = ()
    stopped: Literal["", "length", "filtered", "refused"] = ""
    usage: tuple[int, int] | None = (100, 20)
    """Tokens read and written; None: the server does not tell."""
    piece: int = 8
    """Characters in a piece."""
    pause: float = 0.0
    """Seconds before each piece."""
    end: End = "whole"
    after: int = 2
    """How many pieces come before a reset, a stall or a cut."""
    thought: str = ""
    """What it thinks before; the service wants it back together with the calls."""
    form: str = ""
    """A way of writing calls that only some servers have; see the server."""

    def __add__(self, other: Answer) -> Answer:
        return dataclasses.replace(
            self,
            text=self.text + other.text,
            calls=self.calls + other.calls,
            stopped=other.stopped or self.stopped,
            form=other.form or self.form,
        )

    def but(self, **changes: Any) -> Answer:
        return dataclasses.replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Fault:
    """An answer with an error status, worded as the service would."""

    status: int
    message: str = ""
    kind: str = ""
    """What the service calls this error; empty: as usual for the status."""
    retry_after: str = ""
    streamed: bool = False
    """The error comes as an event of a stream that has begun well."""


@dataclass(frozen=True, slots=True)
class Raw:
    """Just these bytes as the body."""

    body: bytes
    status: int = 200
    content_type: str = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Silence:
    """No byte at all, until the client leaves; or a connection that is closed at once."""

    hang_up: bool = False


Reply = Answer | Fault | Raw | Silence
Line = Reply | Callable[[Any], Reply]
"""A reply, or a function from the request to one."""


def say(text: str, **how: Any) -> Answer:
    return Answer(text, **how)


def call(name: str, /, **arguments: Any) -> Answer:
    return Answer(calls=(Wanted(name, json.dumps(arguments)),))


def call_written(name: str, arguments: str, id: str | None = None) -> Answer:
    """A call whose arguments are just this text."""
    return Answer(calls=(Wanted(name, arguments, id),))


def fault(status: int, message: str = "", *, kind: str = "", retry_after: object = "") -> Fault:
    return Fault(status, message, kind, str(retry_after))


def in_stream(status: int, message: str = "", *, kind: str = "") -> Fault:
    return Fault(status, message, kind, streamed=True)
