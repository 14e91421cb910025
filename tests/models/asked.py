"""A model that is asked through a scripted server, and what its patience did."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from scripted_models import ScriptedServer, anthropic_server, openai_server, say
from scripted_models.script import Line
from untilgreen.models.choosing import choose, open_model
from untilgreen.models.model import Message, Model, Reply, Tool
from untilgreen.models.patience import Patience
from untilgreen.settings import Settings

SERVERS = {"openai": openai_server, "anthropic": anthropic_server}
KEY = "sk-secret-0123456789abcdef"
HONEST = say("All is well.")
QUESTION = (Message("system", "Be brief."), Message("user", "How is it?"))
TOOLS = (
    Tool("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}}),
    Tool("run_tests", "Run the tests.", {"type": "object", "properties": {}}),
)


@dataclass
class Asked:
    provider: str
    server: ScriptedServer
    model: Model
    heard: list[str] = field(default_factory=list)
    slept: list[float] = field(default_factory=list)
    """How long it would have waited before each retry."""

    async def reply(self, *, tools: Sequence[Tool] = (), **more: Any) -> Reply:
        return await self.model.reply(QUESTION, tools, heard=self.heard.append, **more)

    async def honest(self) -> None:
        """Whatever happened before, the next honest reply arrives."""
        assert (await self.model.reply(QUESTION)).text == HONEST.text


@asynccontextmanager
async def asking(
    provider: str,
    script: Sequence[Line],
    folder: Path,
    *,
    otherwise: Line | None = None,
    name: str = "a-model",
    tries: int = 5,
    **settings: Any,
) -> AsyncIterator[Asked]:
    """Ends well only when the whole script was used and no connection is left."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await asyncio.sleep(0)

    async with SERVERS[provider](script, otherwise) as server:
        chosen = Settings(
            model=name,
            model_base_url=server.base_url,
            model_provider=provider,
            model_key=SecretStr(KEY),
            **settings,
        )
        patience = Patience(tries, sleep=sleep, chance=lambda: 1.0)
        model = open_model(choose(chosen, {}).small, {"UNTILGREEN_CACHE": str(folder)}, patience)
        asked = Asked(provider, server, model, slept=slept)
        try:
            yield asked
        finally:
            await model.close()
        assert await asyncio.to_thread(server.wait_until_all_left)
        assert server.unused == 0


def model_at(provider: str, url: str, folder: Path, **settings: Any) -> Model:
    """With the patience of every day."""
    chosen = Settings(model="a-model", model_base_url=url, model_provider=provider, **settings)
    return open_model(choose(chosen, {}).small, {"UNTILGREEN_CACHE": str(folder)})
