"""Whatever a model does wrong: it hears why, the tree is intact, and an honest reply still solves."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from agent.faults import BLOCK, RIGHT, SECRET, WRONG, WRONGS, Wrong
from agent.solving import PROJECT, Solved, workshop
from boxes import SEED
from scripted_models import call, fault, say
from untilgreen.errors import ModelError
from untilgreen_sandbox.box import Interpreter

ALWAYS = ("obeys the output",)
PART = 5
"""Of these parts one is tried, by the seed, and all of them in a soak."""


def chosen() -> tuple[Wrong, ...]:
    if os.environ.get("UNTILGREEN_SOAK"):
        return WRONGS
    mixed = random.Random(SEED).sample(WRONGS, len(WRONGS))
    always = [wrong for wrong in WRONGS if wrong.name in ALWAYS]
    return (*always, *(wrong for wrong in mixed[::PART] if wrong not in always))


def said(solved: Solved, n: int) -> str:
    """What the model is told in one request, plain."""
    return "\n".join(str(message["content"]) for message in solved.requests[n].body["messages"])


@pytest.mark.timeout(600)
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_an_honest_reply_still_solves(
    provider: str, tmp_path: Path, bare_environment: Interpreter
) -> None:
    wrongs = chosen()
    async with workshop(tmp_path, bare_environment) as shop:
        for wrong in wrongs[:: 1 if provider == "openai" else 3]:
            solved = await shop.solve(wrong.files, (*wrong.lines, *wrong.honest), provider=provider)
            assert solved.kind == "green", (wrong.name, solved.reason)
            assert solved.verdict is not None
            assert solved.verdict.patch.paths == ("calc.py",), wrong.name
            assert len(solved.verdict.attempts) == wrong.spends + 1, wrong.name
            assert wrong.hears in said(solved, -len(wrong.honest)), wrong.name
            assert solved.unused == 0, wrong.name
            assert SECRET not in "".join(solved.heard(n) for n in range(len(solved.requests)))
            if SECRET in str(wrong.files):
                assert SECRET.encode() in solved.content("calc.py"), "it is put back"
            ends = {line[-2:] for line in solved.content("calc.py").splitlines(keepends=True)}
            assert (ends == {b"\r\n"}) == (wrong.name == "other line ends"), "line ends stay"


async def test_without_tools(tmp_path: Path, bare_environment: Interpreter) -> None:
    """A server that knows no tools, one that ignores them, and what can go wrong in text."""
    good = BLOCK.format(path="calc.py", old=WRONG, new=RIGHT)
    bad = BLOCK.format(path="test_calc.py", old="    assert add(1, 2) == 3\n", new="    pass\n")
    async with workshop(tmp_path, bare_environment) as shop:
        refusing = fault(400, "This model does not support tools.")
        solved = await shop.solve(
            PROJECT, [refusing, say(bad), say(good[:-12]), say(f"Sure!\n{good}\nDone.")]
        )
        assert solved.kind == "green", solved.reason
        assert "tests are never changed" in said(solved, 2)
        assert "A block is not complete" in said(solved, 3)
        assert solved.requests[0].body["tools"] and "tools" not in solved.requests[1].body

        solved = await shop.solve(PROJECT, [say(f"Plan: add.\n\n{bad}"), say(good)])
        assert solved.kind == "green", solved.reason
        assert solved.requests[0].body["tools"] and "tools" not in solved.requests[1].body
        assert solved.told[-1].startswith("Plan: add.")


async def test_how_it_ends_without_a_fix(tmp_path: Path, bare_environment: Interpreter) -> None:
    """Every end has its reason, and what was good enough to keep is kept."""
    async with workshop(tmp_path, bare_environment) as shop:
        solved = await shop.solve(PROJECT, [call("give_up", reason="The tests contradict each other.")])
        assert (solved.kind, solved.error) == ("stuck", None)
        assert "the model gave up: The tests contradict each other" in solved.reason

        solved = await shop.solve(PROJECT, [], otherwise=say("No.", stopped="refused"))
        assert solved.kind == "stuck" and "the model refused" in solved.reason

        solved = await shop.solve(PROJECT, [], otherwise=say("Well, hm."))
        assert solved.kind == "stuck" and "in a way that could be used" in solved.reason
        assert len(solved.requests) < 10

        solved = await shop.solve(PROJECT, [], otherwise=fault(401))
        assert isinstance(solved.error, ModelError) and solved.error.exit_code == 4

        solved = await shop.solve(PROJECT, [], max_tokens=5_000, otherwise=say("never"))
        assert solved.kind == "budget" and not solved.requests
