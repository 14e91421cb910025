"""Whatever a user does, and however long things take: the laws of watch mode, with random days."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from boxes import SEED, SOAK
from untilgreen.watching.hand import Hand
from untilgreen.watching.pilot import Pilot
from untilgreen.watching.quota import WINDOW_SECONDS, FixQuota
from untilgreen.watching.steps import Fix, Solved, Step
from watch.moments import PACE, TESTS, Apply, Look, Looked, Offer, Solve, Stop, Test, Tested

FILES = ("a.py", "b.py", "c.py")


class RandomDay:
    """A user, a machine of any speed, and a pilot between them; contents are numbers."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.now = 0.0
        self.pilot = Pilot("fix", PACE, Hand(PACE, FixQuota(PACE.fixes)))
        self.buffer = dict.fromkeys(FILES, 0)
        self.disk = dict.fromkeys(FILES, 0)
        self.seen = dict.fromkeys(FILES, 0)
        """At the last look."""
        self.tested = dict.fromkeys(FILES, 0)
        self.keys: dict[str, float] = {}
        self.running: Step | None = None
        self.ran_on: dict[str, int] = {}
        self.looking: frozenset[str] | None = None
        self.stopping = False
        self.wrote: list[tuple[float, str]] = []
        self.counter = 0

    def live(self, moments: int) -> None:
        for _ in range(moments):
            self.now += self.chance.choice([0.0, 0.01, 0.1, 0.25, 1.0, 2.5, 30.0])
            acts = [self._type, self._save, self._finish, self._finish_look, self._finish]
            self.chance.choice(acts if self.chance.random() < 0.95 else [self._close])()
            self._steer()

    def calm(self) -> None:
        """Nobody does anything any more, and all comes to its end."""
        for _ in range(60):
            self.now += 3.0
            self._finish_look()
            self._finish(well=True)
            self._steer()

    def _steer(self) -> None:
        for _ in range(100):
            step = self.pilot.next(self.now)
            if step is None:
                wake = self.pilot.wake(self.now)
                assert wake is None or wake > self.now, "it would never sleep"
                return
            if isinstance(step, Look):
                assert self.looking is None
                self.looking = step.paths or frozenset()
            elif isinstance(step, Stop):
                assert self.running is not None and not self.stopping
                self.stopping = True
            else:
                assert self.running is None, "one at a time"
                self._begin(step)
        raise AssertionError("it never comes to rest")

    def _begin(self, step: Step) -> None:
        self.running, self.stopping = step, False
        self.ran_on = dict(self.disk)
        self.pilot.started(step)
        if isinstance(step, Apply):
            assert all(self.buffer[path] == self.disk[path] for path in self.fix.paths), "unsaved text"
            assert all(self.now - self.keys.get(path, -9) >= PACE.idle for path in self.fix.paths), "typing"
            for path in self.fix.paths:
                recent = [at for at, name in self.wrote if name == path and at > self.now - WINDOW_SECONDS]
                assert len(recent) < PACE.fixes, "too many fixes"

    def _type(self) -> None:
        path = self.chance.choice(FILES)
        self.counter += 1
        self.buffer[path] = self.counter
        self.keys[path] = self.now
        self.pilot.typed(path, self.now)

    def _save(self) -> None:
        path = self.chance.choice(FILES)
        self.disk[path] = self.buffer[path]
        self.pilot.saved(path)
        self.pilot.touched([path], self.now)

    def _close(self) -> None:
        """Without saving."""
        path = self.chance.choice(FILES)
        self.buffer[path] = self.disk[path]
        self.keys.pop(path, None)
        self.pilot.closed(path, self.now)

    def _finish_look(self) -> None:
        if self.looking is None:
            return
        changed = tuple(path for path in FILES if self.disk[path] != self.seen[path])
        self.seen, self.looking = dict(self.disk), None
        self.pilot.looked(Looked(changed), self.now)

    def _finish(self, *, well: bool = False) -> None:
        step, self.running = self.running, None
        if isinstance(step, Test | Solve) and (self.stopping or (not well and self.chance.random() < 0.1)):
            if self.stopping:
                self.pilot.interrupted()
            else:
                self.pilot.failed("somebody else is at work", self.now, again=True)
        elif isinstance(step, Test | Apply) and not well and self.chance.random() < 0.1:
            # A run that timed out, or a write that was refused.
            self.tested = self.ran_on if isinstance(step, Test) else self.tested
            self.pilot.failed("it cannot be done", self.now, again=False)
        elif isinstance(step, Test):
            self.tested = self.ran_on
            red = tuple(test for test in TESTS if self.chance.random() < 0.5)
            first = step.part != "rest"
            left = first and self.chance.random() < 0.5
            self.pilot.tested(Tested(True, red, TESTS, None if first else (), left))
        elif isinstance(step, Solve):
            files = tuple(sorted(self.chance.sample(FILES, self.chance.randint(1, 2))))
            self.fix = Fix(f"job {self.now}", files, step.tests)
            found = self.chance.random() < 0.7
            self.pilot.solved(Solved(self.fix if found else None, "Not green."))
        elif isinstance(step, Apply):
            if not well and self.chance.random() < 0.1:
                self.pilot.failed("somebody else is at work", self.now, again=True)
            else:
                self._write()
        elif isinstance(step, Offer):
            self.pilot.offered()

    def _write(self) -> None:
        paths = self.fix.paths
        if any(self.buffer[path] != self.ran_on[path] for path in paths):
            self.pilot.not_applied("You changed it meanwhile.")
            return
        for path in paths:
            self.counter += 1
            self.buffer[path] = self.disk[path] = self.seen[path] = self.tested[path] = self.counter
            self.wrote.append((self.now, path))
        self.pilot.applied(paths, Tested(True, (), TESTS, ()), self.now)


@given(st.randoms(use_true_random=False), st.integers(5, 120))
def test_laws_of_a_random_day(chance: random.Random, moments: int) -> None:
    day = RandomDay(chance)
    day.live(moments)
    day.calm()
    assert day.tested == day.disk, "the last that was saved was never tested"
    assert day.running is None and day.pilot.at_rest
    assert day.pilot.wake(day.now) is None, "at rest nothing is waited for"


@pytest.mark.parametrize("number", range(200 if SOAK else 20))
def test_laws_of_a_long_day(number: int) -> None:
    day = RandomDay(random.Random(f"{SEED} {number}"))
    day.live(1500)
    day.calm()
    assert day.tested == day.disk
    assert day.wrote, "on such a day something is fixed"
