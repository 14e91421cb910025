"""What runs of the user's own code imported: known to all boxes of a workspace, done ahead by templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Imported:
    """Hints: a module that is missing here is imported by each run, and nothing else changes."""

    modules: list[str] = field(default_factory=list)
    """From elsewhere, in the order in which they were imported."""
    plain: list[str] = field(default_factory=list)
    """Files of the workspace that Python compiled, and those that pytest rewrote."""
    rewritten: list[str] = field(default_factory=list)

    def learn(self, told: Mapping[str, list[str]], *, of_all_tests: bool) -> None:
        """A run of some tests adds to what is known; a run of all says what is true now."""
        for name in ("modules", "plain", "rewritten"):
            known = [] if of_all_tests else getattr(self, name)
            setattr(self, name, list(dict.fromkeys((*known, *told.get(name, ())))))

    def told(self) -> dict[str, list[str]]:
        return {"modules": self.modules, "plain": self.plain, "rewritten": self.rewritten}
