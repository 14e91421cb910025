"""A server with Anthropic's messages, as the wire shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scripted_models.script import Answer, Fault, Line
from scripted_models.server import Request, ScriptedServer

KINDS = {
    400: ("invalid_request_error", "The request is not valid."),
    401: ("authentication_error", "invalid x-api-key {key}"),
    402: ("billing_error", "There is an issue with your billing."),
    403: ("permission_error", "Your API key does not have permission to use this model."),
    404: ("not_found_error", "model: {model}"),
    413: ("request_too_large", "Request exceeds the maximum size"),
    429: ("rate_limit_error", "This request would exceed your rate limit."),
    500: ("api_error", "Internal server error"),
    503: ("api_error", "Service unavailable"),
    529: ("overloaded_error", "Overloaded"),
}
STOPPED = {"": "end_turn", "length": "max_tokens", "filtered": "refusal", "refused": "refusal"}


class AnthropicServer(ScriptedServer):
    path = "/v1/messages"

    def error_body(self, fault: Fault) -> dict[str, Any]:
        kind, message = KINDS.get(fault.status, KINDS[500])
        last = self.requests[-1]
        told = message.format(key=last.headers.get("x-api-key"), model=last.body.get("model"))
        return {"type": "error", "error": {"type": fault.kind or kind, "message": fault.message or told}}

    def error_event(self, fault: Fault) -> list[bytes]:
        return [_event(self.error_body(fault))]

    def events(self, answer: Answer, request: Request) -> list[bytes]:
        read, written = answer.usage or (0, 0)
        usage = {"input_tokens": read - 40, "cache_creation_input_tokens": 10, "cache_read_input_tokens": 30}
        message = {"id": "msg_scripted", "type": "message", "role": "assistant", "content": []}
        message |= {"model": request.body.get("model"), "stop_reason": None, "stop_sequence": None}
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": message | {"usage": usage | {"output_tokens": 1}}}
        ]
        blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = []
        if answer.thought:
            pieces = [
                {"type": "thinking_delta", "thinking": piece}
                for piece in _pieces(answer.thought, answer.piece)
            ]
            pieces.append({"type": "signature_delta", "signature": "signed"})
            blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, pieces))
        if answer.text:
            pieces = [{"type": "text_delta", "text": piece} for piece in _pieces(answer.text, answer.piece)]
            blocks.append(({"type": "text", "text": ""}, pieces))
        for index, wanted in enumerate(answer.calls):
            id = wanted.id if wanted.id is not None else f"toolu_{index}_{wanted.name}"
            pieces = [
                {"type": "input_json_delta", "partial_json": piece}
                for piece in ("", *_pieces(wanted.arguments, answer.piece))
            ]
            blocks.append(({"type": "tool_use", "id": id, "name": wanted.name, "input": {}}, pieces))
        for index, (block, deltas) in enumerate(blocks):
            events.append({"type": "content_block_start", "index": index, "content_block": block})
            events.append({"type": "ping"})
            events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
            events.append({"type": "content_block_stop", "index": index})
        stop = "tool_use" if answer.calls and not answer.stopped else STOPPED[answer.stopped]
        delta = {"stop_reason": stop, "stop_sequence": None}
        events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": written}})
        events.append({"type": "message_stop"})
        return list(map(_event, events))


def _pieces(text: str, size: int) -> list[str]:
    return [text[n : n + size] for n in range(0, len(text), size)]


def _event(data: dict[str, Any]) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data)}\n\n".encode()


def anthropic_server(script: Sequence[Line] = (), otherwise: Line | None = None) -> AnthropicServer:
    return AnthropicServer(script, otherwise)
