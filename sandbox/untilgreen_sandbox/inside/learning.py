"""Runs in the test process: what each test does on the user's own code, before any candidate is tried.

How it ends, how long it takes, which of the wanted functions it calls, whether it may be called directly,
and whether it does what no fork can take back. Its source comes to that process in its request, so it imports
nothing of ours.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import time
from typing import Any, Dict, List, Set

TICK = 0.004
AGAIN = 0.05
"""CPU seconds up to which it is worth to ask twice, and without pytest if that can be."""


class Learning:
    """Asks tests in forks, each fork as many as it survives; what is learned is kept with the test."""

    def __init__(self, modules: Dict[str, Any], asker: Any, targets: List[Any]) -> None:
        self.asking = modules["asking"]
        self.workers = modules["workers"]
        self.versions = modules["versions"]
        self.asker = asker
        self.targets = targets
        self.imported: List[str] = []
        """Modules with wanted functions that only tests import."""

    def learn(self, tests: List[Any], least: float, most: float, evaluating: Any, twice: bool) -> None:
        """`most` CPU seconds for the first test that does not end, `least` for the others of that kind;
        `twice` for those that will be asked so often that it is worth to know how that is done fastest."""
        first, limit = 0, most
        while first < len(tests):
            worker = self._start(tests, first, limit, twice)
            while not worker.ended:
                self.workers.wait([worker])
                if evaluating.spent(worker.used()):
                    worker.kill()
            evaluating.reaped += worker.cpu
            seen: Set[int] = set()
            for record in worker.board.news():
                with contextlib.suppress(ValueError, TypeError, LookupError):
                    self._read(tests, record, seen)
            if evaluating.spent(0.0):
                return
            last = tests[min(max(worker.board.position()[0], first), len(tests) - 1)]
            if not last.how:
                # It took the process with it.
                over = worker.killed or worker.status >> 8 == self.workers.TIME_OVER
                last.how = self.asking.OVER if over else self.asking.DIED
                last.may_call = set(seen)
            if last.how == self.asking.OVER:
                limit = min(limit, least)
            first = tests.index(last) + 1

    def _start(self, tests: List[Any], first: int, limit: float, twice: bool) -> Any:
        return self.workers.Worker(
            lambda board: self._ask_all(board, tests, first, limit, twice), lambda step: (limit, 5.0)
        )

    def _ask_all(self, board: Any, tests: List[Any], first: int, limit: float, twice: bool) -> None:
        asker, asking = self.asker, self.asking
        asker.enter(forbids=False)
        for n in range(first, len(tests)):
            test = tests[n]
            board.at(n, 1)
            waiting = self._note_calls(board, n)
            begun, wall = time.process_time(), time.monotonic()
            how, detail = asker.ask(test, False, limit)
            cpu, wall = time.process_time() - begun, time.monotonic() - wall
            cpu = used(cpu, wall)
            for function, code in waiting:
                function.__code__ = code
            self._look_for_missing(board, n)
            words = hashed(asking.message_of(asker.raised))
            board.say("asked", n, how, detail, words, cpu, wall, sorted(asker.heard))
            if how == asking.OVER or asker.heard:
                return
            if twice and cpu < AGAIN and wall < 4 * AGAIN:
                begun, wall = time.process_time(), time.monotonic()
                again = asker.ask(test, test.call is not None, limit)
                cpu = used(time.process_time() - begun, time.monotonic() - wall)
                same = again == (how, detail) and not asker.heard
                board.say("again", n, same, hashed(asking.message_of(asker.raised)), cpu)
                if not same:
                    return  # What it has left behind may be seen by others.

    def _note_calls(self, board: Any, n: int) -> List[Any]:
        waiting = []
        for number, target in enumerate(self.targets):
            for function in target.functions:
                waiting.append((function, function.__code__))
                self.versions.once(function, self._noter(board, n, number))
        return waiting

    def _look_for_missing(self, board: Any, n: int) -> None:
        missing = {target.file for target in self.targets if not target.functions}
        if missing:
            for name, module in list(sys.modules.items()):
                if getattr(module, "__file__", None) in missing:
                    board.say("imported", n, name)

    def _noter(self, board: Any, n: int, number: int) -> Any:
        return lambda args, kwargs: board.say("called", n, number)

    def _read(self, tests: List[Any], record: List[Any], seen: Set[int]) -> None:
        test = tests[record[1]]
        if record[0] == "called":
            seen.add(int(record[2]))
            test.calls.add(int(record[2]))
        elif record[0] == "imported":
            self.imported.append(str(record[2]))
        elif record[0] == "asked":
            _, _, test.how, test.detail, test.words, cpu, wall, heard = record
            test.cpu, test.wall = float(cpu), float(wall)
            test.problem = heard[0] if heard else ""
            test.may_call = set(seen)
        elif record[0] == "again":
            _, _, test.steady, words, cpu = record
            test.direct = test.steady and test.call is not None
            if test.direct:
                test.cpu = float(cpu)
            if words != test.words:
                test.words = ""


def used(cpu: float, wall: float) -> float:
    """CPU seconds; kernels that count in ticks say nought, or a whole tick, of what is short."""
    return min(wall, max(cpu, TICK))


def hashed(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:12]


def sentinels(tests: List[Any], how: str, most: int = 2) -> List[int]:
    """Tests that tell at once whether something was left behind: the quickest that say the same each time."""
    fitting = [k for k, test in enumerate(tests) if test.steady and test.how == how]
    return sorted(fitting, key=lambda k: tests[k].cpu)[:most]
