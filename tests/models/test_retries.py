"""What gets better by waiting: how often, how long, and when it is enough."""

from __future__ import annotations

import asyncio
import email.utils
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.asked import HONEST, KEY, asking
from scripted_models import Answer, Raw, Silence, fault, in_stream, say
from untilgreen.errors import ModelError
from untilgreen.models.model import Limits
from untilgreen.models.patience import Patience, seconds_of, wait_of

AGAIN = {
    "rate limit": fault(429),
    "its own fault": fault(500),
    "unavailable": fault(503),
    "overloaded": fault(529),
    "overloaded in the stream": in_stream(529, kind="overloaded_error"),
    "its own fault in the stream": in_stream(500),
    "gateway": Raw(b"<html>Bad gateway</html>", 502, "text/html"),
    "time-out": fault(504),
    "hung up": Silence(hang_up=True),
    "reset in the middle": say("It began", end="reset", after=2),
    "cut in the middle": say("It began so well and then", end="cut", after=3),
    "cut at once": say("It began", end="cut", after=0),
    "no JSON": Raw(b"event: message_start\ndata: {nonsense\n\n"),
}


@pytest.mark.parametrize("name", AGAIN)
async def test_it_is_tried_again(provider: str, name: str, tmp_path: Path) -> None:
    async with asking(provider, [AGAIN[name], AGAIN[name], HONEST, HONEST], tmp_path) as asked:
        assert (await asked.reply()).text == HONEST.text
        assert asked.slept == [0.5, 1.0]
        # Whoever listens can tell where it began again.
        last = len(asked.heard) - asked.heard[::-1].index("") if "" in asked.heard else 0
        assert HONEST.text.startswith(asked.heard[last])
        await asked.honest()


@pytest.mark.parametrize("name", AGAIN)
async def test_not_for_ever(provider: str, name: str, tmp_path: Path) -> None:
    async with asking(provider, [AGAIN[name]] * 3 + [HONEST], tmp_path, tries=3) as asked:
        with pytest.raises(ModelError, match="tried 3 times") as caught:
            await asked.reply()
        assert KEY not in str(caught.value) and "<html" not in str(caught.value)
        await asked.honest()


async def test_a_listener_hears_where_it_starts_again(provider: str, tmp_path: Path) -> None:
    broken = say("This was never finished, and is not", end="reset", after=5)
    async with asking(provider, [broken, HONEST], tmp_path) as asked:
        reply = await asked.reply()
    pieces = "|".join(asked.heard)
    before, _, after = pieces.rpartition("||")
    assert before.replace("|", "").startswith("This was")
    assert after.replace("|", "") == HONEST.text
    assert reply.usage.read > 120 and reply.usage.written > 20, "what was lost was paid, too"


@pytest.mark.parametrize("retry_after", ["7", "0.25", "date"])
async def test_it_waits_as_long_as_it_is_asked_to(provider: str, retry_after: str, tmp_path: Path) -> None:
    text = email.utils.formatdate(time.time() + 30, usegmt=True) if retry_after == "date" else retry_after
    async with asking(provider, [fault(429, retry_after=text), HONEST], tmp_path) as asked:
        await asked.honest()
    low, high = (27, 34) if retry_after == "date" else (float(text), float(text) * 1.2)
    assert low <= asked.slept[0] <= high


async def test_it_reads_how_long_to_wait(tmp_path: Path) -> None:
    line = fault(429, "Rate limit reached: Limit 30000, Used 29000. Please try again in 2.4s.")
    async with asking("openai", [line, HONEST], tmp_path) as asked:
        await asked.honest()
    assert 2.4 <= asked.slept[0] <= 2.7


async def test_it_does_not_wait_for_an_hour(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [fault(429, retry_after=3600), HONEST], tmp_path) as asked:
        with pytest.raises(ModelError, match=r"rate limit.*too late for us"):
            await asked.reply()
        assert asked.slept == []
        await asked.honest()


async def test_it_does_not_wait_longer_than_the_call_may_take(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [fault(503, retry_after=20)], tmp_path) as asked:
        with pytest.raises(ModelError, match="too late for us"):
            await asked.reply(limits=Limits(seconds=10))


async def test_all_waits_together_have_a_limit(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [fault(429, retry_after=25)] * 3, tmp_path) as asked:
        with pytest.raises(ModelError, match="too late for us"):
            await asked.reply()
    assert len(asked.slept) == 2


