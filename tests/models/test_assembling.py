"""Pieces of a reply, in whatever order and shape, never break the assembly; known habits are understood."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from untilgreen.models.asides import MOST, Asides
from untilgreen.models.assembling import Assembly
from untilgreen.models.blocks import Blocks, conversation_of, system_of
from untilgreen.models.conversation import NOT_RUN, arguments_of, paired
from untilgreen.models.counting import tokens_of, tokens_of_conversation
from untilgreen.models.model import Message, ToolCall, Usage

anything = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def shaped(names: list[str], inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(st.sampled_from(names), inner, max_size=4)


calls = st.lists(
    shaped(["index", "id", "function", "extra_content"], anything | shaped(["name", "arguments"], anything)),
    max_size=3,
)
delta = shaped(["content", "tool_calls", "refusal", "function_call", "reasoning_content"], anything | calls)
choice = shaped(["delta", "message", "finish_reason", "index"], anything | delta)
chunk = anything | shaped(["choices", "usage", "model"], anything | st.lists(choice, max_size=2))
events = st.sampled_from(
    ["message_start", "content_block_start", "content_block_delta", "message_delta", "message_stop", "ping"]
)
block = shaped(["type", "text", "id", "name", "input", "partial_json", "stop_reason", "usage"], anything)
event = st.builds(
    lambda kind, rest: {**rest, "type": kind},
    events,
    shaped(["index", "message", "content_block", "delta", "usage"], anything | block),
)
texts = st.text(max_size=30)
some_calls = st.lists(
    st.builds(ToolCall, st.sampled_from("abc"), st.just("read_file"), texts | st.just('{"path": "x"}')),
    max_size=3,
    unique_by=lambda call: call.id,
)
messages = st.lists(
    st.one_of(
        st.builds(Message, st.sampled_from(["system", "user"]), texts),
        st.builds(lambda text, calls: Message("assistant", text, tuple(calls)), texts, some_calls),
        st.builds(lambda text, id: Message("tool", text, answers=id), texts, st.sampled_from("abc")),
    ),
    max_size=8,
)


@given(st.lists(chunk, max_size=6))
def test_any_chunks_give_a_reply(chunks: list[Any]) -> None:
    assembly = Assembly()
    heard = [assembly.add(chunk) for chunk in chunks]
    reply = assembly.reply(Usage(1, 1))
    assert reply.text == "".join(heard)
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    assert [id for id, _ in assembly.asides()] == [call.id for call in reply.calls]
    assert all(isinstance(part, str) for call in reply.calls for part in (call.id, call.name, call.arguments))


@given(st.lists(event | anything, max_size=6))
def test_any_events_give_a_reply(told: list[Any]) -> None:
    blocks = Blocks()
    heard = [blocks.add(event) for event in told]
    reply = blocks.reply(Usage(1, 1))
    assert reply.text == "".join(heard)
    assert len({call.id for call in reply.calls}) == len(reply.calls)


@given(anything | block | shaped(["content", "usage", "stop_reason"], st.lists(block | anything)))
def test_any_whole_message_gives_a_reply(told: Any) -> None:
    blocks = Blocks()
    said = blocks.add_whole(told)
    assert blocks.reply(Usage(1, 1)).text == said


@given(st.text(min_size=1), st.data())
def test_arguments_in_any_pieces(text: str, data: st.DataObject) -> None:
    written = json.dumps({"path": text})
    cuts = sorted(data.draw(st.sets(st.integers(1, len(written) - 1), max_size=5)))
    pieces = [written[a:b] for a, b in zip([0, *cuts], [*cuts, len(written)], strict=True)]
    assembly = Assembly()
    named = data.draw(st.booleans())
    for n, piece in enumerate(pieces):
        part: dict[str, Any] = {"index": 0, "function": {"arguments": piece}}
        if n == 0 or named:
            part["function"]["name"] = "read_file"
        if n == 0:
            part["id"] = "x"
        assembly.add({"choices": [{"delta": {"tool_calls": [part]}}]})
    assert assembly.reply(Usage()).calls == (ToolCall("x", "read_file", written),)


@given(messages)
def test_every_call_has_its_answer_and_every_answer_its_call(history: list[Message]) -> None:
    result = paired(history)
    open_calls: list[str] = []
    for message in result:
        if message.role == "tool":
            assert message.answers == open_calls.pop(0)
        else:
            assert open_calls == []
            open_calls = [call.id for call in message.calls]
    assert open_calls == []
    assert [m for m in result if m.role != "tool"] == [m for m in history if m.role != "tool"]


def test_an_id_that_comes_again_has_its_own_answer() -> None:
    asked = Message("assistant", "", (ToolCall("call_1", "run_tests", "{}"),))
    first, second = (Message("tool", text, answers="call_1") for text in ("red", "green"))
    assert paired([asked, first, asked, second]) == [asked, first, asked, second]
    assert [message.text for message in paired([asked, asked, second])][1] == NOT_RUN


@given(messages)
def test_any_conversation_takes_turns(history: list[Message]) -> None:
    turns = conversation_of(history, Asides())
    assert [turn["role"] for turn in turns] == ["user", "assistant"] * (len(turns) // 2) + ["user"]
    blocks = [block for turn in turns for block in turn["content"]]
    assert all(block.get("text", "x").strip() for block in blocks)
    assert len([block for block in blocks if "cache_control" in block]) == 1
    assert len(system_of(history)) <= 1
    json.dumps(turns).encode()


@given(st.text())
def test_arguments_are_always_an_object(written: str) -> None:
    assert isinstance(arguments_of(written), dict)
    json.dumps(arguments_of(written)).encode("utf-8")


def test_asides_are_of_the_newest_calls() -> None:
    asides = Asides()
    for n in range(MOST + 10):
        asides.keep(str(n), {"n": n})
    assert (asides.of("9"), asides.of("10")) == ({}, {"n": 10})
    asides.keep("10", {})
    assert asides.of("10") == {}


def test_deep_nonsense() -> None:
    assert "unreadable" in arguments_of("[" * 100_000)


@given(st.text(), st.text())
def test_counts_grow_with_the_text(one: str, two: str) -> None:
    assert tokens_of(one + "\n" + two) >= max(tokens_of(one), tokens_of(two))
    assert tokens_of(one) <= len(one.encode("utf-8", "replace"))


def test_counts_are_rather_too_many() -> None:
    # Real tokenizers of today need about 10, 16 and 30 for these.
    english = "The quick brown fox jumps over the lazy dog."
    code = "def add(a: int, b: int) -> int:\n    return a + b\n"
    assert 10 <= tokens_of(english) <= 20
    assert 16 <= tokens_of(code) <= 40
    assert tokens_of("你好，世界。今天天气很好") >= 12
    one = [Message("user", english)]
    assert tokens_of_conversation(one) > tokens_of(english)
