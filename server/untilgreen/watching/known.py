"""What the tests said last: which fail, which cannot run here, and whether all that is known. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from untilgreen.watching.steps import Tested

T = TypeVar("T")


class Known:
    """Nothing is green that was not seen to be: no test, and no run to its end, is not green."""

    def __init__(self) -> None:
        self.sure = False
        """Whether the last run came to its end, and told of tests."""
        self.red: dict[str, None] = {}
        """Tests that a change of the code could make pass."""
        self.blocked: dict[str, str] = {}
        """Tests that fail for reasons outside the code, and what to do about it."""
        self._unread: dict[str, str] = {}

    def learn(self, told: Tested) -> None:
        self.sure = True
        self.red = _laid_over(self.red, dict.fromkeys(told.red), told)
        self.blocked = _laid_over(self.blocked, told.blocked, told)
        self._unread = _laid_over(self._unread, told.unread, told)

    def lose(self) -> None:
        """A run did not come to its end: what was known spoke of other code."""
        self.sure = False

    @property
    def green(self) -> bool:
        return self.sure and not self.red and not self.blocked

    @property
    def only_blocked(self) -> bool:
        """Whether nothing but the environment is in the way."""
        return self.sure and bool(self.blocked) and not self.red

    @property
    def unread(self) -> str:
        """Which file does not parse, in a clause: a test fails because of it; empty when none does."""
        return next(iter(self._unread.values()), "")

    def mends(self, tests: Iterable[str]) -> bool:
        """Whether a fix of these tests still mends something, for all that is known."""
        return not self.sure or any(test in self.red for test in tests)


def _laid_over(before: Mapping[str, T], now: Mapping[str, T], told: Tested) -> dict[str, T]:
    ran = set(told.ran)
    kept = {} if told.whole else {test: value for test, value in before.items() if test not in ran}
    return {**kept, **now}
