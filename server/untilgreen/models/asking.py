"""A model behind a network: asks, asks again where that can help, and says in words why not."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Protocol

from untilgreen.errors import ModelError, NoTools, TooLong
from untilgreen.models import prices
from untilgreen.models.counting import tokens_of, tokens_of_conversation
from untilgreen.models.endpoint import Endpoint
from untilgreen.models.faults import Fault
from untilgreen.models.model import ORDINARY, Limits, Message, Reply, Tool, Usage
from untilgreen.models.patience import PATIENT, Patience
from untilgreen.models.tool_support import ToolSupport
from untilgreen.models.wordings import context_in

Heard = Callable[[str], None]
PROBE = (Message("user", "Say ok."),)
PROBE_TOKENS = 16


class Wire(Protocol):
    """One provider's format."""

    async def once(
        self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int, heard: Heard
    ) -> Reply:
        """Ask a single time. Raises `Fault`; closes its connection whatever happens."""

    async def close(self) -> None: ...


class RemoteModel:
    """The `Model` of an endpoint. The provider's library is loaded by the first call, in a thread."""

    def __init__(
        self,
        endpoint: Endpoint,
        make_wire: Callable[[Endpoint], Wire],
        support: ToolSupport,
        patience: Patience = PATIENT,
    ) -> None:
        self.name = endpoint.model
        self.tools = support.known(endpoint)
        self._endpoint = endpoint
        self._make_wire = make_wire
        self._wire: Wire | None = None
        self._making = asyncio.Lock()
        self._support = support
        self._patience = patience
        self._told_context = 0

    @property
    def context(self) -> int:
        return self._endpoint.context or self._told_context or prices.context_of(self._endpoint)

    async def reply(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool] = (),
        limits: Limits = ORDINARY,
        heard: Heard = lambda _text: None,
    ) -> Reply:
        place = self._endpoint.place
        if tools and self.tools is False:
            raise NoTools(f"{self.name} at {place} takes no tools.")
        seconds = min(limits.seconds, self._endpoint.seconds)
        try:
            async with asyncio.timeout(seconds) as scope:
                reply = await self._persist(messages, tools, limits.tokens, heard, scope)
        except TimeoutError:
            raise ModelError(f"{place} was not done within {seconds:g} s (`model_seconds`).") from None
        except Fault as fault:
            raise _error_of(fault) from None
        if reply.calls and self.tools is None:
            self.tools = True
            self._support.learn(self._endpoint, works=True)
        return reply

    def ignores_tools(self) -> None:
        self.tools = False
        if self._endpoint.tools is None:
            self._support.learn(self._endpoint, works=False)

    def cost(self, usage: Usage) -> float | None:
        return prices.cost_of(self._endpoint, usage)

    def count(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        return tokens_of_conversation(messages, tools)

    async def close(self) -> None:
        if self._wire is not None:
            wire, self._wire = self._wire, None
            await wire.close()

    async def _persist(
        self,
        messages: Sequence[Message],
        tools: Sequence[Tool],
        tokens: int,
        heard: Heard,
        scope: asyncio.Timeout,
    ) -> Reply:
        waited = 0.0
        tried = 1
        lost = Usage()
        while True:
            begun = _Begun(heard)
            try:
                reply = await self._once(messages, tools, tokens, begun)
                return dataclasses.replace(reply, usage=reply.usage + lost)
            except Fault as fault:
                self._told_context = context_in(fault.detail) or self._told_context
                if fault.kind == "filtered":
                    return Reply("", stopped="filtered", reason=fault.words)
                if tools and await self._takes_no_tools(fault, tools):
                    self.ignores_tools()
                    raise NoTools(fault.words) from None
                wait = self._patience.wait(tried, fault.wait)
                left = (scope.when() or 0.0) - asyncio.get_running_loop().time()
                if not fault.again or tried >= self._patience.tries:
                    raise _after(fault, tried) from None
                if waited + wait > self._patience.seconds or wait > left:
                    fault.words += f" The next try would be in {wait:.0f} s, which is too late for us."
                    raise fault from None
            if begun.text:
                # Whoever listens throws away what came before the connection broke; it was paid all the same.
                heard("")
                lost += Usage(self.count(messages, tools), tokens_of(begun.text))
            await self._patience.sleep(wait)
            waited += wait
            tried += 1

    async def _once(
        self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int, heard: Heard
    ) -> Reply:
        async with self._making:
            if self._wire is None:
                self._wire = await asyncio.to_thread(self._make_wire, self._endpoint)
            wire = self._wire
        return await wire.once(messages, tools, tokens, heard)

    async def _takes_no_tools(self, fault: Fault, tools: Sequence[Tool]) -> bool:
        """Whether a request was refused for its tools.

        Where the words do not tell, a question that nobody refuses is asked with and without them.
        """
        if fault.kind == "tools":
            return True
        if fault.kind != "unclear" or self.tools is not None:
            return False
        return not await self._answers(tools) and await self._answers(())

    async def _answers(self, tools: Sequence[Tool]) -> bool:
        try:
            await self._once(PROBE, tools, PROBE_TOKENS, lambda _text: None)
        except Fault:
            return False
        return True


class _Begun:
    """Hands on what is heard, and keeps it."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self.text = ""

    def __call__(self, text: str) -> None:
        if text:
            self.text += text
            self._heard(text)


def _after(fault: Fault, tried: int) -> Fault:
    if tried > 1:
        fault.words += f" It was tried {tried} times."
    return fault


def _error_of(fault: Fault) -> ModelError:
    kind = TooLong if fault.kind == "too_long" else ModelError
    return kind(fault.words, fault.remedy)
