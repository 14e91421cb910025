"""A simulated half hour of random edits: the user's text is never touched but by verified fixes, no fix comes
into a file that is not saved, and what was saved last has been tested in the end."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from boxes import SEED, SOAK
from lsp.scripted_box import MARK
from watch.half_hour import PACE, TurnedClock, User, half_hour

pytestmark = pytest.mark.timeout(900)
HALF_HOUR = 1800.0
N_USERS = 10 if SOAK else 2


@pytest.mark.parametrize("number", range(N_USERS))
async def test_half_an_hour_of_work(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with half_hour(tmp_path, f"{SEED} {number}", monkeypatch) as (user, clock):
        desktop, watch, chance = user.desktop, user.watch, user.chance
        end = clock.now() + HALF_HOUR
        while clock.now() < end:
            mine, n_wrote = dict(desktop.buffers), len(desktop.wrote)
            await pass_time(user, clock, chance.choice([0.05, 0.1, 0.3, 1.0, 3.0, 12.0]))
            for wrote in desktop.wrote[n_wrote:]:
                for path, change in wrote.verdict.patch:
                    assert change.content is not None and path in wrote.paths
                    # Every line that the user typed is still there, and in its order.
                    assert typed(change.content.decode()) == typed(mine[path])
                    mine[path] = change.content.decode()
                assert wrote.verdict.kind == "green" and not wrote.verdict.findings
            assert desktop.buffers == mine, "the user's text, and verified fixes"
            assert desktop.fights == []
            await user.act()
        watch.pause("")
        watch.switch("diagnose")
        for path in list(desktop.buffers):
            desktop.save(path)
            watch.saved(path)
        await until_quiet(user, clock)
        assert set(watch.pilot.known.red) == desktop.truth(), "no run was lost"
        assert user.mistakes and desktop.results > 10
        assert desktop.wrote or desktop.offers


async def pass_time(user: User, clock: TurnedClock, seconds: float) -> None:
    """The machine is fast at times and slow at others."""
    fast = user.chance.random() < 0.6
    while seconds > 0:
        clock.turn(min(0.25, seconds))
        seconds -= 0.25
        await asyncio.sleep(0.001)
        if fast:
            await finished(user)


async def finished(user: User) -> None:
    """Whatever runs has come to its end."""
    deadline = time.monotonic() + 120
    while user.watch.at_work:
        assert time.monotonic() < deadline
        await asyncio.sleep(0.002)


async def until_quiet(user: User, clock: TurnedClock) -> None:
    for _ in range(40):
        clock.turn(PACE.idle)
        await asyncio.sleep(0.002)
        await finished(user)
    assert user.watch.pilot.at_rest, user.watch.pilot.message


def typed(text: str) -> list[str]:
    return [line for line in text.split("\n") if line.startswith(MARK)]
