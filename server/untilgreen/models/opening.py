"""The models of one job: asked over the network, written down on the way, or played from a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from untilgreen.errors import UsageError
from untilgreen.models.choosing import choose, open_model
from untilgreen.models.model import Model
from untilgreen.models.recorded import Recording, Replaying, Tape
from untilgreen.settings import Settings


@dataclass(frozen=True, slots=True)
class Models:
    small: Model
    strong: Model | None = None

    async def close(self) -> None:
        await self.small.close()
        if self.strong is not None:
            await self.strong.close()


def open_models(
    settings: Settings, environ: Mapping[str, str], *, record: Path | None = None, replay: Path | None = None
) -> Models:
    """Ready to be asked. Raises `ModelError` when none is set; a replay needs neither key nor network."""
    if replay is not None:
        tape = Tape(replay)
        if not tape.models:
            raise UsageError(f"{replay} holds no call of a model.")
        played = [Replaying(tape, name) for name in tape.models]
        return Models(played[0], played[1] if len(played) > 1 else None)
    chosen = choose(settings, environ)
    models = [open_model(endpoint, environ) for endpoint in (chosen.small, chosen.strong) if endpoint]
    if record is not None:
        models = [Recording(model, record) for model in models]
    return Models(*models)
