"""What was found out about tools is remembered; what was recorded can be played again."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from models.asked import HONEST, KEY, QUESTION, TOOLS, asking
from scripted_models import call, fault, openai_server, say
from untilgreen.errors import ModelError, NoTools, TooLong, UsageError
from untilgreen.models.endpoint import Endpoint
from untilgreen.models.model import Message, Usage
from untilgreen.models.opening import open_models
from untilgreen.models.recorded import Recording, Replaying, Tape
from untilgreen.models.tool_support import DAYS, ToolSupport
from untilgreen.settings import Settings

HERE = Endpoint("openai", "tiny", "http://localhost:1/v1")


def test_tools_are_remembered_for_each_endpoint(tmp_path: Path) -> None:
    now = [1000.0]
    support = ToolSupport(tmp_path / "deep/folder", lambda: now[0])
    assert support.known(HERE) is None
    support.learn(HERE, works=False)
    assert support.known(HERE) is False
    assert support.known(Endpoint("openai", "other", HERE.base_url)) is None
    assert support.known(Endpoint("openai", "tiny", "http://localhost:2/v1")) is None
    assert support.known(Endpoint("openai", "tiny", HERE.base_url, tools=True)) is True
    now[0] += DAYS * 86400
    assert support.known(HERE) is None, "a server may have learned it"
    support.learn(HERE, works=True)
    now[0] += 10 * DAYS * 86400
    assert support.known(HERE) is True
    assert [path.suffix for path in (tmp_path / "deep/folder").iterdir()] == [".json"]


@pytest.mark.parametrize("broken", [b"", b"{", b"[]", b'{"works": 1, "at": 1}', b'{"works": false}', b"\xff"])
def test_a_broken_memory_is_none(tmp_path: Path, broken: bytes) -> None:
    support = ToolSupport(tmp_path)
    support.learn(HERE, works=False)
    (path,) = tmp_path.iterdir()
    path.write_bytes(broken)
    assert support.known(HERE) is None


def test_a_memory_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ToolSupport(tmp_path / "file").learn(HERE, works=True)


async def test_who_was_seen_to_use_tools_is_believed_the_next_time(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [HONEST, call("run_tests")], tmp_path) as asked:
        await asked.reply(tools=TOOLS)
        assert asked.model.tools is None, "a plain answer shows nothing"
        await asked.reply(tools=TOOLS)
        assert asked.model.tools is True
    (path,) = (tmp_path / "model-tools").iterdir()
    assert json.loads(path.read_text())["works"] is True
    assert KEY not in path.read_text()


async def test_who_ignores_them_is_not_offered_any(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [HONEST], tmp_path) as asked:
        asked.model.ignores_tools()
        with pytest.raises(NoTools):
            await asked.reply(tools=TOOLS)
        await asked.honest()


@pytest.mark.parametrize(("setting", "known"), [("on", True), ("off", False)])
async def test_the_user_knows_best(provider: str, setting: str, known: bool, tmp_path: Path) -> None:
    async with asking(provider, [], tmp_path, model_tools=setting) as asked:
        assert asked.model.tools is known


async def _recorded(path: Path, folder: Path) -> None:
    script = [say("Look: ") + call("run_tests"), fault(413), HONEST]
    async with asking("openai", script, folder) as asked:
        model = Recording(asked.model, path)
        await model.reply(QUESTION, TOOLS)
        with pytest.raises(TooLong):
            await model.reply(QUESTION)
        await model.reply((*QUESTION, Message("user", "It took 0.25s at 0x7f0011223344.")))


async def test_what_was_recorded_is_played_again(tmp_path: Path) -> None:
    path = tmp_path / "traffic.jsonl"
    await _recorded(path, tmp_path)
    assert KEY not in path.read_text() and "uthorization" not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    tape = Tape(path)
    assert tape.models == ("a-model",)
    model = Replaying(tape, "a-model")
    heard: list[str] = []
    reply = await model.reply(QUESTION, TOOLS, heard=heard.append)
    assert (reply.text, reply.calls[0].name, reply.usage) == ("Look: ", "run_tests", Usage(100, 20, 30))
    assert heard == ["Look: "]
    with pytest.raises(TooLong, match="longer than a-model reads"):
        await model.reply(QUESTION)
    again = (*QUESTION, Message("user", "It took 1.75s at 0x7f9911223355."))
    assert (await model.reply(again)).text == HONEST.text
    with pytest.raises(ModelError, match="ends after call 3"):
        await model.reply(QUESTION)


@pytest.mark.parametrize(
    ("name", "messages", "tools", "words"),
    [
        ("other", QUESTION, TOOLS, "call 1: then a-model was asked, now other"),
        ("a-model", (QUESTION[0],), TOOLS, "then there were 2 messages, now 1"),
        ("a-model", QUESTION, (), "then the tools were read_file, run_tests"),
        (
            "a-model",
            (QUESTION[0], Message("user", "How was it?")),
            TOOLS,
            r"text of message 2 \(user\).*was it",
        ),
        ("a-model", (QUESTION[0], Message("assistant", "How is it?")), TOOLS, "role of message 2"),
    ],
)
async def test_the_first_difference_is_told(
    name: str, messages: Any, tools: Any, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "traffic.jsonl"
    await _recorded(path, tmp_path)
    with pytest.raises(ModelError, match=words):
        await Replaying(Tape(path), name).reply(messages, tools)


async def test_two_models_share_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "traffic.jsonl"
    async with openai_server([HONEST] * 3) as server:
        settings = Settings(model="small", model_strong="strong", model_base_url=server.base_url)
        models = open_models(settings, {"UNTILGREEN_CACHE": str(tmp_path)}, record=path)
        assert models.strong is not None
        for model in (models.small, models.strong, models.small):
            await model.reply(QUESTION)
        await models.close()
        assert server.wait_until_all_left()
    again = open_models(Settings(), {}, replay=path)
    assert again.strong is not None and (again.small.name, again.strong.name) == ("small", "strong")
    await again.small.reply(QUESTION)
    with pytest.raises(ModelError, match="call 2: then strong was asked, now small"):
        await again.small.reply(QUESTION)
    await again.close()


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"v": 1, "model": "m", "messages": []}', '{"v": 9}'])
def test_what_is_no_recording(text: str, tmp_path: Path) -> None:
    path = tmp_path / "traffic.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match="not a recording"):
        Tape(path)
    with pytest.raises(UsageError, match="cannot be read"):
        Tape(tmp_path / "nowhere")
