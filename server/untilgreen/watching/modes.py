"""How much watch mode does in a workspace; kept in the user's own folder, never in the repository."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Literal, get_args

from untilgreen.intent import write_atomic
from untilgreen.undo_records import one_name
from untilgreen.workspace import digest_of

Mode = Literal["off", "diagnose", "suggest", "fix"]
MODES: tuple[Mode, ...] = get_args(Mode)


def mode_named(name: str) -> Mode | None:
    """None when there is no such mode."""
    return next((mode for mode in MODES if mode == name), None)


class Modes:
    """What the user chose for each workspace."""

    def __init__(self, state: Path) -> None:
        self._folder = state / "watch"

    def of(self, root: Path, otherwise: Mode) -> Mode:
        """What was chosen last; what cannot be read was not chosen. Blocking."""
        try:
            value = json.loads(self._path(root).read_bytes())
            return mode_named(str(value["mode"])) or otherwise
        except (OSError, ValueError, KeyError, TypeError):
            return otherwise

    def choose(self, root: Path, mode: Mode) -> None:
        """Blocking."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomic(self._path(root), json.dumps({"v": 1, "root": one_name(root), "mode": mode}).encode())

    def forget(self, root: Path) -> None:
        with contextlib.suppress(OSError):
            self._path(root).unlink()

    def _path(self, root: Path) -> Path:
        return self._folder / f"{digest_of(os.fsencode(one_name(root)))}.json"
