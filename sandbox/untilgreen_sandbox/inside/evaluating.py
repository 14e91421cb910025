"""Runs in the test process: tries candidates instead of running tests, when the tests are collected.

This process never runs a candidate: it compiles them, forks others that try them in rows, and tells what
became of each. Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import sys
import time
import warnings
from typing import Any, Dict, List, Optional

WALL_TIMES, LEAST_WALL = 8.0, 20.0
"""How much longer than its CPU time an evaluation may take, where others need the processors, too."""
RESULTS_PER_EVENT = 200
NO_TIME = "there was no time to ask it"


class Evaluating:
    """One evaluation: what was asked, what is known of the tests, and what is told."""

    def __init__(
        self,
        session: Any,
        request: Dict[str, Any],
        modules: Dict[str, Any],
        speaker: Any,
        asker: Any,
        living: Any,
    ) -> None:
        told: Dict[str, Any] = json.loads(request["evaluation"])
        self.begun, self.begun_wall = time.process_time(), time.monotonic()
        self.reaped = 0.0
        self.modules, self.speaker, self.asker = modules, speaker, asker
        self.asking, self.workers = modules["asking"], modules["workers"]
        self.sources = told["versions"]
        self.seconds, self.test_seconds = float(told["seconds"]), float(told["test_seconds"])
        self.slowest_seconds = float(told["slowest_seconds"])
        self.compare: bool = told["compare"]
        self.ids = [*told["failing"], *told["passing"]]
        self.asked_to_pass: List[str] = told["passing"]
        self.items = {item.nodeid: item for item in session.items}
        self.places, self.root = told["places"], request["root"]
        self.find_targets(living)
        self.problems: List[str] = []
        self.differing = ""
        self.news: List[List[Any]] = []
        self.failing: List[Any] = self.tests_of(told["failing"])
        self.passing: Optional[List[Any]] = None
        """Asked about as soon as one candidate passes all the others, and not before."""

    def run(self) -> None:
        gc.freeze()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.learn_failing()
            self.import_late()
            if self.compare:
                self.modules["comparing"].Comparing(self).run()
            elif self.failing:
                self.modules["rows"].Rows(self).run()
        self.tell()
        self.speaker.send(
            {
                "ev": "evaluated",
                "cpu": round(self.cpu(), 4),
                "differing": self.differing,
                "problems": self.problems,
            }
        )

    def find_targets(self, living: Any) -> None:
        target = self.modules["versions"].Target
        self.targets = [target(self.root, path, name, line, living) for path, name, line in self.places]
        self.learning = self.modules["learning"].Learning(self.modules, self.asker, self.targets)
        self.asker.caches = living.caches

    def import_late(self) -> None:
        """Functions of modules that only the tests import are alive as soon as we import them, too."""
        found = [name for name in self.learning.imported if name not in sys.modules]
        for name in found:
            with contextlib.suppress(BaseException):
                importlib.import_module(name)
        if found:
            gc.unfreeze()
            self.find_targets(self.modules["living"].Living(self.root, gc.get_objects()))
            gc.freeze()
            for test in self.failing:
                test.forget()
            self.learn_failing()

    def learn_failing(self) -> None:
        bad = (self.asking.FAILED, self.asking.OVER, self.asking.DIED)
        most = max(self.test_seconds, 2 * self.slowest_seconds or 0.15 * self.seconds)
        self.failing = self.learned(self.failing, bad, "it does not fail here on unchanged code", most)

    def learn_passing(self) -> List[Any]:
        if self.passing is None:
            good = (self.asking.PASSED, self.asking.SKIPPED, self.asking.EXPECTED)
            most = max(self.test_seconds, 0.25 * self.seconds)
            tests = self.tests_of(self.asked_to_pass)
            self.passing = self.learned(tests, good, "it does not pass here on unchanged code", most)
        return self.passing

    def learned(self, tests: List[Any], expected: Any, otherwise: str, most: float) -> List[Any]:
        """Those that can be asked; of the others it is told why they cannot."""
        self.learning.learn(tests, self.test_seconds, most, self, tests is self.failing)
        kept = []
        for test in tests:
            reason = test.problem
            if not reason and test.how not in expected:
                reason = otherwise if test.how else NO_TIME
            if reason:
                self.problems.append("%s: %s" % (test.id, reason))
            else:
                kept.append(test)
        return kept

    def tests_of(self, ids: List[str]) -> List[Any]:
        self.problems += ["%s: it was not collected" % one for one in ids if one not in self.items]
        return [
            self.modules["cases"].Case(self.items[one]) for one in dict.fromkeys(ids) if one in self.items
        ]

    def cpu(self) -> float:
        """Of this process and of those that have ended."""
        return time.process_time() - self.begun + self.reaped

    def spent(self, under_way: float) -> bool:
        """Whether time is over, when those that have not ended have used so much."""
        wall = time.monotonic() - self.begun_wall
        return self.cpu() + under_way > self.seconds or wall > max(LEAST_WALL, WALL_TIMES * self.seconds)

    def set(
        self,
        n: int,
        how: str,
        passed: int = 0,
        killer: Any = None,
        why: str = "",
        answers: str = "",
        stumbles: int = 0,
    ) -> None:
        """What became of one candidate."""
        number = None if killer is None else self.ids.index(killer.id)
        self.news.append([n, how, passed, number, why, answers, stumbles])
        if len(self.news) >= RESULTS_PER_EVENT:
            self.tell()

    def tell(self) -> None:
        if self.news:
            self.speaker.send({"ev": "tried", "results": self.news})
            self.news = []


def plugin(
    pytest: Any,
    request: Dict[str, Any],
    modules: Dict[str, Any],
    speaker: Any,
    reporter: Any,
    probing: Any,
    tracer: Any,
) -> Any:
    """Takes the place of pytest's own loop over the tests, unless they are traced here."""

    class Plugin:
        living: Any = None
        asker: Any = None

        @pytest.hookimpl(tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_collection_modifyitems(self) -> None:
            # In a template, if it comes so far, so that its forks need not look.
            gc.unfreeze()
            self.living = modules["living"].Living(request["root"], gc.get_objects())

        @pytest.hookimpl(tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtestloop(self, session: Any) -> None:
            if tracer is not None and not probing.traces:
                session.config.pluginmanager.unregister(tracer)
            if not probing.evaluates:
                return
            self.asker = modules["asking"].Asker(session, request["root"], reporter, speaker.events)
            Evaluating(session, request, modules, speaker, self.asker, self.living).run()
            speaker.send({"ev": "finish", "status": 0})
            os._exit(0)

        @pytest.hookimpl(tryfirst=True)  # type: ignore[untyped-decorator]
        def pytest_runtest_makereport(self, call: Any) -> None:
            if self.asker is not None:
                self.asker.made_report(call)

        def pytest_runtest_logreport(self, report: Any) -> None:
            # Of parts of a test only: of tests nobody makes a report here.
            if self.asker is not None:
                self.asker.failed_parts += report.failed

    return Plugin()
