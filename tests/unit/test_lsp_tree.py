"""Which tests there are, and which of them run, as the editor's test tree asks for it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp

from unit.lsp_rig import Rig
from untilgreen.lsp import discovery, opened
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.handlers import on_discover_test
from untilgreen.model import Goal
from untilgreen_sandbox.report import CaseResult, Report

ONE = "def test_one():\n    pass\n"
TWO = "def test_a():\n    pass\n\n\nclass TestMore:\n    def test_b(self): ...\n    def test_c(self): ...\n"


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    rig = Rig(tmp_path / "work", experimental={"testExplorer": True})
    (rig.root / "test_one.py").write_text(ONE)
    (rig.root / "test_two.py").write_text(TWO)
    return rig


class Asked:
    def __init__(self, test: str | None) -> None:
        self.testId = test


async def below(rig: Rig, item: str | None) -> list[str]:
    told = await on_discover_test(rig.server, Asked(item))
    return [test["label"] for test in told["tests"]]


async def test_who_asks_for_all_gets_what_is_there_now(rig: Rig) -> None:
    folder = uri_of(rig.root)
    await below(rig, None)
    assert await below(rig, folder) == ["test_one.py", "test_two.py"]
    (rig.root / "test_one.py").unlink()
    (rig.root / "test_two.py").write_text("x = 1\n")
    (rig.root / "test_new.py").write_text(ONE)
    await below(rig, None)
    assert await below(rig, folder) == ["test_new.py", "test_two.py"]
    assert await below(rig, f"{folder} test_two.py") == []
    told = [one["params"] for one in rig.sent("experimental/discoveredTests")]
    assert any(one["scope"] == [folder] for one in told), "also when nobody asked for the files"


async def test_who_asks_during_the_first_look_waits_for_it(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[Path] = []
    real = discovery.look

    def look(root: Path) -> Any:
        looks.append(root)
        return real(root)

    monkeypatch.setattr(discovery, "look", look)
    rig.open("test_one.py", ONE)
    assert await below(rig, uri_of(rig.root)) == ["test_one.py", "test_two.py"]
    assert len(looks) == 1


async def test_tests_that_were_removed_are_gone_and_a_slip_of_the_fingers_is_not(rig: Rig) -> None:
    await opened.look(rig.server, rig.root)
    rig.open("test_two.py", TWO)
    rig.type("test_two.py", TWO + "\ndef test_(")
    assert len(rig.server.discovery.files(rig.root)["test_two.py"]) == 3
    rig.type("test_two.py", "x = 1\n", 3)
    assert rig.server.discovery.files(rig.root)["test_two.py"] == ()
    # Closed without saving, the file is again what it was.
    rig.close("test_two.py")
    assert len(rig.server.discovery.files(rig.root)["test_two.py"]) == 3


async def test_files_that_come_and_go_on_disk_are_told(rig: Rig) -> None:
    await opened.look(rig.server, rig.root)
    (rig.root / "test_one.py").unlink()
    (rig.root / "test_new.py").write_text(ONE)
    changes = [
        lsp.FileEvent(uri_of(rig.root / "test_one.py"), lsp.FileChangeType.Deleted),
        lsp.FileEvent(uri_of(rig.root / "test_new.py"), lsp.FileChangeType.Created),
    ]
    params = lsp.DidChangeWatchedFilesParams(changes)
    rig.receive(lsp.DidChangeWatchedFilesNotification(params))
    assert sorted(rig.server.discovery.files(rig.root)) == ["test_new.py", "test_two.py"]
    told = rig.sent("experimental/discoveredTests")[-2:]
    assert [test["label"] for test in told[0]["params"]["tests"]] == ["test_new.py", "test_two.py"]
    assert [test["label"] for test in told[1]["params"]["tests"]] == ["test_new.py", "test_one"]


async def test_so_many_files_that_the_editor_would_wait_are_looked_at_beside(rig: Rig) -> None:
    await opened.look(rig.server, rig.root)
    names = [f"test_{n}.py" for n in range(opened.MOST_AT_ONCE + 1)]
    for name in names:
        (rig.root / name).write_text(ONE)
    changes = [lsp.FileEvent(uri_of(rig.root / name), lsp.FileChangeType.Created) for name in names]
    rig.receive(lsp.DidChangeWatchedFilesNotification(lsp.DidChangeWatchedFilesParams(changes)))
    assert len(rig.server.discovery.files(rig.root)) == 2, "nobody waited for it"
    await asyncio.sleep(0)
    await opened.look(rig.server, rig.root)
    assert len(rig.server.discovery.files(rig.root)) == 2 + len(names)


@pytest.mark.parametrize(
    ("include", "exclude", "runs"),
    [
        (None, (), [()]),
        ((), (), []),
        (("",), (" test_one.py",), [("test_two.py",)]),
        (("",), (" test_two.py::TestMore",), [("test_one.py", "test_two.py::test_a")]),
        (
            (" test_two.py",),
            (" test_two.py::TestMore::test_b",),
            [("test_two.py::test_a", "test_two.py::TestMore::test_c")],
        ),
        ((" test_two.py", " test_one.py"), (" test_two.py",), [("test_one.py",)]),
        ((" test_two.py::test_a",), (" test_two.py::test_a[1]",), [("test_two.py::test_a",)]),
        ((" test_two.py::TestMore",), (" test_two.py",), []),
        (("", " test_one.py"), (), [()]),
    ],
)
async def test_what_is_left_out_does_not_run(
    rig: Rig,
    monkeypatch: pytest.MonkeyPatch,
    include: tuple[str, ...] | None,
    exclude: tuple[str, ...],
    runs: list[tuple[str, ...]],
) -> None:
    await opened.look(rig.server, rig.root)
    started: list[tuple[str, ...]] = []

    def start(kind: str, goal: Goal, cause: str) -> dict[str, str]:
        started.append(goal.tests)
        return {"job": "1"}

    monkeypatch.setattr(rig.server.jobs, "start", start)
    folder = uri_of(rig.root)
    chosen = None if include is None else tuple(folder + item for item in include)
    rig.server.tree.run(chosen, tuple(folder + item for item in exclude))
    assert started == runs
    assert len(rig.sent("experimental/endRunTest")) == (0 if runs else 1)


CASES = ("test_one.py::test_one[a]", "test_one.py::test_one[b]", "test_two.py::test_a[1]")


def gone(rig: Rig, goal: Goal, *ids: str) -> list[dict[str, Any]]:
    """What is told of cases that are no more, by their own names, when a run comes after another."""
    rig.server.tree.told(
        "1", Goal(rig.root), Report("finished", tuple(CaseResult(id_, "failed") for id_ in CASES))
    )
    rig.server.tree.told("2", goal, Report("finished", tuple(CaseResult(id_, "passed") for id_ in ids)))
    told = [one["params"] for one in rig.sent("experimental/discoveredTests")]
    own = f"{uri_of(rig.root)} "
    return [
        {
            "tests": [item["id"].removeprefix(own) for item in one["tests"]],
            "scope": [item.removeprefix(own) for item in one["scope"]],
        }
        for one in told
    ]


async def test_cases_that_a_run_does_not_find_any_more_are_gone(rig: Rig) -> None:
    goal = Goal(rig.root, ("test_one.py",))
    told = gone(rig, goal, "test_one.py::test_one[b]", "test_one.py::test_one[c]")
    left = ["test_one.py::test_one[b]", "test_one.py::test_one[c]"]
    assert told == [{"tests": left, "scope": ["test_one.py::test_one"]}]
    [item, _] = rig.sent("experimental/discoveredTests")[0]["params"]["tests"]
    assert (item["label"], item["parent"]) == ("[b]", f"{uri_of(rig.root)} test_one.py::test_one")


async def test_a_test_without_parameters_has_no_cases_any_more(rig: Rig) -> None:
    told = gone(rig, Goal(rig.root), "test_one.py::test_one", "test_two.py::test_a[1]")
    assert told == [{"tests": [], "scope": ["test_one.py::test_one"]}]


@pytest.mark.parametrize(
    ("tests", "ids"),
    [
        (("test_one.py::test_one[a]",), ("test_one.py::test_one[a]",)),
        ((), CASES),
        # It could not be collected, and its cases may be there again when it can.
        (("test_one.py",), ("test_one.py",)),
    ],
)
async def test_cases_that_a_run_says_nothing_of_stay(
    rig: Rig, tests: tuple[str, ...], ids: tuple[str, ...]
) -> None:
    assert gone(rig, Goal(rig.root, tests), *ids) == []


async def test_a_run_that_breaks_off_leaves_all_cases(rig: Rig) -> None:
    rig.server.tree.told("1", Goal(rig.root), Report("finished", (CaseResult(CASES[0], "failed"),)))
    rig.server.tree.told("2", Goal(rig.root), Report("killed", (CaseResult(CASES[2], "passed"),)))
    assert rig.sent("experimental/discoveredTests") == []
