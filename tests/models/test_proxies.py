"""Proxies of the environment are for other machines only."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from models.asked import HONEST, QUESTION, SERVERS, asking, model_at
from untilgreen.errors import ModelError


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> int:
    """A proxy is set where nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    return port


async def test_this_machine_is_asked_directly(provider: str, nowhere: int, tmp_path: Path) -> None:
    async with asking(provider, [HONEST], tmp_path) as asked:
        await asked.honest()


async def test_another_machine_is_asked_through_the_proxy(
    provider: str, nowhere: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SERVERS[provider]([HONEST]) as proxy:
        for name in ("HTTP_PROXY", "http_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        model = model_at(
            provider, "http://model-host:8000/v1".removesuffix(proxy.prefix or "/v1") + proxy.prefix, tmp_path
        )
        assert (await model.reply(QUESTION)).text == HONEST.text
        await model.close()
        assert proxy.requests[0].path.startswith("http://model-host:8000/")
        assert proxy.wait_until_all_left()


async def test_a_proxy_that_is_not_there_is_said(provider: str, nowhere: int, tmp_path: Path) -> None:
    model = model_at(provider, "http://model-host:8000/v1", tmp_path)
    model._patience = type(model._patience)(tries=1)  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match="model-host:8000 cannot be reached"):
        await model.reply(QUESTION)
    await model.close()
