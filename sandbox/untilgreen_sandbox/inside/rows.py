"""Runs in the test process: which candidates are tried when, in which fork, and what their results mean.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
from collections import deque
from typing import Any, Deque, Dict, List, Optional, Set, Tuple

AT_ONCE = 2
FIRST_ROW, LONGEST_ROW = 16, 96
NOT_ASKED = "there was no time for the tests that pass"
MORE_TIME_SHARE = 0.3
"""Of what all candidates took so far: for those that ran out of time, as most of them never end."""
MOST_LEAKS = 2
"""So many rows may leave something behind; then every candidate has a fork of its own."""

Versions = List[Tuple[int, Any]]


class Row:
    """Versions that one fork tries one after the other."""

    def __init__(self, versions: Versions, rung: str) -> None:
        self.versions = versions
        self.rung = rung
        self.worker: Any = None


class Result:
    """What a fork said of one candidate."""

    def __init__(self, how: str, passed: int = 0, killer: Optional[int] = None, why: str = "") -> None:
        self.how = how
        self.passed = passed
        self.killer = killer
        """Number among the failing tests, and after them those that pass."""
        self.why = why


class Rows:
    """All candidates, from the first look to the last word."""

    def __init__(self, evaluating: Any) -> None:
        self.evaluating = evaluating
        self.workers, self.versions = evaluating.workers, evaluating.modules["versions"]
        self.trying = evaluating.modules["trying"].Trying(evaluating)
        self.kills = [0] * len(evaluating.failing)
        self.rows: Deque[Row] = deque()
        self.running: List[Row] = []
        self.leaks = 0
        self.unconfirmed: Versions = []
        """Failed in a row that did not come to the point where it is seen whether something was left."""
        self.longer: List[Tuple[int, int, Any]] = []
        self.cost = 0.0
        self.settled: Set[int] = set()

    def run(self) -> None:
        self._run()
        for row in self.running:
            row.worker.kill()
            row.worker.reap()
            self.evaluating.reaped += row.worker.cpu
            self._read(row, ended=False)
        self._tell_survivors()

    def _tell_survivors(self) -> None:
        """They passed all that failed; that there was no time for the rest makes them no worse."""
        n_failing = len(self.evaluating.failing)
        for row in (*self.running, *self.rows):
            for n, _ in row.versions:
                if row.rung == "survivor" and n not in self.settled:
                    self.evaluating.set(n, "plausible", n_failing, why=NOT_ASKED)

    def _run(self) -> None:
        source = self._compiled()
        size = FIRST_ROW
        row: Versions = []
        more = True
        while not self.evaluating.spent(sum(one.worker.used() for one in self.running)):
            self._start()
            if more and len(self.rows) < AT_ONCE:
                found = next(source, None)
                more = found is not None
                row += found or []
                if row and (not more or len(row) >= size):
                    self._add(row)
                    size, row = min(2 * size, LONGEST_ROW), []
                self._take(self.workers.wait([one.worker for one in self.running], 0))
            elif self.running:
                self._take(self.workers.wait([one.worker for one in self.running]))
            elif not self.rows and not self._give_more_time():
                return

    def _compiled(self) -> Any:
        """Versions that are worth trying, one or none at a time; of the others it is told why not."""
        evaluating = self.evaluating
        called: Set[int] = set().union(*(test.calls for test in evaluating.failing))
        seen: Set[Any] = set()
        for n, (place, source) in enumerate(evaluating.sources):
            target = evaluating.targets[place]
            if not target.functions:
                evaluating.set(n, "unfit", why="it was not found")
                yield []
                continue
            if place not in called:
                evaluating.set(n, "unfit", why="no failing test calls it")
                yield []
                continue
            try:
                version = target.version(source)
            except SyntaxError as error:
                evaluating.set(n, "invalid", why=str(error))
                yield []
                continue
            except self.versions.Unfit as error:
                evaluating.set(n, "unfit", why=str(error))
                yield []
                continue
            if version.key == target.key or (place, version.key) in seen:
                evaluating.set(n, "duplicate")
                yield []
                continue
            seen.add((place, version.key))
            version.place = place
            yield [(n, version)]

    def _add(self, versions: Versions, rung: str = "first") -> None:
        if rung == "first" and self.leaks < MOST_LEAKS:
            self.rows.append(Row(versions, rung))
        else:
            alone = "alone" if rung == "first" else rung
            self.rows.extendleft(Row([one], alone) for one in reversed(versions))

    def _start(self) -> None:
        while self.rows and len(self.running) < AT_ONCE:
            row = self.rows.popleft()
            if row.rung == "survivor":
                self.evaluating.learn_passing()
            order = self._order()
            row.worker = self.workers.Worker(
                lambda board, row=row, order=order: self.trying.work(board, row.versions, row.rung, order),
                lambda step, row=row: self.trying.patience(row.rung, step),
            )
            self.running.append(row)

    def _order(self) -> List[int]:
        """Failing tests, the one that ends most candidates for its time first; those that hang last."""
        tests = self.evaluating.failing

        def worth(k: int) -> Tuple[bool, float]:
            fails = tests[k].how == self.evaluating.asking.FAILED
            return not fails, -(self.kills[k] + 0.1) / (tests[k].cpu + 0.0005)

        return sorted(range(len(tests)), key=worth)

    def _give_more_time(self) -> bool:
        """Those that ran out of time get more of it, the best of them, as long as that is fair."""
        if not self.longer:
            return False
        least = self.evaluating.test_seconds
        n_best = int(max(MORE_TIME_SHARE * self.cost, least) / least)
        self.longer.sort(key=lambda one: -one[0])
        best, self.longer = self.longer[:n_best], []
        self._add([(n, version) for _, n, version in best], "longer")
        return True

    def _take(self, ended: List[Any]) -> None:
        for row in [one for one in self.running if one.worker in ended]:
            self.running.remove(row)
            self.evaluating.reaped += row.worker.cpu
            self.cost += row.worker.cpu
            self._read(row)
        if ended:
            self.evaluating.tell()

    def _read(self, row: Row, ended: bool = True) -> None:
        """What a row has told, and what is to be done with the rest of it."""
        tried: Dict[int, Result] = {}
        clean, leaked = 0, (0, 0)
        for record in row.worker.board.news():
            # Whatever runs in a fork can write there, too.
            with contextlib.suppress(ValueError, TypeError, LookupError):
                if record[0] == "tried":
                    _, i, how, passed, killer, why = record
                    tried[int(i)] = Result(how, int(passed), self._killer(killer), str(why))
                elif record[0] == "clean":
                    clean = int(record[1])
                elif record[0] == "leaked":
                    leaked = int(record[1]), int(record[2])
        n_done = next(i for i in range(len(row.versions) + 1) if i not in tried)
        if ended and n_done < len(row.versions) and (row.worker.status or not tried):
            tried[n_done] = self._died(row)
            n_done += 1
        again: Versions = []
        for i in range(n_done):
            if leaked[0] <= i < leaked[1]:
                again.append(row.versions[i])
            else:
                self._settle(*row.versions[i], tried[i], row.rung, confirmed=i < clean)
        if leaked[1]:
            self.leaks += 1
            again += self.unconfirmed
            self.unconfirmed = []
        if ended and n_done < len(row.versions):
            self._add(row.versions[n_done:], row.rung)
        self._add(again, "alone")

    def _killer(self, told: Any) -> Optional[int]:
        n_tests = len(self.evaluating.failing) + len(self.evaluating.passing or ())
        return told if type(told) is int and 0 <= told < n_tests else None

    def _died(self, row: Row) -> Result:
        over = row.worker.killed or row.worker.status >> 8 == self.workers.TIME_OVER
        killer = self._killer(row.worker.board.position()[1] - 1)
        return Result("timeout", 0, killer, "TimeOver") if over else Result("crashed", 0, killer, "it died")

    def _settle(self, n: int, version: Any, result: Result, rung: str, confirmed: bool) -> None:
        evaluating = self.evaluating
        if result.killer is not None and result.killer < len(self.kills):
            self.kills[result.killer] += 1
        if result.how == "survived":
            self._add([(n, version)], "survivor")
            return
        tests = [*evaluating.failing, *(evaluating.passing or ())]
        killer = None if result.killer is None else tests[result.killer]
        # What is said last counts, should it be tried again.
        self.settled.add(n)
        evaluating.set(n, result.how, result.passed, killer, result.why)
        if result.how == "timeout" and rung in ("first", "alone"):
            self.longer.append((result.passed, n, version))
        elif result.how == "failed" and rung == "first" and not confirmed:
            self.unconfirmed.append((n, version))