@pytest.mark.parametrize("end", ["stall", "silence"])
async def test_a_call_has_a_limit(provider: str, end: str, tmp_path: Path) -> None:
    line: Answer | Silence = say("It began", end="stall") if end == "stall" else Silence()
    async with asking(provider, [line, HONEST], tmp_path) as asked:
        await _loaded(asked.model)
        begun = time.monotonic()
        with pytest.raises(ModelError, match=r"was not done within 0.3 s"):
            await asked.reply(limits=Limits(seconds=0.3))
        assert 0.25 < time.monotonic() - begun < 2
        assert await asyncio.to_thread(asked.server.wait_until_all_left)
        await asked.honest()


async def test_a_stall_is_noticed(provider: str, tmp_path: Path) -> None:
    line = say("It began and was not finished", end="stall", after=4)
    async with asking(provider, [line, HONEST, HONEST], tmp_path, model_stall_seconds=0.2) as asked:
        assert (await asked.reply()).text == HONEST.text
        assert len(asked.server.left) == 1
        await asked.honest()


async def test_a_slow_drip_is_no_stall(provider: str, tmp_path: Path) -> None:
    drip = say("abcdefghij", piece=1, pause=0.05)
    async with asking(provider, [drip, drip, HONEST], tmp_path, model_stall_seconds=1) as asked:
        assert (await asked.reply()).text == "abcdefghij"
        with pytest.raises(ModelError, match="was not done within"):
            await asked.reply(limits=Limits(seconds=0.3))
        await asked.honest()


async def test_cancelling_closes_the_connection_at_once(provider: str, tmp_path: Path) -> None:
    async with asking(
        provider, [say("Begun" * 9, piece=5, end="stall", after=4), Silence(), HONEST], tmp_path
    ) as asked:
        for n in range(2):
            task = asyncio.create_task(asked.reply())
            await _until(lambda n=n: len(asked.server.requests) > n and (n or "Begun" in asked.heard))
            begun = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await _until(lambda n=n: len(asked.server.left) > n)
            assert asked.server.left[n] - begun < 1
        await asked.honest()


async def test_cancelling_ends_a_wait(provider: str, tmp_path: Path) -> None:
    async with asking(provider, [fault(429, retry_after=5)], tmp_path) as asked:
        waiting = asyncio.Event()

        async def sleep(seconds: float) -> None:
            waiting.set()
            await asyncio.sleep(seconds)

        asked.model._patience = Patience(sleep=sleep)  # type: ignore[attr-defined]
        task = asyncio.create_task(asked.reply())
        await waiting.wait()
        task.cancel()
        begun = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 1


async def test_a_reply_that_came_whole_counts_though_the_end_was_rude(provider: str, tmp_path: Path) -> None:
    n = len(asked_events(provider)) - 1
    async with asking(provider, [HONEST.but(end="reset", after=n), HONEST], tmp_path) as asked:
        assert (await asked.reply()).text == HONEST.text
        assert asked.slept == []
        await asked.honest()


def asked_events(provider: str) -> list[bytes]:
    from scripted_models import Request, anthropic_server, openai_server

    server = openai_server() if provider == "openai" else anthropic_server()
    return server.events(HONEST, Request("", {}, {"stream_options": {"include_usage": True}}, 0))


async def _until(true: Callable[[], object]) -> None:
    while not true():  # noqa: ASYNC110
        await asyncio.sleep(0.005)


async def _loaded(model: object) -> None:
    """The provider's library takes its time; a test of limits does not mean that."""
    model._wire = await asyncio.to_thread(model._make_wire, model._endpoint)  # type: ignore[attr-defined]


@given(st.integers(1, 60), st.none() | st.floats(0, 1e6), st.floats(0, 1))
def test_waits_are_never_shorter_than_asked_and_never_without_end(
    n: int, asked: float | None, chance: float
) -> None:
    wait = Patience(chance=lambda: chance).wait(n, asked)
    assert wait >= (0.25 if asked is None else asked)
    assert wait <= (20 if asked is None else asked * 1.11)


@pytest.mark.parametrize("text", ["", "soon", "nan", "inf", "Thu, 99 Foo 2026", "-"])
def test_a_header_that_makes_no_sense(text: str) -> None:
    assert seconds_of(text) is None


def test_headers() -> None:
    assert seconds_of("-5") == 0
    assert seconds_of("Wed, 21 Oct 2015 07:28:00 GMT", lambda: 1445412480.0 - 90) == 90
    assert seconds_of("Wed, 21 Oct 2015 07:28:00 GMT", lambda: 1445412480.0 + 90) == 0
    assert wait_of({"retry-after": "9", "retry-after-ms": "1500"}) == 1.5
    assert wait_of({}) is None
