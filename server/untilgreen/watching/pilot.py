"""Decides what watch mode does next. Pure: moments and facts come in, steps go out.

It never fights the user: what was just saved may settle, what runs gives way to what is newer, a file that
somebody types in is left alone, and whatever looks like a checkout, a rebase or a fight makes it pause.
"""

from __future__ import annotations

from collections.abc import Iterable

from untilgreen.watching import causes
from untilgreen.watching.hopeless import Hopeless
from untilgreen.watching.keyboard import Keyboard
from untilgreen.watching.modes import Mode
from untilgreen.watching.pace import Pace
from untilgreen.watching.quota import FixQuota
from untilgreen.watching.settling import Settling
from untilgreen.watching.steps import Apply, Fix, Look, Looked, Offer, Solve, Solved, Step, Stop, Test, Tested


class Pilot:
    """One for each workspace that is watched."""

    def __init__(self, mode: Mode, pace: Pace) -> None:
        self.mode = mode
        self.pace = pace
        self.paused = ""
        """Why nothing is done until the user says so."""
        self.note = ""
        """The last thing worth telling."""
        self.red: dict[str, None] = {}
        self.knows = False
        """Whether tests came to an end at all."""
        self.quota = FixQuota(pace.fixes)
        self._settling = Settling(pace.settle)
        self._looking = False
        self._running: Step | None = None
        self._stopping = False
        self._dropped = False
        self._cause = ""
        """Why tests have to run; empty when nothing changed since they did."""
        self._begun = ""
        """The cause of what runs now: it comes back when that does not come to its end."""
        self._not_before = 0.0
        self._under_way = ""
        self._may_solve = False
        self._unfinished: dict[str, str] = {}
        self._hopeless = Hopeless()
        self._rest = False
        self._active = 0.0
        """The last moment at which something changed."""
        self._fix: Fix | None = None
        self._only: tuple[str, ...] = ()
        """Solve these alone: together with others it came only a part of the way."""
        self._keyboard = Keyboard()

    # What comes in.

    def begin(self, now: float, cause: str, *, may_solve: bool) -> None:
        """Run all tests, as if everything had changed."""
        self._cause, self._may_solve, self._active = cause, may_solve, now
        self._hopeless.affected(None)

    def touched(self, paths: Iterable[str] | None, now: float) -> None:
        """Somebody wrote these files; None: anything may have changed."""
        self._settling.add(paths, now)

    def typed(self, path: str, now: float) -> None:
        """Somebody is typing in this file."""
        self._keyboard.typed(path, now)

    def saved(self, path: str) -> None:
        """The file on disk is what the user sees of it."""
        self._keyboard.saved(path)

    def switch(self, mode: Mode, now: float) -> None:
        """From now on; tests that are known to fail are not waited for."""
        before, self.mode = self.mode, mode
        if mode in ("suggest", "fix") and before != "off":
            self._may_solve = True
            self._hopeless.affected(None)
            self._active = now
        elif mode == "diagnose":
            self._fix = None

    def looked(self, seen: Looked, now: float) -> None:
        self._looking = False
        if self._under_way and not seen.under_way:
            self.note = ""
        self._under_way = seen.under_way
        if seen.under_way:
            self._not_before = now + self.pace.again
        for path in seen.changed:
            self._unfinished.pop(path, None)
            if why := seen.unfinished.get(path, ""):
                self._unfinished[path] = why
        if not seen.changed:
            return
        self._active = now
        self._only = ()
        self._hopeless.saved()
        if self._fix is not None and not set(seen.changed) <= set(self._fix.paths):
            self._fix = None
        if seen.under_way or seen.switched or len(seen.changed) > self.pace.mass:
            said = seen.under_way or seen.switched or f"{len(seen.changed)} files changed at once"
            self._cause, self._may_solve, self._fix = causes.because(said), False, None
            self._not_before = now + self.pace.calm
            self.note = f"paused: {said}; tests run when it is quiet, fixes come with your next save"
            return
        self.note = ""
        self._may_solve = True
        self._cause = causes.saved(self._cause, seen.changed)

    def tested(self, told: Tested) -> None:
        self._over()
        self._learn(told)

    def solved(self, told: Solved) -> None:
        step = self._running
        self._over()
        assert isinstance(step, Solve)
        self._only = ()
        fix = told.fix
        if fix is None or told.refused:
            self._hopeless.add(step.tests)
            self.note = told.reason
            return
        self._fix = fix
        if fix.partial:
            self._hopeless.add(test for test in step.tests if test not in fix.fixed)
            if self.mode == "fix":
                # By themselves these tests may get a fix that needs no eyes.
                self._only, self._fix = fix.fixed, None

    def applied(self, paths: tuple[str, ...], told: Tested, now: float) -> None:
        """A fix was written: by ourselves, or because the user said so."""
        if isinstance(self._running, Apply):
            self.quota.wrote(paths, now)
            self._over()
        self._fix = None
        self._learn(told)

    def put_off(self) -> None:
        """Somebody is typing after all: the fix waits on."""
        self._over()

    def taken_back(self) -> None:
        """The user undid a fix: what it had mended is left alone as long as nothing changes."""
        self._fix, self._may_solve = None, False
        self.note = "a fix was taken back; it is not made again"

    def not_applied(self, why: str) -> None:
        """The user's files are others by now: then what is there is tested."""
        self._over()
        self._fix = None
        self.note = why
        self._cause = self._cause or causes.MEANWHILE

    def offered(self) -> None:
        self._over()
        if self._fix is not None:
            unsaved = bool(self._keyboard.dirty(self._fix.paths))
            self._hopeless.add(self._fix.fixed, until_saved=unsaved)
        self._fix = None
        if not self.note.startswith("quiet"):
            self.note = "a verified fix is offered"

    def interrupted(self) -> None:
        """What ran did not come to its end: nothing of its cause is lost."""
        if isinstance(self._running, Test) and self._running.part == "first" and not self._dropped:
            self._cause = causes.joined(self._begun, self._cause)
        self._over()

    def drop(self) -> None:
        """The user does not want what runs: it comes back with the next change only."""
        self._dropped = True
        self._cause, self._may_solve, self._rest = "", False, False

    def failed(self, reason: str, now: float, *, again: bool) -> None:
        """It could not be done; when somebody else was at work, it is tried again."""
        if again:
            self.interrupted()
            self._not_before = now + self.pace.again
        else:
            if isinstance(self._running, Solve):
                self._hopeless.add(self._running.tests)
            self._over()
            self._rest = False
        self.note = reason

    # What goes out.

    def next(self, now: float) -> Step | None:
        """What to do at this moment; call it again whenever something happened, or at `wake`."""
        if self.mode == "off" or self.paused:
            return self._stop("paused" if self.paused else "off")
        if not self._looking and (due := self._settling.due) is not None and due <= now:
            self._looking = True
            return Look(self._settling.take())
        if self._running is not None:
            unwanted = isinstance(self._running, Solve) and self.mode == "diagnose"
            return self._stop("superseded") if self._cause or unwanted else None
        return self._begin_next(now)

    def wake(self, now: float) -> float | None:
        """When something could be due although nothing happens."""
        if self.mode == "off" or self.paused:
            return None
        moments = [self._settling.due if not self._looking else None]
        if self._running is None and not self._looking and not self._settling:
            moments.append(self._not_before if self._cause and self._not_before > now else None)
            moments.append(self._quiet_at() if self._fix is not None else None)
            alone = self._rest and self._fix is None and not self._cause
            moments.append(self._active + self.pace.idle if alone else None)
        later = [moment for moment in moments if moment is not None]
        return min(later, default=None)

    def started(self, step: Step) -> None:
        """This runs now."""
        self._running, self._stopping = step, False
        if isinstance(step, Test) and step.part == "first":
            self._begun, self._cause = self._cause, ""

    @property
    def message(self) -> str:
        """How things stand, in a line."""
        if self.mode == "off":
            return "off"
        if self.paused:
            return f"paused: {self.paused}"
        match self._running:
            case Test(part="first"):
                return "running the tests that may be affected"
            case Test():
                return "running the other tests"
            case Solve(tests):
                return f"looking for a fix of {causes.count(len(tests), 'test')}"
            case Apply():
                return "writing a fix"
        if self.note:
            return self.note
        if self.red and self._waiting:
            return f"waiting: {self._waiting}"
        return f"{causes.count(len(self.red), 'test')} not green" if self.red else "watching"

    @property
    def busy(self) -> bool:
        """Whether something runs, or is about to."""
        return bool(self._running or self._looking or self._settling or self._cause or self._fix)

    @property
    def at_rest(self) -> bool:
        """Nothing is left to do but what waits for an idle moment."""
        return not self.busy and not self._wanted()

    @property
    def _waiting(self) -> str:
        return next(iter(self._unfinished.values()), "")

    def _begin_next(self, now: float) -> Step | None:
        if self._looking or self._settling:
            # Files are about to be known better.
            return None
        if self._fix is not None and (step := self._with_fix(self._fix, now)) is not None:
            return step
        if self._cause:
            if now < self._not_before or self._fix is not None:
                return None
            if self._under_way:
                self._looking = True
                return Look(frozenset())
            return Test("first", self._cause)
        if wanted := self._wanted():
            return Solve(wanted, causes.solving(self._begun))
        if self._rest and now >= self._active + self.pace.idle and self._fix is None:
            return Test("rest", causes.THE_REST)
        return None

    def _wanted(self) -> tuple[str, ...]:
        """The tests that somebody should be asked to make pass."""
        if self.mode not in ("suggest", "fix") or not self._may_solve or self._waiting or self._fix:
            return ()
        among = self._only or tuple(self.red)
        return self._hopeless.without(among)

    def _with_fix(self, fix: Fix, now: float) -> Step | None:
        if self.mode != "fix":
            return Offer(fix.job, "")
        if fix.why_not:
            return Offer(fix.job, fix.why_not)
        if path := self.quota.exhausted(fix.paths, now):
            said = f"quiet: {path} was fixed {self.quota.most} times within ten minutes"
            self.note = f"{said}; the next fix is only offered"
            return Offer(fix.job, self.note)
        if now < self._quiet_at():
            return None
        if path := self._keyboard.dirty(fix.paths):
            return Offer(fix.job, f"{path} has unsaved changes")
        return Apply(fix.job)

    def _quiet_at(self) -> float:
        """When nobody will have typed for a while in what the fix changes."""
        return self._keyboard.last(self._fix.paths if self._fix is not None else ()) + self.pace.idle

    def _learn(self, told: Tested) -> None:
        self.knows = True
        self._hopeless.affected(told.affected)
        gone = None if told.whole else set(told.ran)
        kept = [test for test in self.red if gone is not None and test not in gone]
        self.red = dict.fromkeys([*kept, *told.red])
        self._rest = told.left

    def _stop(self, why: str) -> Step | None:
        if self._running is None or self._stopping or isinstance(self._running, Apply | Offer):
            return None
        self._stopping = True
        return Stop(why)

    def _over(self) -> None:
        self._running, self._stopping, self._dropped = None, False, False
