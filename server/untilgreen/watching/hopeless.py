"""Tests that nobody could make pass as the code is: they are not tried again for nothing. Pure."""

from __future__ import annotations

from collections.abc import Iterable


class Hopeless:
    """Until a change affects them."""

    def __init__(self) -> None:
        self._tests: set[str] = set()
        self._until_saved: set[str] = set()

    def add(self, tests: Iterable[str], *, until_saved: bool = False) -> None:
        """With `until_saved`, there is a fix, which waits for a file to be saved."""
        tests = tuple(tests)
        self._tests.update(tests)
        if until_saved:
            self._until_saved.update(tests)

    def saved(self) -> None:
        self._tests -= self._until_saved
        self._until_saved.clear()

    def affected(self, tests: Iterable[str] | None) -> None:
        """These may be others now; None: all may be."""
        if tests is None:
            self._tests.clear()
        else:
            self._tests.difference_update(tests)

    def without(self, tests: Iterable[str]) -> tuple[str, ...]:
        return tuple(test for test in tests if test not in self._tests)
