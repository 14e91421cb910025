"""Who is asked for a fix, one after the other: what the settings name, and the models behind it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from untilgreen.errors import ModelError, UsageError
from untilgreen.settings import Settings
from untilgreen.solvers import Solver
from untilgreen.solvers.scripted import ScriptedSolver

if TYPE_CHECKING:
    from untilgreen.models import Message, Model, Tool
    from untilgreen.models.endpoint import Endpoint

CONNECT_SECONDS = 1.5


@dataclass(frozen=True, slots=True)
class Wishes:
    """What a user wants of one job besides its settings."""

    preview: Callable[[tuple[Message, ...], tuple[Tool, ...]], None] | None = None
    """Gets what would be sent to a model first; nothing is sent then."""
    record: Path | None = None
    """Where to write down what models are asked and say."""
    replay: Path | None = None
    """A recording to play instead of asking anybody."""


NO_WISHES = Wishes()


@dataclass(frozen=True, slots=True)
class Ladder:
    """The solvers, the cheapest first."""

    solvers: tuple[Solver, ...]
    models: tuple[Model, ...] = ()
    endpoint: Endpoint | None = None
    """The only hope: when nobody answers there, nothing has to be started."""
    hint: str = ""
    """What could be set up so that more can be done."""

    async def check(self) -> None:
        """Before a sandbox starts: a server of the user's own that does not run is told at once."""
        from untilgreen.models.endpoint import is_private

        if self.endpoint is None or not is_private(self.endpoint.base_url):
            return
        parts = urlsplit(self.endpoint.base_url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                _, writer = await asyncio.open_connection(parts.hostname, port)
        except TimeoutError:
            return
        except OSError as error:
            raise ModelError(
                f"Nobody answers at {self.endpoint.place}: {error.strerror or error}.",
                "Start the model server, or correct `model_base_url`.",
            ) from error
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()

    async def close(self) -> None:
        for model in self.models:
            await model.close()


def build(settings: Settings, environ: Mapping[str, str], wishes: Wishes = NO_WISHES) -> Ladder:
    """Raises `ModelError` when only a model is wanted and none can be asked."""
    name = settings.solver
    if wishes != NO_WISHES and name not in ("auto", "model"):
        wish = "--show-prompt" if wishes.preview is not None else "a recording"
        raise UsageError(f"The solver {name!r} asks no model; {wish} needs --solver auto or model.")
    if name.startswith("scripted:"):
        return Ladder(ScriptedSolver.load(Path(name.removeprefix("scripted:"))))
    if name == "offline":
        return Ladder((_offline(),))
    try:
        return _with_models(settings, environ, wishes)
    except ModelError as error:
        if name == "model":
            raise
        hint = f"A model could write what a search for small changes cannot find. {error}"
        return Ladder((_offline(),), hint=hint)


def _with_models(settings: Settings, environ: Mapping[str, str], wishes: Wishes) -> Ladder:
    # Nobody else waits for these to load.
    from untilgreen.models.choosing import choose
    from untilgreen.models.opening import open_models
    from untilgreen.solvers.agent import AgentSolver
    from untilgreen.solvers.agent.redaction import secrets_of

    if wishes.record is not None and wishes.replay is not None:
        raise UsageError("A recording is either made or played: use --record or --replay.")
    if wishes.preview is not None:
        settings = _anybody(settings, environ)
    opened = open_models(settings, environ, record=wishes.record, replay=wishes.replay)
    models = (opened.small,) if opened.strong is None else (opened.small, opened.strong)
    chosen = choose(settings, environ) if wishes.replay is None else None
    secrets = (*secrets_of(environ), *((chosen.small.key,) if chosen is not None else ()))
    alone = settings.solver == "model"
    agents = tuple(
        AgentSolver(
            model,
            "model" if n == 0 else "model:strong",
            raises=alone and n == len(models) - 1,
            stronger_follows=n < len(models) - 1,
            known_secrets=secrets,
            preview=wishes.preview,
        )
        for n, model in enumerate(models[:1] if wishes.preview is not None else models)
    )
    first: tuple[Solver, ...] = () if alone else (_offline(),)
    is_only = alone and len(models) == 1 and wishes.preview is None
    return Ladder((*first, *agents), models, chosen.small if chosen is not None and is_only else None)


def _offline() -> Solver:
    # Most commands repair nothing, and its templates take a tenth of the time in which they start.
    from untilgreen.solvers.offline import OfflineSolver

    return OfflineSolver()


def _anybody(settings: Settings, environ: Mapping[str, str]) -> Settings:
    """What would be sent can be seen before there is anybody to send it to."""
    from untilgreen.models.choosing import choose

    try:
        choose(settings, environ)
    except ModelError:
        nowhere = {"model_base_url": "http://localhost", "model": settings.model or "any model"}
        return settings.model_copy(update={**nowhere, "model_key_env": "", "model_provider": "openai"})
    return settings
