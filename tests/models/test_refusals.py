"""What a service says when it does not answer becomes one sentence with a remedy, and never holds the key."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import pytest

from models.asked import HONEST, KEY, QUESTION, TOOLS, asking, model_at
from scripted_models import Fault, Raw, call, fault, in_stream, say
from untilgreen.errors import ModelError, NoTools, TooLong
from untilgreen.models.model import Limits

FINAL = {
    "wrong key": (fault(401), "did not accept the key in `model_key`"),
    "no credit": (fault(402), "no credit left"),
    "not allowed": (fault(403), "does not allow a-model"),
    "no such model": (fault(404), "There is no model 'a-model'"),
    "refused": (fault(400, "Something else."), "did not accept the request (status 400): Something else."),
    "a web page": (Raw(b"<html>Welcome</html>", content_type="text/html"), "answers with a web page"),
    "an error page": (Raw(b"<html>No.</html>", 403, "text/html"), "does not allow"),
    "elsewhere": (Raw(b"", 307, "text/plain"), "sends us elsewhere"),
    "not implemented": (fault(501), "status 501"),
    "the key said back": (fault(400, f"What is {KEY}? \x1b[2J"), "(the key)"),
}


@pytest.mark.parametrize("name", FINAL)
async def test_what_does_not_get_better(provider: str, name: str, tmp_path: Path) -> None:
    line, words = FINAL[name]
    async with asking(provider, [line, HONEST], tmp_path) as asked:
        with pytest.raises(ModelError) as caught:
            await asked.reply()
        assert words in str(caught.value)
        assert caught.value.exit_code == 4
        assert KEY not in repr(caught.value) and "\x1b" not in str(caught.value)
        assert caught.value.__cause__ is None
        assert (len(asked.server.requests), asked.slept) == (1, [])
        await asked.honest()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (fault(429, "You exceeded your current quota.", kind="insufficient_quota"), "no credit left"),
        (fault(400, "Your credit balance is too low to access the API."), "no credit left"),
        (fault(400, "API key not valid. Invalid API key."), "did not accept the key"),
        (fault(404, "Not Found", kind="none"), "is not the address of a model"),
    ],
)
async def test_wordings_of_others(line: Fault, words: str, tmp_path: Path) -> None:
    async with asking("openai", [line, HONEST], tmp_path) as asked:
        with pytest.raises(ModelError, match=words):
            await asked.reply()
        assert asked.slept == []
        await asked.honest()


@pytest.mark.parametrize(
    "line",
    [
        fault(400, "This model's maximum context length is 8192 tokens.", kind="context_length_exceeded"),
        fault(400, "prompt is too long: 208310 tokens > 200000 maximum"),
        fault(400, "the request exceeds the available context size. try increasing the context size"),
        fault(413),
        fault(422, "Input is too long for requested model."),
        in_stream(400, "input length and `max_tokens` exceed context limit", kind="invalid_request_error"),
    ],
)
async def test_too_long(provider: str, line: Fault, tmp_path: Path) -> None:
    async with asking(provider, [line, HONEST], tmp_path) as asked:
        with pytest.raises(TooLong, match="longer than a-model reads"):
            await asked.reply(limits=Limits(tokens=300))
        assert asked.slept == []
        await asked.honest()


async def test_a_reply_that_would_be_too_long_is_asked_shorter(provider: str, tmp_path: Path) -> None:
    said = "max_tokens: 8000 > 4096, which is the maximum allowed number of output tokens"
    async with asking(provider, [fault(400, said), HONEST, HONEST], tmp_path) as asked:
        await asked.honest()
        await asked.honest()
    assert [request.body["max_tokens"] for request in asked.server.requests] == [8000, 4096, 4096]


async def test_a_small_context_leaves_room_for_the_prompt(tmp_path: Path) -> None:
    said = (
        "This model's maximum context length is 4096 tokens. However, you requested 8300 tokens "
        "(300 in the messages, 8000 in the completion). Please reduce the length."
    )
    async with asking("openai", [fault(400, said), HONEST, fault(400, said)], tmp_path) as asked:
        await asked.honest()
        assert asked.server.requests[-1].body["max_tokens"] == 4096 // 3
        with pytest.raises(TooLong):
            await asked.reply()
        assert asked.model.context == 4096


async def test_a_filter_is_a_reason_and_not_a_crash(provider: str, tmp_path: Path) -> None:
    line = fault(400, "The response was filtered by the content management policy.", kind="content_filter")
    async with asking(provider, [line, HONEST], tmp_path) as asked:
        reply = await asked.reply()
        assert (reply.stopped, reply.text) == ("filtered", "")
        assert "content management policy" in reply.reason
        await asked.honest()


async def test_options_that_a_server_does_not_know_are_left_out(tmp_path: Path) -> None:
    script = [
        fault(400, "Unrecognized request argument supplied: stream_options"),
        fault(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."),
        HONEST.but(usage=None),
        HONEST,
    ]
    async with asking("openai", script, tmp_path) as asked:
        reply = await asked.reply()
        assert reply.usage.read > 0 and reply.usage.written > 0, "estimated"
        await asked.honest()
    last = asked.server.requests[-1].body
    assert "stream_options" not in last and "max_tokens" not in last
    assert last["max_completion_tokens"] == 8000


async def test_options_do_not_go_back_and_forth(tmp_path: Path) -> None:
    no = fault(400, "max_tokens or max_completion_tokens, stream_options: neither is known")
    async with asking("openai", [], tmp_path, otherwise=no) as asked:
        with pytest.raises(ModelError, match="neither is known"):
            await asked.reply()
        assert len(asked.server.requests) == 3


async def test_nobody_listens(provider: str, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = model_at(provider, f"http://127.0.0.1:{port}/v1", tmp_path)
    with pytest.raises(ModelError, match=f"127.0.0.1:{port} cannot be reached.*Start the server"):
        await model.reply(QUESTION)
    await model.close()


async def test_tls_that_is_none(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [], tmp_path) as asked:
        model = model_at(provider, asked.server.base_url.replace("http:", "https:"), tmp_path)
        with pytest.raises(ModelError, match=r"No trusted connection.*SSL_CERT_FILE"):
            await model.reply(QUESTION)
        await model.close()


@pytest.mark.parametrize(
    "line",
    [
        fault(400, "registry.example/library/tiny does not support tools"),
        fault(404, "No endpoints found that support tool use.", kind="404"),
        fault(500, "tools param requires --jinja flag"),
        fault(400, '"auto" tool choice requires --enable-auto-tool-choice to be set'),
        fault(422, "Extra inputs are not permitted: tools"),
    ],
)
async def test_tools_are_rejected(provider: str, line: Fault, tmp_path: Path) -> None:
    async with asking(provider, [line, HONEST], tmp_path) as asked:
        assert asked.model.tools is None
        with pytest.raises(NoTools):
            await asked.reply(tools=TOOLS)
        assert asked.model.tools is False
        with pytest.raises(NoTools):
            await asked.reply(tools=TOOLS)
        await asked.honest()


async def test_tools_are_rejected_in_unknown_words(provider: str, tmp_path: Path) -> None:
    no = fault(400, "Nope.")
    async with asking(provider, [no, no, say("ok"), HONEST], tmp_path) as asked:
        with pytest.raises(NoTools):
            await asked.reply(tools=TOOLS)
        assert ["tools" in request.body for request in asked.server.requests] == [True, True, False]
        assert asked.server.requests[1].body["max_tokens"] == 16, "cheap"
        await asked.honest()


async def test_not_everything_is_for_the_tools(provider: str, tmp_path: Path) -> None:
    no = fault(400, "Nope.")
    async with asking(provider, [no, no, no, no, call("run_tests")], tmp_path) as asked:
        # First nothing is accepted, with and without tools; then a plain question is, with tools.
        for _ in range(2):
            with pytest.raises(ModelError, match="Nope") as caught:
                await asked.reply(tools=TOOLS)
            assert not isinstance(caught.value, NoTools)
            assert asked.model.tools is None


async def test_two_calls_at_once(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [fault(400, "Nope."), HONEST, HONEST], tmp_path) as asked:
        replies = await asyncio.gather(*(asked.reply() for _ in range(3)), return_exceptions=True)
        assert sorted(type(reply).__name__ for reply in replies) == ["ModelError", "Reply", "Reply"]
