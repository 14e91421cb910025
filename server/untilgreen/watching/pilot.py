"""Decides what watch mode does next. Pure: moments and facts come in, steps go out.

It never fights the user: what was just saved may settle, what runs gives way to what is newer, a file that
somebody types in is left alone, and whatever looks like a checkout, a rebase or a fight makes it pause.
"""

from __future__ import annotations

from collections.abc import Iterable

from untilgreen.watching import causes
from untilgreen.watching.hand import Hand
from untilgreen.watching.hopeless import Hopeless
from untilgreen.watching.known import Known
from untilgreen.watching.modes import Mode
from untilgreen.watching.pace import Pace
from untilgreen.watching.settling import Settling
from untilgreen.watching.steps import Apply, Look, Looked, Offer, Solve, Solved, Step, Stop, Test, Tested
from untilgreen.watching.waiting import Waiting
from untilgreen.watching.words import doing, standing


class Pilot:
    """One for each workspace that is watched."""

    def __init__(self, mode: Mode, pace: Pace, hand: Hand) -> None:
        self.mode = mode
        self.pace = pace
        self.paused = ""
        """Why nothing is done until the user says so."""
        self.note = ""
        """The last thing worth telling."""
        self.known = Known()
        self._hand = hand
        self._settling = Settling(pace.settle)
        self._looking = False
        self._blind = False
        """Files could not be looked at: nothing begins before they could be, all of them."""
        self._running: Step | None = None
        self._stopping = False
        self._dropped = False
        self._cause = ""
        """Why tests have to run; empty when nothing changed since they did."""
        self._begun = ""
        """The cause of what runs now: it comes back when that does not come to its end."""
        self._not_before = 0.0
        self._under_way = ""
        self._upheaval = Looked()
        """What made it pause, until tests run: whatever comes before that belongs to it."""
        self._may_solve = False
        self._waiting = Waiting()
        self._hopeless = Hopeless()
        self._rest = False
        self._active = 0.0
        """The last moment at which something changed."""
        self._only: tuple[str, ...] = ()
        """Solve these alone: together with others it came only a part of the way."""
        self._hindrance = ""
        """What is told while somebody else is at work."""

    # What comes in.

    def begin(self, now: float, cause: str, *, may_solve: bool) -> None:
        """Run all tests, as if everything had changed."""
        self._cause, self._may_solve, self._active, self.note = cause, may_solve, now, ""
        self._hopeless.affected(None)

    def touched(self, paths: Iterable[str] | None, now: float) -> None:
        """Somebody wrote these files; None: anything may have changed."""
        self._settling.add(None if self._blind else paths, now)

    def typed(self, path: str, now: float) -> None:
        """Somebody is typing in this file."""
        self._hand.keyboard.typed(path, now)

    def saved(self, path: str) -> None:
        """The file on disk is what the user sees of it."""
        self._hand.keyboard.saved(path)

    def closed(self, path: str, now: float) -> None:
        """Nobody types in this file any more; what was tested of its unsaved text is gone."""
        if self._hand.keyboard.closed(path):
            self._cause, self._active = self._cause or causes.dropped(path), now
            self._hopeless.saved()

    def repace(self, pace: Pace) -> None:
        """The user's settings are others now."""
        self.pace, self._settling.seconds = pace, pace.settle
        self._hand.repace(pace)

    def switch(self, mode: Mode, now: float) -> None:
        """From now on; tests that are known to fail are not waited for."""
        before, self.mode = self.mode, mode
        if mode in ("suggest", "fix") and before != "off":
            self._may_solve = True
            self._hopeless.affected(None)
            self._active = now
        elif mode == "diagnose":
            self._hand.drop()

    def looked(self, seen: Looked, now: float) -> None:
        if self._blind or (self._under_way and not seen.under_way):
            self.note = ""
        self._looking = self._blind = False
        self._under_way = seen.under_way
        if seen.under_way:
            self._not_before = now + self.pace.again
        self._waiting.saved(seen.changed, seen.unfinished, now + self.pace.begun)
        if not seen.changed:
            return
        self._active, self._only = now, ()
        self._hopeless.saved()
        self._hand.changed(seen.changed)
        together = self._upheaval.then(seen)
        if said := together.upheaval(self.pace.mass):
            self._upheaval = together
            self._cause, self._may_solve = causes.because(said), False
            self._hand.drop()
            self._not_before = now + self.pace.calm
            self.note = f"paused: {said}; tests run when it is quiet, fixes come with your next save"
            return
        self.note, self._may_solve = "", True
        self._cause = causes.saved(self._cause, seen.changed)

    def looked_in_vain(self, why: str) -> None:
        """The folder is gone, or cannot be read; whoever touches a file next makes us look at all of them."""
        self._looking, self._blind, self.note = False, True, why

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
        self._hand.fix = fix
        if fix.partial:
            self._hopeless.add(test for test in step.tests if test not in fix.fixed)
            if self.mode == "fix":
                # By themselves these tests may get a fix that needs no eyes.
                self._only = fix.fixed
                self._hand.drop()

    def applied(self, paths: tuple[str, ...], told: Tested, now: float) -> None:
        """A fix was written: by ourselves, or because the user said so."""
        if isinstance(self._running, Apply):
            self._hand.wrote(paths, now)
            self._over()
        self._hand.drop()
        self._learn(told)

    def put_off(self) -> None:
        """Somebody is typing after all: the fix waits on."""
        self._over()

    def taken_back(self) -> None:
        """The user undid a fix: what it had mended is tested, and left alone as long as nothing changes."""
        self._cause, self._may_solve = causes.TAKEN_BACK, False
        self._hand.drop()
        self.note = "a fix was taken back; it is not made again"

    def not_applied(self, why: str) -> None:
        """The user's files are others by now: then what is there is tested."""
        self._over()
        self.note = why
        if self._hand.overtaken(why):
            self._cause = self._cause or causes.MEANWHILE

    def offered(self) -> None:
        why = self._running.why if isinstance(self._running, Offer) else ""
        self._over()
        if self._hand.fix is not None:
            self._hopeless.add(self._hand.fix.fixed, until_saved=self._hand.unsaved)
        self._hand.drop()
        self.note = why if why.startswith("quiet: ") else "a verified fix is offered"

    def interrupted(self) -> None:
        """What ran did not come to its end: nothing of its cause is lost."""
        if isinstance(self._running, Test) and self._running.part != "rest" and not self._dropped:
            self._cause = causes.joined(self._begun, self._cause)
        self._over()

    def drop(self) -> None:
        """The user does not want what runs: it comes back with the next change only."""
        self._dropped = True
        self._cause, self._may_solve, self._rest, self._upheaval = "", False, False, Looked()
        self.note = "stopped; your next save begins anew"
        if isinstance(self._running, Test) and self._running.part != "rest":
            self.known.lose()

    def failed(self, reason: str, now: float, *, again: bool) -> None:
        """It could not be done; when somebody else was at work, it is tried again."""
        step = self._running
        if again:
            self.interrupted()
            self._not_before, self._hindrance = now + self.pace.again, reason
        else:
            self._over()
            self._rest = False
            if isinstance(step, Test):
                self.known.lose()
            elif isinstance(step, Solve):
                self._hopeless.add(step.tests)
            elif isinstance(step, Apply):
                self._hand.only_offer(reason)
            else:
                self._hand.drop()
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
        if self._running is None and not (self._looking or self._settling or self._blind):
            moments += [max(moment, self._not_before) for moment in self._pending(now)]
        return min((moment for moment in moments if moment is not None and moment > now), default=None)

    def started(self, step: Step) -> None:
        """This runs now."""
        self._running, self._stopping = step, False
        if self.note == self._hindrance:
            self.note = ""
        if isinstance(step, Test) and step.part != "rest":
            self._begun, self._cause, self._upheaval = self._cause, "", Looked()

    @property
    def message(self) -> str:
        """How things stand, in a line."""
        if self.mode == "off" or self.paused:
            return f"paused: {self.paused}" if self.mode != "off" else "off"
        return doing(self._running) or self.note or standing(self.known, self._waiting.why)

    @property
    def busy(self) -> bool:
        """Whether something runs, or is about to."""
        return bool(self._running or self._looking or self._settling or self._cause or self._hand.fix)

    @property
    def at_rest(self) -> bool:
        """Nothing is left to do but what waits for an idle moment."""
        return not self.busy and not self._wanted()

    def _begin_next(self, now: float) -> Step | None:
        if self._looking or self._settling or self._blind or now < self._not_before:
            # Files are about to be known better, or somebody else is at work.
            return None
        self._waiting.expire(now)
        step = self._due(now)
        # Git may be still at it.
        self._looking = step is not None and bool(self._under_way)
        return Look(frozenset()) if self._looking else step

    def _due(self, now: float) -> Step | None:
        if self._hand.fix is not None:
            return self._hand.step(self.mode, now)
        if self._cause:
            return Test(causes.part(self._cause), self._cause)
        if wanted := self._wanted():
            return Solve(wanted, causes.solving(self._begun))
        if self._rest and now >= self._active + self.pace.idle:
            return Test("rest", causes.THE_REST)
        return None

    def _pending(self, now: float) -> list[float]:
        """When each thing that is left to do may begin, if nobody else is at work."""
        if self._hand.fix is not None:
            return [self._hand.quiet_at]
        if self._cause or self._wanted():
            return [now]
        later = [self._active + self.pace.idle] if self._rest else []
        if self._waiting.until is not None and self._wanted(whatever_is_begun=True):
            later.append(self._waiting.until)
        return later

    def _wanted(self, *, whatever_is_begun: bool = False) -> tuple[str, ...]:
        """The tests that somebody should be asked to make pass."""
        if self.mode not in ("suggest", "fix") or not self._may_solve or self._hand.fix:
            return ()
        unfinished = self.known.unread or (self._waiting.why and not whatever_is_begun)
        if unfinished or not self.known.sure:
            return ()
        among = self._only or tuple(self.known.red)
        return self._hopeless.without(among)

    def _learn(self, told: Tested) -> None:
        self.known.learn(told)
        self._hopeless.affected(told.affected)
        self._rest = told.left

    def _stop(self, why: str) -> Step | None:
        if self._running is None or self._stopping or isinstance(self._running, Apply | Offer):
            return None
        self._stopping = True
        return Stop(why)

    def _over(self) -> None:
        self._running, self._stopping, self._dropped = None, False, False
