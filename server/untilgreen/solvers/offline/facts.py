"""What was seen while tests ran, and what the failing tests mention. All of it may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Facts:
    """Of one function, as the failing tests saw it."""

    types: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Name of a variable or argument (also `self.name`) to the names of the types it had."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name to some of its values, as they are shown."""
    raised: tuple[tuple[str, str], ...] = ()
    """Type and message of what the failing tests raised."""
    lines: Mapping[int, float] = field(default_factory=dict)
    """Line to suspicion, 0 to 1. When empty, every line is as good as the other."""
    test_names: frozenset[str] = frozenset()
    test_strings: frozenset[str] = frozenset()
    test_numbers: frozenset[int | float] = frozenset()
    signatures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Functions of the project by their last name, with the names of their parameters."""

    def has_raised(self, *types: str) -> bool:
        """Whether a failing test ended with one of these exceptions."""
        return any(kind.rpartition(".")[2] in types for kind, _ in self.raised)

    @property
    def misses_refusal(self) -> bool:
        """Whether a failing test waited for an exception in vain."""
        return any("DID NOT RAISE" in message or " not raised" in message for _, message in self.raised)


NO_FACTS = Facts()
