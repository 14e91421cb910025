"""Honest replies and odd ones: what comes over the wire becomes the right Reply, whatever its form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from models.asked import HONEST, TOOLS, asking
from scripted_models import Raw, call, call_written, say
from untilgreen.models.model import Limits, Message, ToolCall

TWO = call("read_file", path="a.py") + call("run_tests")


async def test_text_arrives_as_it_comes(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [say("Grüße, and a long text in many pieces.")], tmp_path) as asked:
        reply = await asked.reply()
    assert reply.text == "Grüße, and a long text in many pieces." == "".join(asked.heard)
    assert len([piece for piece in asked.heard if piece]) == 5
    assert (reply.stopped, reply.model) == ("finished", "a-model")
    assert (reply.usage.read, reply.usage.written, reply.usage.cached) == (100, 20, 30)


async def test_two_tools_in_one_reply(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [say("Look:") + TWO, HONEST], tmp_path) as asked:
        reply = await asked.reply(tools=TOOLS)
        assert (reply.text, reply.stopped) == ("Look:", "tools")
        assert [(call.name, call.arguments) for call in reply.calls] == [
            ("read_file", '{"path": "a.py"}'),
            ("run_tests", "{}"),
        ]
        assert asked.model.tools is True
        await asked.honest()


@pytest.mark.parametrize(
    "form", ["no_index", "no_ids", "same_index", "whole", "as_object", "stop", "repeated", "no_done"]
)
async def test_habits_of_servers(form: str, tmp_path: Path) -> None:
    same_tool = call("read_file", path="a.py") + call("read_file", path="b.py")
    async with asking("openai", [TWO.but(form=form), same_tool.but(form=form), HONEST], tmp_path) as asked:
        for wanted in (
            [("read_file", {"path": "a.py"}), ("run_tests", {})],
            [("read_file", {"path": "a.py"}), ("read_file", {"path": "b.py"})],
        ):
            reply = await asked.reply(tools=TOOLS)
            assert [(call.name, json.loads(call.arguments or "{}")) for call in reply.calls] == wanted
            assert len({call.id for call in reply.calls}) == 2
            assert reply.stopped == "tools"
        await asked.honest()


async def test_duplicate_ids_become_different(provider: str, tmp_path: Path) -> None:
    twice = call_written("read_file", '{"path": "a"}', "x") + call_written("read_file", '{"path": "b"}', "x")
    async with asking(provider, [twice, HONEST], tmp_path) as asked:
        reply = await asked.reply(tools=TOOLS)
        assert [call.arguments for call in reply.calls] == ['{"path": "a"}', '{"path": "b"}']
        assert len({call.id for call in reply.calls}) == 2
        await asked.honest()


async def test_truncated_arguments_are_handed_on_and_can_be_sent_back(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [call_written("read_file", '{"path": "a.'), HONEST], tmp_path) as asked:
        reply = await asked.reply(tools=TOOLS)
        (broken,) = reply.calls
        assert broken.arguments == '{"path": "a.'
        history = [
            Message("user", "Go."),
            Message("assistant", "", reply.calls),
            Message("tool", "no JSON", answers=broken.id),
        ]
        assert (await asked.model.reply(history, TOOLS)).text == HONEST.text
        sent = json.dumps(asked.server.messages())
        assert "unreadable" in sent and "no JSON" in sent


async def test_thoughts_go_back_with_their_calls(provider: str, tmp_path: Path) -> None:
    thinking = (call("read_file", path="a") + call("run_tests")).but(thought="Let me look at a.")
    async with asking(provider, [thinking, HONEST], tmp_path) as asked:
        reply = await asked.reply(tools=TOOLS)
        assert reply.text == "" and "look" not in "".join(asked.heard)
        answers = [Message("tool", "fine", answers=call.id) for call in reply.calls]
        await asked.model.reply([Message("user", "Go."), Message("assistant", "", reply.calls), *answers])
    sent = asked.server.messages()[1]
    if provider == "openai":
        assert sent["reasoning_content"] == "Let me look at a."
        assert [call["extra_content"] for call in sent["tool_calls"]] == [
            {"signature": "of read_file"},
            {"signature": "of run_tests"},
        ]
    else:
        thought = {"type": "thinking", "thinking": "Let me look at a.", "signature": "signed"}
        assert [block["type"] for block in sent["content"]] == ["thinking", "tool_use", "tool_use"]
        assert sent["content"][0] == thought


@pytest.mark.parametrize("stopped", ["length", "filtered", "refused"])
async def test_why_it_stopped(provider: str, stopped: str, tmp_path: Path) -> None:
    async with asking(provider, [say("I cannot help with", stopped=stopped), HONEST], tmp_path) as asked:
        reply = await asked.reply()
        # Anthropic calls both of them a refusal.
        assert reply.stopped == ("refused" if provider == "anthropic" and stopped == "filtered" else stopped)
        assert bool(reply.reason) == (reply.stopped == "refused")
        await asked.honest()


async def test_an_empty_reply(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [say(""), HONEST], tmp_path) as asked:
        reply = await asked.reply()
        assert (reply.text, reply.calls, reply.stopped) == ("", (), "finished")
        await asked.honest()


async def test_a_huge_reply_is_cut_off(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [say("x" * 300_000, piece=2000), HONEST], tmp_path) as asked:
        reply = await asked.reply(limits=Limits(tokens=1000))
        assert reply.stopped == "length"
        assert 16_000 < len(reply.text) <= 18_000
        await asked.honest()


async def test_an_endless_line_is_cut_off(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("untilgreen.models.connection.MOST_BYTES", 1 << 20)
    async with asking(provider, [Raw(b"data: " + b"x" * (2 << 20)), HONEST], tmp_path) as asked:
        with pytest.raises(Exception, match="more than 1 MB"):
            await asked.reply()
        await asked.honest()


async def test_invalid_utf8_is_mended(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [lambda request: _with_bad_bytes(provider), HONEST], tmp_path) as asked:
        reply = await asked.reply()
        assert reply.text == "caf\ufffd au lait"
        await asked.honest()


def _with_bad_bytes(provider: str) -> Raw:
    if provider == "openai":
        choice = {"index": 0, "delta": {"content": "caf@ au lait"}, "finish_reason": "stop"}
        body = f"data: {json.dumps({'choices': [choice]})}\n\ndata: [DONE]\n\n"
    else:
        events = [
            {"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": "caf@ au lait"},
            },
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
            {"type": "message_stop"},
        ]
        body = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return Raw(body.encode().replace(b"@", b"\xe9"))


async def test_a_server_that_does_not_stream(provider: str, tmp_path: Path) -> None:
    calls = [{"id": "c", "function": {"name": "run_tests", "arguments": "{}"}}]
    whole = {
        "openai": {"choices": [{"message": {"content": "Hi", "tool_calls": calls}, "finish_reason": "stop"}]},
        "anthropic": {
            "content": [
                {"type": "text", "text": "Hi"},
                {"type": "tool_use", "id": "c", "name": "run_tests", "input": {}},
            ],
            "stop_reason": "tool_use",
        },
    }[provider]
    raw = Raw(json.dumps(whole).encode(), content_type="application/json")
    async with asking(provider, [raw, HONEST], tmp_path) as asked:
        reply = await asked.reply(tools=TOOLS)
        assert (reply.text, reply.calls) == ("Hi", (ToolCall("c", "run_tests", "{}"),))
        assert reply.usage.read > 0, "estimated where the server does not tell"
        await asked.honest()


async def test_a_conversation_goes_over_the_wire(provider: str, tmp_path: Path) -> None:
    calls = (ToolCall("1", "read_file", '{"path": "a"}'), ToolCall("2", "run_tests", ""))
    history = [
        Message("system", "One."),
        Message("user", "Do."),
        Message("user", "It. \ud800"),
        Message("assistant", "", calls),
        Message("tool", "content of a", answers="1"),
        Message("tool", "of nothing", answers="9"),
        Message("user", "Go on."),
    ]
    async with asking(provider, [HONEST], tmp_path) as asked:
        await asked.model.reply(history, TOOLS, Limits(tokens=77))
    sent = asked.server.requests[0]
    assert sent.body["max_tokens"] == 77
    messages = sent.body["messages"]
    if provider == "openai":
        assert sent.headers["authorization"].startswith("Bearer ")
        assert [message["role"] for message in messages] == [
            "system", "user", "user", "assistant", "tool", "tool", "user",
        ]  # fmt: skip
        assert [message.get("tool_call_id") for message in messages[4:6]] == ["1", "2"]
        assert messages[3]["tool_calls"][1]["function"] == {"name": "run_tests", "arguments": "{}"}
        assert messages[5]["content"] == "This call was not carried out."
        assert messages[2]["content"] == "It. ?"
    else:
        assert sent.body["system"][0]["text"] == "One."
        assert [message["role"] for message in messages] == ["user", "assistant", "user"]
        assert [block["text"] for block in messages[0]["content"]] == ["Do.", "It. ?"]
        assert [block["type"] for block in messages[2]["content"]] == ["tool_result", "tool_result", "text"]
        assert messages[1]["content"][0] == {
            "type": "tool_use", "id": "1", "name": "read_file", "input": {"path": "a"},
        }  # fmt: skip
