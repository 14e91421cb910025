"""What a solver sees of the loop while it works: reflections, the best state, what it may still spend."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

from boxes import spec_for
from untilgreen.events import Event, Searching
from untilgreen.model import FileChange, Goal, Patch, Proposal, Spent, Verdict
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.guard import protect
from untilgreen.solve.loop import solve
from untilgreen.solvers import Solver, Task, Workbench
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.box import Chosen, Interpreter

CODE = "def add(a, b):\n    return {}\n\n\ndef sub(a, b):\n    return {}\n"
TESTS = """\
from calc import add, sub


def test_add():
    assert add(1, 2) == 3


def test_sub():
    assert sub(3, 2) == 1
"""


def proposal(add: str, sub: str) -> Proposal:
    return Proposal(Patch({"calc.py": FileChange(CODE.format(add, sub).encode())}))


def write(root: Path) -> None:
    root.mkdir()
    (root / "calc.py").write_text(CODE.format("a - b", "a + b"))
    (root / "test_calc.py").write_text(TESTS)


async def solved(
    root: Path, interpreter: Interpreter, *solvers: Solver, budget: Budget
) -> tuple[Verdict, list[Event]]:
    write(root)
    pool = Pool(Chosen("bubblewrap", "for a test"), spec_for("bubblewrap", root, interpreter))
    snapshot = take_snapshot(root)
    heard: list[Event] = []
    try:
        verdict = await solve(
            Goal(root),
            snapshot,
            Bench(pool, snapshot, ()),
            solvers,
            budget,
            lambda plan: protect(snapshot.entries, plan.files, ("",), frozenset(), may_change_tests=False),
            heard.append,
        )
    finally:
        await pool.close()
    return verdict, heard


class Watchful:
    """Fixes one test, then the same again, then looks at what it was told."""

    name = "watchful"

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        assert bench.reflection is None and bench.attempts == () and not bench.best
        for _ in range(2):
            bench.say("thinking")
            yield proposal("a + b", "a + b")
            assert bench.reflection is not None
            self.seen.append(f"{bench.reflection.pattern} {bench.reflection.advice}")
        assert bench.best.files["calc.py"].content == CODE.format("a + b", "a + b").encode()
        assert [attempt.repeats for attempt in bench.attempts] == [None, 1]
        assert not bench.afford(tokens=2000)
        assert bench.afford(tokens=900)
        bench.settle(Spent(tokens=850))
        assert bench.afford(tokens=10)


class Finishing:
    name = "finishing"

    def __init__(self) -> None:
        self.ended = False

    async def proposals(self, task: Task, bench: Workbench) -> AsyncIterator[Proposal]:
        assert task.failing == ("test_calc.py::test_sub",)
        assert [case.id for case in task.baseline.red] == ["test_calc.py::test_sub"]
        assert task.base.files["calc.py"].content == CODE.format("a + b", "a + b").encode()
        assert bench.best == task.base and bench.reflection is None and len(bench.attempts) == 2
        try:
            yield proposal("a + b", "a - b")
        finally:
            self.ended = True


async def test_what_solvers_see(tmp_path: Path, bare_environment: Interpreter) -> None:
    watchful, finishing = Watchful(), Finishing()
    budget = Budget(8, 600.0, max_tokens=2000)
    verdict, heard = await solved(tmp_path / "project", bare_environment, watchful, finishing, budget=budget)
    assert (verdict.kind, verdict.solver) == ("green", "finishing"), verdict.reason
    assert watchful.seen == ["improving go_on", "known_state warning"]
    assert finishing.ended, "nobody is left behind in the middle of a thought"
    assert Searching(1, "thinking") in heard
    assert verdict.spent.tokens == 860, "settled, and what was reserved and never settled"
