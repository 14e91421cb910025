"""Which failures only the environment can mend. A wrong alarm is worse than none."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import cast

import pytest

from untilgreen.cli.contract import exit_code
from untilgreen.cli.contract import test_object as object_of_test
from untilgreen.model import Clues, Entry, Goal, Proposal, Verdict
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.guard import protect
from untilgreen.solve.judge import environment_failures, judge
from untilgreen.solve.loop import solve
from untilgreen.solve.plan import Plan, surroundings
from untilgreen.solvers.solver import Task, Workbench
from untilgreen.workspace import Snapshot, take_snapshot
from untilgreen_sandbox.environment import Surroundings, missing_from, remedy, sort_failures
from untilgreen_sandbox.report import CaseResult, Cause, Ended, Failure, Report

AROUND = Surroundings(frozenset({"shop", "prices"}), {".env"}.__contains__)


def remedy_for(*causes: Cause, around: Surroundings = AROUND) -> str:
    return remedy(Failure("E", "", causes=causes), around)


def module(name: str) -> Cause:
    return Cause("builtins.ModuleNotFoundError", ("ModuleNotFoundError", "ImportError"), subject=name)


def refused(message: str, kind: str = "builtins.ConnectionRefusedError") -> Cause:
    return Cause(kind, ("ConnectionRefusedError", "ConnectionError", "OSError"), message, 111)


@pytest.mark.parametrize("name", ["requests", "httpx", "ujson", "numpy", "pathlib2", "dns", "six", "attrs"])
def test_what_is_not_installed(name: str) -> None:
    assert remedy_for(module(name)) == (f"Install {name} in the project's environment: {name} is not there.")


@pytest.mark.parametrize(
    "name",
    [
        *("shop", "prices", "shop.cart", "requests.adapterz", "", "json", "distutils"),
        *("jsn", "maht", "colections", "itertoools", "shpo", "price", "subprosess"),
    ],
)
def test_imports_that_the_code_can_mend(name: str) -> None:
    assert remedy_for(module(name)) == ""


@pytest.mark.parametrize(
    ("kind", "message", "name"),
    [
        ("psycopg2.OperationalError", 'connection to server at "localhost" failed: refused', "PostgreSQL"),
        ("psycopg.OperationalError", 'could not translate host name "db" to address', "PostgreSQL"),
        ("pymysql.err.OperationalError", "(2003, \"Can't connect to MySQL server on 'db'\")", "MySQL"),
        ("redis.exceptions.ConnectionError", "Error 111 connecting to localhost:6379. refused.", "Redis"),
        ("pymongo.errors.ServerSelectionTimeoutError", "db:27017: [Errno 111] refused", "MongoDB"),
    ],
)
def test_database_servers(kind: str, message: str, name: str) -> None:
    outer = Cause("sqlalchemy.exc.OperationalError", ("OperationalError",), message)
    for causes in ((Cause(kind, ("Error",), message),), (outer, Cause(kind, ("Error",), message))):
        assert f"no {name} server answers" in remedy_for(*causes)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("psycopg2.errors.UndefinedTable", 'relation "cart" does not exist'),
        ("sqlite3.OperationalError", "unable to open database file"),
        ("django.db.utils.OperationalError", "no such table: cart"),
    ],
)
def test_a_database_that_answers_is_not_in_the_way(kind: str, message: str) -> None:
    assert remedy_for(Cause(kind, ("OperationalError",), message)) == ""


def test_who_refuses_a_connection() -> None:
    assert remedy_for(refused("[Errno 111] Connection refused")) == ""
    assert remedy_for(refused("[Errno 111] Connect call failed ('127.0.0.1', 8000)")) == ""
    assert remedy_for(refused("[Errno 111] Connect call failed ('::1', 8000, 0, 0)")) == ""
    assert "10.0.0.5" in remedy_for(refused("[Errno 111] Connect call failed ('10.0.0.5', 8000)"))
    assert "Redis" in remedy_for(refused("[Errno 111] Connect call failed ('::1', 6379, 0, 0)"))


@pytest.mark.parametrize(
    ("kind", "message", "outside"),
    [
        ("httpx.ConnectError", "[Errno -3] Temporary failure in name resolution", True),
        ("httpx.ConnectError", "[Errno 101] Network is unreachable", True),
        ("httpx.ConnectError", "[Errno 111] Connection refused", False),
        ("shop.errors.Offline", "[Errno -3] Temporary failure in name resolution", False),
        ("builtins.RuntimeError", "[Errno -3] Temporary failure in name resolution", False),
        ("httpx.HTTPStatusError", "said: [Errno -3] Temporary failure", False),
    ],
)
def test_what_a_library_kept_of_the_error(kind: str, message: str, outside: bool) -> None:
    assert bool(remedy_for(Cause(kind, ("Exception",), message))) == outside


def test_what_the_code_or_a_mock_raises_never_happened() -> None:
    real = Cause("builtins.OSError", ("OSError",), "", 101)
    assert remedy_for(real) != ""
    assert remedy_for(Cause("builtins.OSError", ("OSError",), "", 101, raised=True)) == ""
    assert remedy_for(Cause("builtins.OSError", ("OSError",), "", 101, place="mock.py:_execute")) == ""


@pytest.mark.parametrize(
    ("ended", "used", "outside"),
    [
        ("timeout", 8.0, ["t.py::b", "t.py::c"]),
        ("timeout", 1.0, []),
        ("oom", 1.0, ["t.py::b", "t.py::c"]),
        ("crashed", 9.0, []),
        ("finished", 9.0, []),
    ],
)
def test_what_a_limit_kept_from_running(ended: Ended, used: float, outside: list[str]) -> None:
    plan = Plan(("t.py::a", "t.py::b", "t.py::c"))
    report = Report(ended, (CaseResult("t.py::a", "passed", used),), plan.ids, seconds=10.0)
    assert list(environment_failures(plan, sort_failures(report, plan.ids, AROUND))) == outside


MISSING = Failure("ModuleNotFoundError", "", causes=(module("requests"),))


def test_only_the_first_run_sorts() -> None:
    plan = Plan(("t.py::a", "t.py::b", "t.py::c"))
    cases = (CaseResult("t.py::a", "failed"), CaseResult("t.py::b", "passed"))
    first = Report("finished", (*cases, CaseResult("t.py::c", "failed", failure=MISSING)), plan.ids)
    baseline = sort_failures(first, plan.ids, AROUND)
    assert list(environment_failures(plan, baseline)) == ["t.py::c"]
    later = Report(
        "finished",
        (
            CaseResult("t.py::a", "passed"),
            CaseResult("t.py::b", "failed", failure=MISSING),
            CaseResult("t.py::c", "failed", failure=MISSING),
        ),
        plan.ids,
    )
    judgement = judge(plan, baseline, ("t.py::a",), sort_failures(later, plan.ids, AROUND))
    assert (judgement.fixed, judgement.broken) == (("t.py::a",), ("t.py::b",))


def test_a_file_is_outside_the_code_only_when_each_of_its_errors_is() -> None:
    plan = Plan((), {"t.py": (), "u.py": ()})
    report = Report(
        "finished",
        (
            CaseResult("t.py", "error", failure=MISSING),
            CaseResult("u.py::A", "error", failure=MISSING),
            CaseResult("u.py::B", "error", failure=Failure("SyntaxError", "")),
        ),
    )
    assert list(environment_failures(plan, sort_failures(report, (), AROUND))) == ["t.py"]


def test_output_of_a_run_that_never_began() -> None:
    said = "ImportError while loading conftest\nE   ModuleNotFoundError: No module named 'django'\n"
    assert missing_from(said, AROUND).startswith("Install django in")
    assert missing_from(said.replace("django", "shop"), AROUND) == ""
    assert missing_from("E   SyntaxError", AROUND) == ""


def test_surroundings_of_a_workspace(tmp_path: Path) -> None:
    root = tmp_path / "my_shop"
    for path in ("src/cart/prices.py", "tests/helper.py", "assets/logo.png", "assets/sub/a.txt"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / "pyproject.toml").write_text('[project]\nname = "Corner-Shop"\n')
    (root / ".env").write_text("KEY=1")
    around = surroundings(take_snapshot(root, exclude=["assets"]))
    assert {"cart", "prices", "helper", "my_shop", "corner_shop"} <= around.own_modules
    assert "requests" not in around.own_modules
    assert around.left_out(".env")
    assert around.left_out("assets/logo.png")
    assert not around.left_out("assets/never.png"), "the user has no such file, either"
    assert not around.left_out("assets/../../my_shop/.env")
    assert not around.left_out("src/cart/prices.py")


@pytest.mark.parametrize("text", ["", "[project", "project = 1", "[project]\nname = 3"])
def test_a_broken_pyproject_is_no_obstacle(tmp_path: Path, text: str) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert isinstance(surroundings(take_snapshot(tmp_path)), Surroundings)


def test_an_empty_snapshot() -> None:
    empty: dict[str, Entry] = {}
    assert surroundings(Snapshot(Path("/p/shop"), empty, {}, "")).own_modules == {"shop", ""}


async def test_a_solver_sees_nothing_of_it() -> None:
    plan = Plan(("t.py::a", "t.py::b"))
    cases = (CaseResult("t.py::a", "failed"), CaseResult("t.py::b", "failed", failure=MISSING))
    tasks: list[Task] = []

    class Curious:
        name = "curious"

        async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
            tasks.append(task)
            return
            yield

    class Scripted:
        """A bench whose box would say this."""

        attempts = ()
        clues = Clues()

        async def baseline(self, one_test: float | None = None, listed: object = None) -> Report:
            return Report("finished", cases, plan.ids)

        async def rerun(self, ids: tuple[str, ...], *, one_order: bool) -> Report:
            return Report("finished", cases, ids)

        def prepare_fresh(self) -> None:
            pass

    snapshot = Snapshot(Path("/p/shop"), {}, {}, "")
    verdict = await solve(
        Goal(snapshot.root),
        snapshot,
        cast(Bench, Scripted()),
        (Curious(),),
        Budget(1, 1.0),
        lambda plan: protect({}, plan.files, (), frozenset(), may_change_tests=False),
        lambda event: None,
    )
    assert [case.id for case in tasks[0].baseline.cases] == ["t.py::a"]
    assert tasks[0].failing == ("t.py::a",)
    assert [test_id for test_id, _ in verdict.environment] == ["t.py::b"]
    assert verdict.still_failing == ("t.py::a",)


def test_scripts_are_told() -> None:
    verdict = Verdict("blocked", "Install it.", environment=(("t.py::b", "Install it."),))
    assert exit_code(verdict) == 3
    assert object_of_test(verdict, "docker")["environment"] == [{"id": "t.py::b", "remedy": "Install it."}]
