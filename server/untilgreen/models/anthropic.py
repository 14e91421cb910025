"""Anthropic's messages. Loaded by the first call only: it takes long, and its library is an extra."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anthropic
import httpx2

from untilgreen.models.asides import Asides
from untilgreen.models.asking import Heard
from untilgreen.models.blocks import Blocks, conversation_of, system_of, tool_of
from untilgreen.models.connection import fault_of_error, http_client
from untilgreen.models.counting import tokens_of_conversation
from untilgreen.models.endpoint import Endpoint
from untilgreen.models.faults import Fault, fault_of_body
from untilgreen.models.model import Message, Reply, Tool, Usage
from untilgreen.models.patience import wait_of
from untilgreen.models.wordings import shorter_reply

CHARACTERS_PER_TOKEN = 16
"""More than any text has; a reply that is longer ignores the limit it was given."""
NO_KEY = "none"


class AnthropicWire:
    """One server."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._client = anthropic.AsyncAnthropic(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http_client(endpoint),
            open_telemetry=False,
        )
        self._most_tokens = 0
        self._asides = Asides()

    async def once(
        self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int, heard: Heard
    ) -> Reply:
        blocks = Blocks()
        while True:
            most = min(tokens, self._most_tokens or tokens)
            try:
                await self._ask(self._body(messages, tools, most), blocks, most, heard)
                break
            except (anthropic.APIError, httpx2.HTTPError, ValueError) as error:
                if blocks.stop:
                    # All of it has come; only the end of the connection was not as it should be.
                    break
                fault = self._fault(error, tools=bool(tools))
                if blocks.begun or not self._ask_for_less(fault, most):
                    raise fault from None
        reply = blocks.reply(Usage(tokens_of_conversation(messages, tools), blocks.length // 3))
        for call in reply.calls:
            self._asides.keep(call.id, {"thoughts": blocks.thoughts()})
        return reply

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, body: dict[str, Any], blocks: Blocks, tokens: int, heard: Heard) -> None:
        stream = await self._client.post(
            "/v1/messages",
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=anthropic.AsyncStream[object],
        )
        async with stream:
            kind = stream.response.headers.get("content-type", "")
            if "json" in kind:
                told = json.loads(await stream.response.aread())
                heard(blocks.add_whole(told))
                if not blocks.stop:
                    raise fault_of_body(self._endpoint, 200, told)
            elif "html" in kind:
                page = f"{self._endpoint.base_url} answers with a web page."
                raise Fault(page, "Check `model_base_url`.")
            else:
                async for event in stream:
                    heard(blocks.add(event))
                    if blocks.length > tokens * CHARACTERS_PER_TOKEN:
                        blocks.stop = "max_tokens"
                        return
            if not blocks.stop:
                raise Fault(f"The reply of {self._endpoint.place} broke off before its end.", again=True)

    def _body(self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": conversation_of(messages, self._asides),
            "max_tokens": tokens,
            "stream": True,
        }
        if system := system_of(messages):
            body["system"] = system
        if tools:
            body["tools"] = [tool_of(tool) for tool in tools]
        return body

    def _ask_for_less(self, fault: Fault, tokens: int) -> bool:
        """True when it said how long a reply may be at most."""
        if fault.kind in ("option", "too_long"):
            shorter = shorter_reply(fault.detail, tokens)
            self._most_tokens = shorter or self._most_tokens
            return bool(shorter)
        return False

    def _fault(self, error: Exception, *, tools: bool) -> Fault:
        if not isinstance(error, anthropic.APIStatusError):
            return fault_of_error(self._endpoint, error)
        wait = wait_of(error.response.headers)
        return fault_of_body(
            self._endpoint, error.status_code, error.body, error.message, wait=wait, tools=tools
        )
