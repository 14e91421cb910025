"""What one job remembers: every state of the code that was tested, what it came to, and the best of them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from untilgreen.failure_key import failure_key
from untilgreen.model import NO_PATCH, Attempt, Entry, Patch, Proposal, Reflection
from untilgreen.solve.judge import judge
from untilgreen.solve.reflect import Standing, reflect
from untilgreen.solve.trial import Trial
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import digest_of


class Memory:
    """Short-term: it begins with the user's own code and ends with the job."""

    def __init__(self, start: Start, entries: Mapping[str, Entry]) -> None:
        self._entries = entries
        own = judge(start.plan, start.baseline, start.failing, start.baseline)
        first = Trial(0, "", Proposal(NO_PATCH), state_of(NO_PATCH, entries), own, start.baseline)
        self.start = first
        self._by_state = {first.state: first}
        self._of_rung: list[Attempt] = []
        self._from = _standing(first)
        self.trials: list[Trial] = []
        self.reflection: Reflection | None = None
        """The last one; None before the first attempt of a solver."""

    def state_of(self, patch: Patch) -> str:
        return state_of(patch, self._entries)

    def known(self, state: str) -> Trial | None:
        """What this very code came to when it was tested."""
        return self._by_state.get(state)

    def begin_rung(self) -> Trial:
        """Another solver takes over, from the best state so far; what the last one did wrong is forgotten."""
        self._of_rung = []
        self._from = _standing(self.best)
        self.reflection = None
        return self.best

    def add(self, trial: Trial) -> Attempt:
        self.trials.append(trial)
        if trial.runs and trial.complete and trial.repeats is None:
            self._by_state[trial.state] = trial
        attempt = trial.attempt
        self._of_rung.append(attempt)
        return attempt

    def reflect(self) -> Reflection:
        """What the attempts of the solver that works now show."""
        self.reflection = reflect(self._from, self._of_rung)
        return self.reflection

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return tuple(trial.attempt for trial in self.trials)

    @property
    def partial(self) -> tuple[Trial, ...]:
        """What fixed something and broke nothing, the best first."""
        good = [trial for trial in self.trials if trial.judgement.better and trial.repeats is None]
        return tuple(sorted(good, key=lambda trial: -len(trial.judgement.fixed)))

    @property
    def best(self) -> Trial:
        return next(iter(self.partial), self.start)


def state_of(patch: Patch, entries: Mapping[str, Entry]) -> str:
    """The same name for the same code, whatever led to it: what a patch leaves as it is does not count."""
    name = hashlib.sha256()
    for path, change in patch:
        entry = entries.get(path)
        new = None if change.content is None else (digest_of(change.content), bool(change.mode & 0o111))
        if new != (None if entry is None else (entry.digest, bool(entry.mode & 0o111))):
            name.update(f"{path}\0{new}\0".encode("utf-8", "surrogatepass"))
    return name.hexdigest()[:16]


def _standing(trial: Trial) -> Standing:
    red = (*trial.judgement.still_failing, *trial.judgement.broken)
    keys = {case.id: failure_key(case.failure) for case in trial.report.red}
    return Standing(frozenset(red), frozenset((test_id, keys.get(test_id, "")) for test_id in red))
