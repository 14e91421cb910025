"""Where the lines of a text that ran are in the text of now. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from untilgreen.lsp.lines import split_lines
from untilgreen.shifting import changed_lines


@dataclass(frozen=True, slots=True)
class Drift:
    """From one text to another."""

    places: tuple[tuple[int, int, int, int], ...]
    """Which lines gave way to which."""
    last: int
    """The last line of the other text, from 0."""

    def line(self, number: int) -> tuple[int, bool]:
        """Where a 0-based line is now, and whether it is still what it was."""
        moved = 0
        for start, end, first, last in self.places:
            if number < start:
                break
            if number < end:
                return min(first + number - start, max(first, last - 1), self.last), False
            moved = last - end
        return min(number + moved, self.last), True


# Asked about on every move of the cursor; the texts are the same until a key is pressed.
@lru_cache(maxsize=64)
def drift(before: str, now: str) -> Drift:
    old, new = split_lines(before), split_lines(now)
    places = changed_lines(old, new, quickly=True)
    if places is None:
        # Too much was changed to say what became of it.
        places = [(0, len(old), 0, len(new))]
    return Drift(tuple(places), len(new) - 1)
