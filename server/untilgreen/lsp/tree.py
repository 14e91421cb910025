"""The test tree, in the shape of rust-analyzer's test explorer: found without running, results by id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilgreen.lsp import ext
from untilgreen.lsp.cases import Cases
from untilgreen.lsp.diagnostics import message_of
from untilgreen.lsp.lines import split_lines, width
from untilgreen.lsp.places import Place
from untilgreen.model import Goal
from untilgreen_sandbox.report import CaseResult, Report

if TYPE_CHECKING:
    from untilgreen.lsp.server import Server

# An id of the tree is the folder's uri, a space (no uri has one), and the test's own id or path.
_SEPARATOR = " "


class Tree:
    """Speaks only to editors that said `testExplorer`."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._runs: dict[str, set[str]] = {}
        """Jobs of each run that the editor asked for."""
        self._cases = Cases()

    def discover(self, item: str | None) -> dict[str, Any]:
        """The folders when nothing is asked for; else the files of a folder, or the tests of a file."""
        if item is None:
            folders = [self._folder(root) for root in self._server.documents.roots()]
            return {"tests": folders, "scope": None, "scopeFile": None}
        root, path = self._split(item)
        if root is None:
            return {"tests": [], "scope": [item], "scopeFile": None}
        if not path:
            return self._files(root)
        return {"tests": self._tests(root, path), "scope": None, "scopeFile": [self._document(root, path)]}

    def tell_files(self, root: Path) -> None:
        """Files with tests came or went."""
        if self._server.can.test_explorer:
            self._server.protocol.notify(ext.DISCOVERED_TESTS, self._files(root))

    def tell(self, root: Path, path: str) -> None:
        """The tests of one file are others now."""
        if self._server.can.test_explorer:
            self._server.protocol.notify(
                ext.DISCOVERED_TESTS,
                {
                    "tests": [self._file(root, path), *self._tests(root, path)],
                    "scope": None,
                    "scopeFile": [self._document(root, path)],
                },
            )

    def run(self, include: tuple[str, ...] | None, exclude: tuple[str, ...] | None) -> None:
        """Run these items, or all when none are named; states follow, and one `endRunTest` at the end."""
        chosen = [self._split(item) for item in include or ()]
        if include is None:
            chosen = [(root, "") for root in self._server.documents.roots()]
        left_out = [self._split(item) for item in exclude or ()]
        jobs: set[str] = set()
        for root in dict.fromkeys(root for root, _ in chosen if root is not None):
            mine = [path for one, path in chosen if one == root]
            # A folder as a whole says more than anything in it.
            tests = self._without(
                root, [""] if "" in mine else mine, [p for one, p in left_out if one == root]
            )
            if not tests:
                continue
            goal = Goal(root, () if "" in tests else tuple(tests))
            started = self._server.jobs.start("test", goal, cause=ext.RUN_TEST)
            if job := started.get("job"):
                jobs.add(job)
                for test in goal.tests:
                    self._state(root, test, {"tag": "enqueued"}, job)
        if jobs:
            self._runs[min(jobs)] = jobs
        else:
            self._end_run()

    def abort(self) -> None:
        for jobs in list(self._runs.values()):
            for job in list(jobs):
                self._server.jobs.stop(job)

    def told(self, job_id: str, goal: Goal, report: Report) -> None:
        """What a run said of each test, and which cases there are no more."""
        if self._server.can.test_explorer:
            for case in report.cases:
                self._state(goal.root, case.id, _state(case), job_id)
            if lost := self._cases.settle(goal, report):
                self._server.protocol.notify(ext.DISCOVERED_TESTS, self._left(goal.root, lost))

    def ended(self, job_id: str) -> None:
        for run, jobs in list(self._runs.items()):
            jobs.discard(job_id)
            if not jobs:
                del self._runs[run]
                self._end_run()

    def _end_run(self) -> None:
        # Who did not say that it has a test tree is told as of any other run.
        if self._server.can.test_explorer:
            self._server.protocol.notify(ext.END_RUN_TEST, None)

    def _without(self, root: Path, chosen: list[str], left_out: list[str]) -> list[str]:
        """What is chosen, but for what is left out in it; empty names the folder as a whole."""
        found: list[str] = []
        for item in chosen:
            if any(_is_below(item, out) for out in left_out):
                continue
            if not any(_is_below(out, item) for out in left_out):
                found.append(item)
            elif not item:
                found += self._without(root, sorted(self._server.discovery.files(root)), left_out)
            else:
                path = item.partition("::")[0]
                places = self._server.discovery.files(root).get(path, ())
                tests = [f"{path}::{place.name}" for place in places]
                if item in tests:
                    # Of a test with parameters a case by itself cannot be left out.
                    found.append(item)
                    continue
                found += self._without(root, [test for test in tests if _is_below(test, item)], left_out)
        return found

    def _files(self, root: Path) -> dict[str, Any]:
        files = sorted(self._server.discovery.files(root))
        tests = [self._file(root, path) for path in files]
        return {"tests": tests, "scope": [self._id(root, "")], "scopeFile": None}

    def _left(self, root: Path, cases: dict[str, list[str]]) -> dict[str, Any]:
        tests = [
            self._item(root, case, case.removeprefix(function), "test", function, function.partition("::")[0])
            for function, left in cases.items()
            for case in left
        ]
        return {"tests": tests, "scope": [self._id(root, function) for function in cases], "scopeFile": None}

    def _tests(self, root: Path, path: str) -> list[dict[str, Any]]:
        places = self._server.discovery.files(root).get(path, ())
        groups: dict[str, dict[str, Any]] = {}
        found: list[dict[str, Any]] = []
        text = self._server.documents.text(root / path)
        for place in places:
            *classes, _ = place.name.split("::")
            above = path
            for name in classes:
                test = f"{above}::{name}"
                if test not in groups:
                    groups[test] = self._item(root, test, name, "module", above, path, children=True)
                    found.append(groups[test])
                above = test
            item = self._item(root, f"{path}::{place.name}", place.name.split("::")[-1], "test", above, path)
            item["range"] = self._range(place, text)
            found.append(item)
        return found

    def _folder(self, root: Path) -> dict[str, Any]:
        return {
            "id": self._id(root, ""),
            "label": root.name,
            "kind": "package",
            "canResolveChildren": True,
            "parent": None,
            "textDocument": None,
            "range": None,
            "runnable": None,
        }

    def _file(self, root: Path, path: str) -> dict[str, Any]:
        return self._item(root, path, path, "module", "", path, children=True)

    def _item(
        self, root: Path, test: str, label: str, kind: str, parent: str, path: str, *, children: bool = False
    ) -> dict[str, Any]:
        return {
            "id": self._id(root, test),
            "label": label,
            "kind": kind,
            "canResolveChildren": children,
            "parent": self._id(root, parent),
            "textDocument": self._document(root, path),
            "range": None,
            "runnable": None,
        }

    def _document(self, root: Path, path: str) -> dict[str, str]:
        return {"uri": self._server.documents.uri(root / path)}

    def _range(self, place: Place, text: str) -> dict[str, Any]:
        lines = split_lines(text)
        last = min(place.last, len(lines))
        end = width(lines[last - 1], self._server.encoding)
        return {
            "start": {"line": place.first - 1, "character": 0},
            "end": {"line": last - 1, "character": end},
        }

    def _id(self, root: Path, test: str) -> str:
        return (
            f"{self._server.documents.uri(root)}{_SEPARATOR}{test}"
            if test
            else self._server.documents.uri(root)
        )

    def _split(self, item: str) -> tuple[Path | None, str]:
        uri, _, test = item.partition(_SEPARATOR)
        roots = {self._server.documents.uri(root): root for root in self._server.documents.roots()}
        return roots.get(uri), test

    def _state(self, root: Path, test: str, state: dict[str, Any], job: str) -> None:
        if not self._server.can.test_explorer:
            return
        told = {"testId": self._id(root, test), "state": state, "job": job}
        self._server.protocol.notify(ext.CHANGE_TEST_STATE, told)


def _is_below(item: str, other: str) -> bool:
    """Whether it is the other one, or in it."""
    return not other or item == other or item.startswith((f"{other}::", f"{other}["))


def _state(case: CaseResult) -> dict[str, Any]:
    if case.outcome in ("skipped", "xfailed"):
        return {"tag": "skipped"}
    if case.good:
        return {"tag": "passed", "seconds": case.seconds}
    state: dict[str, Any] = {"tag": "failed", "message": message_of(case), "seconds": case.seconds}
    if (failure := case.failure) is not None:
        if failure.expected is not None and failure.actual is not None:
            state |= {"expected": failure.expected, "actual": failure.actual}
        own = [frame.line for frame in failure.frames if frame.path == case.id.partition("::")[0]]
        state |= {"line": own[-1]} if own else {}
    return state
