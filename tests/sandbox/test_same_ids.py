"""Tests that are named by the order of sets have the same names in every process, and no other price is paid.

The order comes from the seed of hashes, which the test process is given by a variable. So it does look at its
environment, and everything that it was closed to before must still be closed.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from boxes import Rig, changes, only, run, run_one
from sandbox.candidates import version
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.evaluation import EvaluationRequest
from untilgreen_sandbox.inside import interpreter, packed, pytest_child

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

CODE = "def least(word):\n    return min(word)\n"
FILES = {
    "words.py": CODE,
    "test_words.py": """\
        import datetime
        import pytest
        from words import least

        # Named by their place in the set, because a day has no name.
        DAYS = {(word, datetime.date(2020, 1, 1)) for word in "one two three four five six".split()}

        @pytest.mark.parametrize("word, day", DAYS)
        def test_least(word, day):
            assert least(word) == sorted(word)[0]

        @pytest.fixture(params={b"alpha", b"beta", b"gamma", b"delta"})
        def text(request):
            return object(), request.param.decode()

        @pytest.mark.parametrize("day", [[word] for word in {*"abcdefghi"}])
        def test_first(text, day):
            assert least(day[0]) == day[0]
    """,
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def words(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(FILES) as box:
        yield box


async def test_the_same_in_every_kind_of_run(words: Box, shared_rig: Rig) -> None:
    ids = (await words.plan(RunRequest())).planned
    assert len(ids) == 6 + 4 * 9
    changed = {"words.py": CODE.replace("min", "max")}
    reports = {
        "cold": await run(words, rung="cold"),
        "checkpoint": await run(words, changed, rung="checkpoint"),
        "checkpoint again": await run(words, rung="checkpoint"),
        "cold and changed": await run(words, changed, rung="cold"),
        "trace": (await words.trace(RunRequest())).report,
    }
    async with shared_rig.box(FILES) as fresh:
        reports["planned elsewhere"] = await fresh.plan(RunRequest())
        reports["fresh"] = await run(fresh)
    assert {name: report.planned for name, report in reports.items()} == dict.fromkeys(reports, ids)
    assert reports["cold"].faults(ids) == ()
    assert reports["checkpoint"].rung == reports["checkpoint again"].rung == "checkpoint"
    assert reports["checkpoint"].outcomes() == reports["cold and changed"].outcomes()
    assert reports["checkpoint"].faults(ids) != ()
    failing = tuple(case.id for case in reports["checkpoint"].red)
    right = version("least", "max", "min", source=changed["words.py"], path="words.py")
    wanted = EvaluationRequest((right,), failing, tuple(set(ids) - set(failing)))
    told = await words.evaluate(RunRequest(), wanted, changes(changed))
    assert (told.problems, told.tried[0].how) == ((), "plausible")


async def test_children_draw_seeds_of_their_own(words: Box) -> None:
    source = """\
        import multiprocessing, os, subprocess, sys

        def child(*words):
            return subprocess.run([sys.executable, *words], check=True, capture_output=True, text=True).stdout

        def test_it():
            assert "PYTHONHASHSEED" not in os.environ
            assert "HASHSEED" not in child("-c", "import os; print(os.environ)")
            seen = {child("-c", "print(hash('a'))") for _ in range(3)}
            assert len(seen) == 3
            assert not sys.flags.isolated and not sys.flags.ignore_environment

        def test_spawned():
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                assert pool.apply(len, ["abc"]) == 3
    """
    report = await run_one(words, source)
    assert report.faults(["test_it.py::test_it", "test_it.py::test_spawned"]) == (), report


OURS = sorted(
    {
        name
        for module in (interpreter, packed, pytest_child)
        for name, value in vars(module).items()
        if isinstance(value, type(sys)) and name not in sys.builtin_module_names
    }
    | {"__future__", "typing", "collections", "sitecustomize", "usercustomize", "pytest", "_pytest"}
)


@pytest.mark.parametrize("rung", ["cold", "checkpoint"])
async def test_nothing_of_the_workspace_comes_before_us(shared_rig: Rig, rung: str) -> None:
    """Neither as a file of the folder that a process starts in, nor from the home of its user."""
    stolen = "import os\nos._exit(3)\n"
    files = {f"{name}.py": stolen for name in OURS}
    path = "import sys\ndef test_it():\n    assert '' not in sys.path\n    assert sys.flags.no_user_site\n"
    async with shared_rig.box({**files, "test_it.py": "from probe import *\n", "probe.py": ""}) as box:
        report = await run(box, {"probe.py": path}, "test_it.py", rung=rung)
    assert (only(report).message, report.rung) == ("", rung)
