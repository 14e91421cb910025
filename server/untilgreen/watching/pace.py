"""How patient watch mode is, in seconds."""

from __future__ import annotations

from dataclasses import dataclass

from untilgreen.settings import Settings


@dataclass(frozen=True, slots=True)
class Pace:
    """How patient it is, in seconds."""

    settle: float = 0.2
    calm: float = 2.0
    """After many changes at once."""
    idle: float = 2.0
    """Without a save before the other tests run; without a keystroke before a file is changed."""
    again: float = 1.0
    """Until it is tried again when somebody else is at work."""
    begun: float = 60.0
    """How long a function that was just begun is waited for."""
    mass: int = 100
    """More files than anybody saves by hand."""
    fixes: int = 3


def pace_of(settings: Settings) -> Pace:
    return Pace(settle=settings.watch_settle_ms / 1000, fixes=settings.watch_fixes)
