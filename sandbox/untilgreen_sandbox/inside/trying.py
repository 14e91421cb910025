"""Runs in a fork of the test process: lets functions be other versions of themselves, and asks tests.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

GROUP = 16
"""So many candidates are tried before it is seen whether they left something behind."""
FIRST_LIMIT, FIRST_TIMES, LATER_TIMES = 0.012, 8.0, 20.0
FIRST_OF_HANGING = 0.01
"""Of a test that does not end on the user's own code: nor does it with most candidates."""
CHEAP = 0.02
"""CPU seconds of all tests up to which a candidate that passes some of them is asked about all."""

Told = Tuple[str, int, Optional[int], str]


class Trying:
    """How candidates are tried. The rungs: `first`, many in one fork with little time; `alone`, in a fork of
    its own; `longer`, the same with more time; `survivor`, as pytest asks, and the passing tests, too."""

    def __init__(self, evaluating: Any) -> None:
        self.evaluating = evaluating
        self.asking, self.asker = evaluating.asking, evaluating.asker
        self.learning = evaluating.modules["learning"]
        self.failing: List[Any] = evaluating.failing
        self.sentinels: List[int] = self.learning.sentinels(self.failing, self.asking.FAILED)

    def limit(self, rung: str, test: Any) -> float:
        """CPU seconds for one test."""
        hangs = test.how == self.asking.OVER
        known: float = 0.0 if hangs else test.cpu
        if rung in ("first", "alone"):
            return FIRST_OF_HANGING if hangs else max(FIRST_LIMIT, FIRST_TIMES * known)
        return float(max(self.evaluating.test_seconds, LATER_TIMES * known))

    def patience(self, rung: str, step: int) -> Tuple[float, float]:
        tests = [*self.failing, *(self.evaluating.passing or ())]
        if not 0 < step <= len(tests):
            return 5.0, 5.0
        test = tests[step - 1]
        return self.limit(rung, test), test.wall

    def work(self, board: Any, versions: List[Any], rung: str, order: List[int]) -> None:
        self.asker.enter(forbids=True)
        begun = 0
        for i, (_, version) in enumerate(versions):
            board.at(i, 0)
            told = self._try(board, i, version, rung, order)
            board.say("tried", i, *told)
            if told[0] == "timeout" or told[3] in ("MemoryError", self.asking.LEAVES_THREADS):
                return  # The rest is for another fork.
            if rung == "first" and (i + 1 - begun >= GROUP or i + 1 == len(versions)):
                if not self._unchanged(board, i):
                    board.say("leaked", begun, i + 1)
                    return
                board.say("clean", i + 1)
                begun = i + 1

    def _try(self, board: Any, i: int, version: Any, rung: str, order: List[int]) -> Told:
        try:
            swap = version.put()
        except self.evaluating.modules["versions"].Unfit as error:
            return "unfit", 0, None, str(error)
        try:
            told = self._ask_failing(board, i, version, rung, order)
            if told[0] == "survived" and rung == "survivor":
                told = self._ask_passing(board, i, version, told[1])
        finally:
            swap.undo()
        return told

    def _ask_failing(self, board: Any, i: int, version: Any, rung: str, order: List[int]) -> Told:
        passed = 0
        first: Optional[Told] = None
        cheap = sum(test.cpu for test in self.failing) < CHEAP
        for k in order:
            test = self.failing[k]
            if version.place not in test.may_call:
                continue
            board.at(i, k + 1)
            how, detail = self.asker.ask(test, test.direct and rung != "survivor", self.limit(rung, test))
            if how == self.asking.PASSED or (how == self.asking.EXPECTED and test.marked):
                passed += 1
                continue
            over = how == self.asking.OVER
            first = first or ("timeout" if over else "failed", 0, k, detail)
            # How many it passes is worth knowing of one that passes some.
            if over or not passed or not cheap:
                break
        if first is None:
            missed = [k for k in order if version.place not in self.failing[k].may_call]
            if not missed:
                return "survived", passed, None, ""
            first = ("failed", 0, missed[0], "it does not call this function")
        return first[0], passed, first[2], first[3]

    def _ask_passing(self, board: Any, i: int, version: Any, passed: int) -> Told:
        tests = self.evaluating.passing or ()
        on_others = 0.0
        for k, test in enumerate(tests, len(self.failing)):
            if version.place not in test.calls:
                # It can only see what the failing ones left behind, which is worth a little.
                on_others += test.cpu
                if on_others > CHEAP:
                    continue
            board.at(i, k + 1)
            how, detail = self.asker.ask(test, test.direct, self.limit("survivor", test))
            if how != test.how:
                return "timeout" if how == self.asking.OVER else "failed", passed, k, detail
        return "plausible", passed, None, ""

    def _unchanged(self, board: Any, i: int) -> bool:
        """Whether tests say of the user's own code what they said at the beginning."""
        for k in self.sentinels:
            test = self.failing[k]
            board.at(i, k + 1)
            how, detail = self.asker.ask(test, test.direct, max(0.2, LATER_TIMES * test.cpu))
            words = self.learning.hashed(self.asking.message_of(self.asker.raised))
            if (how, detail) != (test.how, test.detail) or (test.words and words != test.words):
                return False
        return True
