"""Names that nobody can guess, and that a project's conventions still take for names of tests."""

from __future__ import annotations

import random

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
_LENGTH = 12


class Names:
    """Made from one source of chance, so that the same source makes the same names again."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def word(self) -> str:
        return "".join(self._chance.choice(_LETTERS) for _ in range(_LENGTH))

    def private(self) -> str:
        """For what is no test."""
        return f"_u{self.word()}"

    def test(self, name: str, order: int) -> str:
        """Like `name` to whatever collects tests; unittest sorts, and so these are sorted as their groups."""
        middle = f"{order:04d}{self.word()}"
        if name.startswith("test"):
            return f"test_{middle}"
        words = name.split("_")
        return f"{words[0]}_{middle}_{words[-1]}"
