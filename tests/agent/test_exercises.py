"""From a stub to a verified green: a reply that is not good enough, then one that is."""

from __future__ import annotations

import os
import random
from itertools import pairwise
from pathlib import Path

import pytest

from agent.exercises import EXERCISES, Exercise, plain
from agent.solving import workshop
from boxes import SEED
from scripted_models import call, say
from scripted_models.script import Line
from untilgreen_sandbox.box import Interpreter

WAYS = (("openai", "tools"), ("openai", "text"), ("anthropic", "tools"), ("anthropic", "text"))


def chosen(way: int) -> list[Exercise]:
    """Three for each way, others for each; all of them in a soak."""
    if os.environ.get("UNTILGREEN_SOAK"):
        return list(EXERCISES)
    mixed = random.Random(SEED).sample(EXERCISES, len(EXERCISES))
    return mixed[way :: len(WAYS)][:3]


def by_tools(exercise: Exercise) -> list[Line]:
    """Reads, writes, ends its turn too early, and does better when it hears why."""
    return [
        say("1. Read the tests.\n2. Write the code.") + call("read_file", path=exercise.test_path),
        call("write_file", path=exercise.path, content=plain(exercise.wrong)),
        say("That should do."),
        say("The cause: cases that the first version left out.")
        + call("write_file", path=exercise.path, content=plain(exercise.right))
        + call("run_tests"),
    ]


def by_text(exercise: Exercise) -> list[Line]:
    """Quotes what is there, and replaces it."""
    steps = (plain(exercise.stub), plain(exercise.wrong), plain(exercise.right))
    blocks = [
        f"{exercise.path}\n```python\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n```\n"
        for old, new in pairwise(steps)
    ]
    return [
        say(f"I write it now.\n\n{blocks[0]}"),
        say(f"Some cases were left out.\n\n{blocks[1]}That is all."),
    ]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("way", range(len(WAYS)), ids=[" ".join(way) for way in WAYS])
async def test_from_stub_to_green(way: int, tmp_path: Path, bare_environment: Interpreter) -> None:
    provider, form = WAYS[way]
    async with workshop(tmp_path, bare_environment) as shop:
        for exercise in chosen(way):
            script = by_tools(exercise) if form == "tools" else by_text(exercise)
            tools = "auto" if form == "tools" else "off"
            solved = await shop.solve(exercise.files, script, provider=provider, model_tools=tools)
            assert solved.kind == "green", (exercise.name, solved.reason)
            assert solved.verdict is not None
            attempts = solved.verdict.attempts
            assert solved.content(exercise.path).decode() == plain(exercise.right), exercise.name
            assert attempts[0].faults and not attempts[-1].faults, exercise.name
            assert solved.verdict.spent.tokens == 120 * len(script), exercise.name
            assert sum(attempt.spent.tokens for attempt in attempts) == 120 * len(script)
            assert solved.unused == 0
            assert bool(solved.requests[0].body.get("tools")) == (form == "tools")
