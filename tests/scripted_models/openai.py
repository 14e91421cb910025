"""A server with OpenAI's chat completions, as the wire shows them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from scripted_models.script import Answer, Fault, Line, Wanted
from scripted_models.server import Request, ScriptedServer

KINDS = {
    400: ("invalid_request_error", None, "The request is not valid."),
    401: ("invalid_request_error", "invalid_api_key", "Incorrect API key provided: {key}."),
    402: ("insufficient_credits", "402", "This request requires more credits."),
    403: ("permission_error", None, "You are not allowed to sample from this model."),
    404: ("invalid_request_error", "model_not_found", "The model `{model}` does not exist."),
    413: ("invalid_request_error", None, "Request too large."),
    429: ("requests", "rate_limit_exceeded", "Rate limit reached for requests."),
    500: ("server_error", None, "The server had an error while processing your request."),
    503: ("server_error", None, "The engine is currently overloaded."),
}
FINISH = {"": "stop", "length": "length", "filtered": "content_filter", "refused": "stop"}


class OpenAIServer(ScriptedServer):
    """Forms of calls that servers have: `no_index`, `no_ids`, `same_index` (each call whole, all with the
    index 0), `whole`, `as_object` (arguments that are not text), `stop` (the finish reason of a plain text),
    `repeated` (each call whole a second time). Of replies: `not_streamed`, `no_done`."""

    prefix = "/v1"
    path = "/chat/completions"

    def error_body(self, fault: Fault) -> dict[str, Any]:
        kind, code, message = KINDS.get(fault.status, KINDS[500])
        last = self.requests[-1]
        told = message.format(
            key=last.headers.get("authorization", "").removeprefix("Bearer "), model=last.body.get("model")
        )
        error = {"message": fault.message or told, "type": kind, "param": None, "code": fault.kind or code}
        return {"error": error}

    def error_event(self, fault: Fault) -> list[bytes]:
        return [_event(self.error_body(fault))]

    def events(self, answer: Answer, request: Request) -> list[bytes]:
        model = request.body.get("model", "")
        deltas = [{"role": "assistant", "content": ""}, *_deltas(answer)]
        finish = "tool_calls" if answer.calls and answer.form != "stop" else FINISH[answer.stopped]
        if answer.stopped:
            finish = FINISH[answer.stopped]
        chunks = [_chunk(model, delta) for delta in deltas]
        chunks.append(_chunk(model, {}, finish))
        asked = (request.body.get("stream_options") or {}).get("include_usage")
        if answer.usage is not None and asked:
            read, written = answer.usage
            usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
            chunks.append(
                _chunk(model, None) | {"usage": usage | {"prompt_tokens_details": {"cached_tokens": 30}}}
            )
        return [*map(_event, chunks), b"" if answer.form == "no_done" else b"data: [DONE]\n\n"]


def _deltas(answer: Answer) -> list[dict[str, Any]]:
    field = "refusal" if answer.stopped == "refused" else "content"
    thoughts = [{"reasoning_content": piece} for piece in _pieces(answer.thought, answer.piece)]
    deltas: list[dict[str, Any]] = [
        *thoughts,
        *({field: piece} for piece in _pieces(answer.text, answer.piece)),
    ]
    for index, wanted in enumerate(answer.calls):
        deltas += [{"tool_calls": [part]} for part in _parts(wanted, index, answer)]
    return deltas


def _parts(wanted: Wanted, index: int, answer: Answer) -> list[dict[str, Any]]:
    id = wanted.id if wanted.id is not None else f"call_{index}_{wanted.name}"
    whole: dict[str, Any] = {
        "index": index,
        "id": id,
        "type": "function",
        "function": {"name": wanted.name, "arguments": wanted.arguments},
    }
    if answer.thought:
        whole["extra_content"] = {"signature": f"of {wanted.name}"}
    match answer.form:
        case "whole":
            return [whole]
        case "repeated":
            return [whole, whole]
        case "same_index":
            return [whole | {"index": 0}]
        case "as_object":
            return [whole | {"function": {"name": wanted.name, "arguments": json.loads(wanted.arguments)}}]
    first = whole | {"function": {"name": wanted.name, "arguments": ""}}
    rest = [
        {"index": index, "function": {"arguments": piece}}
        for piece in _pieces(wanted.arguments, answer.piece)
    ]
    parts = [first, *rest]
    if answer.form == "no_index":
        parts = [{name: value for name, value in part.items() if name != "index"} for part in parts]
    if answer.form == "no_ids":
        parts = [{name: value for name, value in part.items() if name != "id"} for part in parts]
    return parts


def _pieces(text: str, size: int) -> list[str]:
    return [text[n : n + size] for n in range(0, len(text), size)]


def _chunk(model: str, delta: dict[str, Any] | None, finish: str | None = None) -> dict[str, Any]:
    choices = (
        [] if delta is None else [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}]
    )
    return {
        "id": "chatcmpl-scripted",
        "object": "chat.completion.chunk",
        "created": 1760000000,
        "model": model,
        "choices": choices,
    }


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def openai_server(script: Sequence[Line] = (), otherwise: Line | None = None) -> OpenAIServer:
    return OpenAIServer(script, otherwise)
