"""The doctor asks the model once and says what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from models.asked import KEY, SERVERS
from scripted_models import Raw, fault, say
from untilgreen.doctor import _model
from untilgreen.settings import Settings


async def _checked(provider: str, line: Any, folder: Path, solver: str = "auto") -> Any:
    async with SERVERS[provider]([line]) as server:
        settings = Settings(
            solver=solver,
            model="a-model",
            model_base_url=server.base_url,
            model_provider=provider,
            model_key_env="MY_KEY",
        )
        check = await _model(settings, {"MY_KEY": KEY, "UNTILGREEN_CACHE": str(folder)})
        assert len(server.requests) == 1, "one cheap call"
        assert server.requests[0].body["max_tokens"] <= 16
        assert server.wait_until_all_left()
    assert KEY not in repr(check)
    return check


async def test_it_answers(provider: str, tmp_path: Path) -> None:
    check = await _checked(provider, say("ok"), tmp_path)
    assert check.state == "good"
    assert "a-model at 127.0.0.1" in check.detail and "not known yet" in check.detail


@pytest.mark.parametrize(
    ("line", "words", "remedy"),
    [
        (fault(401), "did not accept the key in MY_KEY", "Check it there."),
        (fault(402), "no credit left", "billing"),
        (fault(404), "no model 'a-model'", "Set `model`"),
        (fault(429), "rate limit", ""),
        (fault(503), "a fault of its own", ""),
        (Raw(b"<html>", content_type="text/html"), "a web page", "model_base_url"),
    ],
)
async def test_what_is_wrong(provider: str, line: Any, words: str, remedy: str, tmp_path: Path) -> None:
    check = await _checked(provider, line, tmp_path)
    assert check.state == "note", "offline repair works all the same"
    assert words in check.detail and remedy in check.remedy


async def test_who_wants_only_a_model_cannot_solve_without(provider: str, tmp_path: Path) -> None:
    assert (await _checked(provider, fault(401), tmp_path, "model")).state == "bad"
    check = await _model(Settings(solver="model"), {})
    assert (check.state, check.detail) == ("bad", "No model is set.")
    assert "OPENAI_API_KEY" in check.remedy


@pytest.mark.parametrize("solver", ["offline", "scripted:x.json"])
async def test_who_asks_no_model_needs_none(solver: str) -> None:
    assert (await _model(Settings(solver=solver), {"OPENAI_API_KEY": KEY})).state == "good"
