"""What runs of the user's own code imported: known to all boxes of a workspace, done ahead by templates."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Imported:
    """Hints: what is missing here is done by each run for itself, and nothing else changes."""

    modules: list[str] = field(default_factory=list)
    """From elsewhere, in the order in which they were imported."""
    plain: list[str] = field(default_factory=list)
    """Files of the workspace that Python compiled, and those that pytest rewrote."""
    rewritten: list[str] = field(default_factory=list)
    uses: dict[str, list[str]] = field(default_factory=dict)
    """Which files of the workspace each of them was seen to have something of."""

    def learn(self, told: Imported, *, of_all_tests: bool) -> None:
        """A run of some tests adds to what is known; a run of all says what is true now."""
        known = Imported() if of_all_tests else self
        self.modules = list(dict.fromkeys((*known.modules, *told.modules)))
        self.plain = list(dict.fromkeys((*known.plain, *told.plain)))
        self.rewritten = list(dict.fromkeys((*known.rewritten, *told.rewritten)))
        self.uses = known.uses | told.uses

    def told(self) -> dict[str, object]:
        return {
            "modules": self.modules,
            "plain": self.plain,
            "rewritten": self.rewritten,
            "uses": self.uses,
        }
