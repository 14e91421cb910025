"""A pilot and the moments of its day: what a test says happens, and what the pilot does then."""

from __future__ import annotations

from untilgreen.watching.hand import Hand
from untilgreen.watching.modes import Mode
from untilgreen.watching.pace import Pace
from untilgreen.watching.pilot import Pilot
from untilgreen.watching.quota import FixQuota
from untilgreen.watching.steps import Apply, Fix, Look, Looked, Offer, Solve, Solved, Step, Stop, Test, Tested

PACE = Pace(settle=0.2, calm=2.0, idle=2.0, again=1.0, mass=100, fixes=3)
TESTS = ("test_a.py::test_one", "test_a.py::test_two")


class Day:
    """Time goes on only when somebody says so."""

    def __init__(self, mode: Mode = "fix", pace: Pace = PACE) -> None:
        self.now = 1000.0
        self.pilot = Pilot(mode, pace, Hand(pace, FixQuota(pace.fixes)))
        self.done: list[Step] = []

    def steps(self, seconds: float = 0.0) -> list[Step]:
        """What is begun from now on in so much time; whatever runs goes on running."""
        end = self.now + seconds
        begun: list[Step] = []
        while True:
            while (step := self.pilot.next(self.now)) is not None:
                begun.append(step)
                if not isinstance(step, Look | Stop):
                    self.pilot.started(step)
            wake = self.pilot.wake(self.now)
            if wake is None or wake > end:
                break
            assert wake > self.now, "it would never sleep"
            self.now = wake
        self.now = end
        self.done += begun
        return begun

    def step(self, seconds: float = 0.0) -> Step | None:
        steps = self.steps(seconds)
        assert len(steps) <= 1, steps
        return steps[0] if steps else None

    def save(self, *paths: str, **seen: object) -> Test:
        """The user saves, and nothing but that happens until the tests begin."""
        self.touch(*paths, **seen)
        step = self.step()
        assert isinstance(step, Test) and step.part == "first", step
        return step

    def touch(self, *paths: str, **seen: object) -> None:
        self.pilot.touched(paths, self.now)
        look = self.step(PACE.settle)
        assert look == Look(frozenset(paths)), look
        self.look(*paths, **seen)

    def look(self, *changed: str, **seen: object) -> None:
        self.pilot.looked(Looked(changed, **seen), self.now)  # type: ignore[arg-type]

    def red(
        self, *tests: str, affected: tuple[str, ...] | None = None, left: bool = False, unread: str = ""
    ) -> None:
        unreadable = dict.fromkeys(tests, unread) if unread else {}
        self.pilot.tested(Tested(affected is None, tests, TESTS, affected, left, unread=unreadable))

    def fixed(
        self, *paths: str, why_not: str = "", tests: tuple[str, ...] = TESTS, partial: bool = False
    ) -> str:
        """The solve that runs ends with a fix."""
        job = f"job at {self.now}"
        self.pilot.solved(Solved(Fix(job, paths, tests, why_not, partial)))
        return job

    def wrote(self, *paths: str) -> None:
        self.pilot.applied(paths, Tested(True, (), TESTS, ()), self.now)


__all__ = [
    "PACE",
    "TESTS",
    "Apply",
    "Day",
    "Look",
    "Looked",
    "Offer",
    "Solve",
    "Solved",
    "Stop",
    "Test",
    "Tested",
]
