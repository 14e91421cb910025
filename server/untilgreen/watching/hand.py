"""The fix that was found, until it is written, offered or dropped: whether, and when. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from untilgreen.watching.keyboard import Keyboard
from untilgreen.watching.modes import Mode
from untilgreen.watching.pace import Pace
from untilgreen.watching.quota import FixQuota
from untilgreen.watching.steps import Apply, Fix, Offer


class Hand:
    """At most one fix at a time. A file that somebody types in is left alone."""

    def __init__(self, pace: Pace, quota: FixQuota) -> None:
        self.fix: Fix | None = None
        self.keyboard = Keyboard()
        self._quota = quota
        self.repace(pace)
        self._overtaken = False
        """A fix could not be written although nobody was seen to change anything."""

    def repace(self, pace: Pace) -> None:
        self._pace, self._quota.most = pace, pace.fixes

    def drop(self) -> None:
        self.fix = None

    def changed(self, paths: Iterable[str]) -> None:
        """The user saved these: a fix of nothing but these may move along, any other speaks of old code."""
        self._overtaken = False
        if self.fix is not None and not set(paths) <= set(self.fix.paths):
            self.fix = None

    def wrote(self, paths: Iterable[str], now: float) -> None:
        """By ourselves."""
        self._quota.wrote(paths, now)

    def only_offer(self, why: str) -> None:
        """It could not be written, and will not be: then it is shown."""
        if self.fix is not None:
            self.fix = dataclasses.replace(self.fix, why_not=why.rstrip("."))

    def overtaken(self, why: str) -> bool:
        """The user's files are others than the fix was made for: true when they shall be tested anew.

        Once, as long as nobody is seen to change anything.
        """
        again, self._overtaken = not self._overtaken, True
        if again:
            self.fix = None
        else:
            self.only_offer(why)
        return again

    def step(self, mode: Mode, now: float) -> Apply | Offer | None:
        """What to do with it at this moment; nothing when there is none, or somebody types."""
        fix = self.fix
        if fix is None:
            return None
        if mode != "fix":
            return Offer(fix.job, "")
        if fix.why_not:
            return Offer(fix.job, fix.why_not)
        if path := self._quota.exhausted(fix.paths, now):
            said = f"quiet: {path} was fixed {self._quota.most} times within ten minutes"
            return Offer(fix.job, f"{said}; the next fix is only offered")
        if now < self.quiet_at:
            return None
        if path := self.keyboard.dirty(fix.paths):
            return Offer(fix.job, f"{path} has unsaved changes")
        return Apply(fix.job)

    @property
    def unsaved(self) -> bool:
        """Whether it waits for a file to be saved."""
        return self.fix is not None and bool(self.keyboard.dirty(self.fix.paths))

    @property
    def quiet_at(self) -> float:
        """When nobody will have typed for a while in what the fix changes."""
        return self.keyboard.last(self.fix.paths if self.fix is not None else ()) + self._pace.idle
