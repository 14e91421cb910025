"""The seam between those who ask and those who know a provider's wire format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Stopped = Literal["finished", "tools", "length", "filtered", "refused"]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """What a model wants to have done; nobody has looked at the arguments yet."""

    id: str
    name: str
    arguments: str
    """JSON as the model wrote it, so perhaps not JSON at all."""


@dataclass(frozen=True, slots=True)
class Message:
    role: Role
    text: str
    calls: tuple[ToolCall, ...] = ()
    """Of an assistant's message."""
    answers: str = ""
    """Of a tool's message: the id of the call."""


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Mapping[str, object]
    """A JSON schema of an object."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider counts them."""

    read: int = 0
    """All of the prompt, also what came from a cache."""
    written: int = 0
    cached: int = 0
    """How many of those read came from a cache."""
    stored: int = 0
    """How many of those read were put into a cache, where that has a price of its own."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.read + other.read,
            self.written + other.written,
            self.cached + other.cached,
            self.stored + other.stored,
        )


@dataclass(frozen=True, slots=True)
class Reply:
    text: str
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    stopped: Stopped = "finished"
    reason: str = ""
    """Why it was filtered or refused, as far as the provider says."""
    model: str = ""
    """Which one answered, as the provider names it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one call."""

    tokens: int = 8_000
    """How long a reply may be."""
    seconds: float = 180.0
    """How long everything may take: waiting for our turn, retries, and the stream."""


ORDINARY = Limits()


class Model(Protocol):
    name: str

    @property
    def tools(self) -> bool | None:
        """Whether it is known to use tools; None before anybody has seen it do so, or fail to."""

    @property
    def context(self) -> int:
        """How many tokens it can hold at once; 0 when nobody knows."""

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        limits: Limits = ORDINARY,
        heard: Callable[[str], None] = lambda _text: None,
    ) -> Reply:
        """Ask once, with retries where that can help.

        `heard` gets the text as it comes, and an empty text when it starts again from the beginning.
        Raises `ModelError` with a sentence for people: `TooLong` when less of it may work, `NoTools` when it
        may work without tools. Cancelling closes the connection at once.
        """

    def ignores_tools(self) -> None:
        """To be told by whoever offered tools and got an answer as if there were none; it is remembered."""

    def cost(self, usage: Usage) -> float | None:
        """In dollars; None when nobody knows the price."""

    def count(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        """An estimate of the tokens that these are, rather too many than too few."""

    async def close(self) -> None:
        """Let go of connections."""
