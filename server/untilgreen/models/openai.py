"""Chat completions of OpenAI and of everybody who speaks them. Loaded by the first call only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import httpx2
import openai

from untilgreen.models.asides import Asides
from untilgreen.models.asking import Heard
from untilgreen.models.assembling import Assembly
from untilgreen.models.connection import fault_of_error, http_client, tail_of
from untilgreen.models.conversation import arguments_of, paired, sendable
from untilgreen.models.counting import tokens_of, tokens_of_conversation
from untilgreen.models.endpoint import Endpoint
from untilgreen.models.faults import Fault, fault_of_body
from untilgreen.models.model import Message, Reply, Tool, Usage
from untilgreen.models.patience import wait_of
from untilgreen.models.wordings import shorter_reply

CHARACTERS_PER_TOKEN = 16
"""More than any text has; a reply that is longer ignores the limit it was given."""
NO_KEY = "none"


class OpenAIWire:
    """One server. What it does not understand of the newer options is left out from then on."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        # Names of the user's organisation are for OpenAI only.
        foreign = None if endpoint.is_own else ""
        self._client = openai.AsyncOpenAI(
            api_key=endpoint.key or NO_KEY,
            base_url=endpoint.base_url,
            organization=foreign,
            project=foreign,
            max_retries=0,
            http_client=http_client(endpoint),
        )
        self._usage_option = True
        # Newer models of OpenAI's take only the second name, most other servers only the first.
        self._limit_options = ["max_tokens", "max_completion_tokens"]
        if endpoint.is_own:
            self._limit_options.reverse()
        self._most_tokens = 0
        self._asides = Asides()

    async def once(
        self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int, heard: Heard
    ) -> Reply:
        assembly = Assembly()
        while True:
            most = min(tokens, self._most_tokens or tokens)
            try:
                await self._ask(self._body(messages, tools, most), assembly, most, heard)
                break
            except (openai.APIError, httpx2.HTTPError, ValueError) as error:
                if assembly.finish:
                    # All of it has come; only the end of the connection was not as it should be.
                    break
                fault = self._fault(error, tools=bool(tools))
                if assembly.answered or not self._leave_out(fault, most):
                    raise fault from None
        for id, aside in assembly.asides():
            self._asides.keep(id, aside)
        written = tokens_of("".join(assembly.text)) + assembly.arguments // 3
        return assembly.reply(Usage(tokens_of_conversation(messages, tools), written))

    async def close(self) -> None:
        await self._client.close()

    async def _ask(self, body: dict[str, Any], assembly: Assembly, tokens: int, heard: Heard) -> None:
        stream = await self._client.post(
            "/chat/completions",
            body=body,
            cast_to=object,
            stream=True,
            stream_cls=openai.AsyncStream[object],
        )
        async with stream:
            kind = stream.response.headers.get("content-type", "")
            if "json" in kind:
                # A server that does not stream.
                told = json.loads(await stream.response.aread())
                heard(assembly.add(told))
                if not assembly.answered:
                    raise fault_of_body(self._endpoint, 200, told)
            elif "html" in kind:
                page = f"{self._endpoint.base_url} answers with a web page."
                raise Fault(page, "Check `model_base_url`.")
            else:
                async for chunk in stream:
                    heard(assembly.add(chunk))
                    if assembly.text_length + assembly.arguments > tokens * CHARACTERS_PER_TOKEN:
                        assembly.finish = "length"
                        return
            whole = assembly.finish or b"[DONE]" in tail_of(stream.response)
            if not assembly.answered or not whole:
                raise Fault(f"The reply of {self._endpoint.place} broke off before its end.", again=True)

    def _body(self, messages: Sequence[Message], tools: Sequence[Tool], tokens: int) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._endpoint.model,
            "messages": [_message(message, self._asides) for message in paired(messages)],
            "stream": True,
            self._limit_options[0]: tokens,
        }
        if self._usage_option:
            body["stream_options"] = {"include_usage": True}
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        return body

    def _leave_out(self, fault: Fault, tokens: int) -> bool:
        """True when the request is worth sending again without, or with less of, what was not understood."""
        if fault.kind in ("option", "too_long"):
            shorter = shorter_reply(fault.detail, tokens)
            self._most_tokens = shorter or self._most_tokens
            return bool(shorter)
        if fault.kind != "unclear":
            return False
        if self._usage_option and ("stream_options" in fault.detail or "include_usage" in fault.detail):
            self._usage_option = False
            return True
        if "max_completion_tokens" in fault.detail and len(self._limit_options) > 1:
            self._limit_options.pop(0)
            return True
        return False

    def _fault(self, error: Exception, *, tools: bool) -> Fault:
        if isinstance(error, openai.APIConnectionError) or not isinstance(error, openai.APIError):
            return fault_of_error(self._endpoint, error)
        status, wait = 200, None
        if isinstance(error, openai.APIStatusError):
            status, wait = error.status_code, wait_of(error.response.headers)
        return fault_of_body(self._endpoint, status, error.body, error.message, wait=wait, tools=tools)


def _message(message: Message, asides: Asides) -> dict[str, Any]:
    text = sendable(message.text)
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.answers, "content": text}
    if not message.calls:
        return {"role": message.role, "content": text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(arguments_of(call.arguments))},
            **asides.of(call.id).get("call", {}),
        }
        for call in message.calls
    ]
    beside = asides.of(message.calls[0].id).get("message", {})
    return {"role": "assistant", "content": text, "tool_calls": calls, **beside}


def _tool(tool: Tool) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
    return {"type": "function", "function": function}
