"""Versions of functions are tried fast, whatever the function and its tests look like."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from boxes import Rig, changes
from sandbox.candidates import version
from sandbox.evaluated_project import FILES
from sandbox.evaluated_shapes import EVERY
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.evaluation import Candidate, Evaluation, EvaluationRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

REQUEST = RunRequest(("test_shapes.py",))
GOOD = ("test_shapes.py::test_good",)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shapes(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(FILES) as box:
        yield box


async def evaluated(
    box: Box, tests: tuple[str, ...], *candidates: Candidate, passing: tuple[str, ...] = GOOD, **more: float
) -> Evaluation:
    failing = tuple(f"test_shapes.py::{name}" for name in tests)
    wanted = EvaluationRequest(candidates, failing, passing, **more)  # type: ignore[arg-type]
    return await box.evaluate(REQUEST, wanted)


@pytest.mark.parametrize("name", EVERY)
async def test_the_right_version_is_found(shapes: Box, name: str) -> None:
    shape = EVERY[name]
    wrong = version(shape.function, *shape.wrong, nth=shape.nth)
    right = version(shape.function, *shape.right, nth=shape.nth)
    same = version(shape.function, "\n", "  # Nothing else.\n", nth=shape.nth)
    told = await evaluated(shapes, shape.tests, wrong, right, same, wrong)
    assert told.problems == ()
    hows = [one.how for one in told.tried]
    assert hows[1:] == ["plausible", "duplicate", "duplicate"], told
    assert hows[0] == ("timeout" if name == "endless" else "failed"), told
    assert told.tried[0].killer.removeprefix("test_shapes.py::") in shape.tests
    assert told.tried[1].passed == len(shape.tests)
    assert told.cpu_seconds > 0


def plain(*bodies: str) -> tuple[Candidate, ...]:
    return tuple(version("plain", "n - 1", body) for body in bodies)


async def test_what_the_users_own_code_did_to_a_default_decides_about_no_version(shapes: Box) -> None:
    # In between the user's own code is asked again and again, and each time it keeps what it was given.
    many = [version("collects", "append(item)", f"append(item + {n})") for n in range(1, 100)]
    right = version("collects", "found.append(item)", "found = found.copy(); found.append(item)")
    told = await evaluated(shapes, ("test_collects",), *many, right)
    assert [one.how for one in told.tried] == [*["failed"] * len(many), "plausible"]


async def test_what_cannot_be_tried_is_told_apart(shapes: Box) -> None:
    told = await evaluated(
        shapes,
        ("test_plain",),
        *plain("n +", "n + 1"),
        Candidate("shapes.py", "plain", 10, "def other(n):\n    return n + 1\n"),
        Candidate("shapes.py", "plain", 10, "def plain(n):\n    return n + 1\nplain = 3\n"),
        Candidate("shapes.py", "plain", 11, "def plain(n):\n    return n + 1\n"),
        Candidate("nothing.py", "plain", 10, "def plain(n):\n    return n + 1\n"),
        version("outer", "> 1", "> 0"),
        Candidate("shapes.py", "plain", 10, "@print\ndef plain(n):\n    return n + 1\n"),
    )
    assert [one.how for one in told.tried] == [
        *("invalid", "plausible", "invalid", "invalid", "unfit", "unfit", "unfit", "unfit"),
    ], told
    assert told.tried[6].detail == "no failing test calls it"


async def test_near_misses_tell_how_near(shapes: Box) -> None:
    tests = ("test_plain", "test_parametrised[given0-wanted0]", "test_parametrised[given1-wanted1]")
    told = await evaluated(
        shapes, tests, *plain("n + 1", "n + 7", "2 if n == 1 else 5", "0 if n == -1 else 5")
    )
    assert [(one.how, one.passed) for one in told.tried][:2] == [("plausible", 3), ("failed", 0)]
    # Which test is asked first is not said; one that passes some before it fails says of how many.
    assert [one.how for one in told.tried[2:]] == ["failed", "failed"]
    assert max(one.passed for one in told.tried[2:]) in (1, 2)


async def test_a_test_that_passes_must_go_on_passing(shapes: Box) -> None:
    told = await evaluated(shapes, ("test_plain",), *plain("n + 1 if n < 3 else 3", "n + 1"))
    assert [one.how for one in told.tried] == ["failed", "plausible"]
    assert told.tried[0].killer == "test_shapes.py::test_good"
    assert (told.tried[0].detail, told.tried[0].passed) == ("AssertionError", 1)


@pytest.mark.parametrize("rung", ["cold", "checkpoint", "auto"])
async def test_files_that_are_laid_over_are_what_is_tried(shapes: Box, rung: str) -> None:
    changed = changes({"shapes.py": FILES["shapes.py"].replace("n - 1", "n - 7")})  # type: ignore[union-attr, arg-type]
    right, wrong = plain("n + 1", "n - 1")
    wanted = EvaluationRequest((wrong, right), ("test_shapes.py::test_plain",), GOOD)
    request = RunRequest(("test_shapes.py",), rung=rung)  # type: ignore[arg-type]
    told = await shapes.evaluate(request, wanted, changed)
    assert [one.how for one in told.tried] == ["failed", "plausible"]
    report = await shapes.run(RunRequest(("test_shapes.py::test_plain",)))
    assert report.red


async def test_a_project_that_cannot_be_collected_is_told(shapes: Box) -> None:
    broken = changes({"shapes.py": "def plain(:\n"})
    for failing, changed in (("nothing.py::test_it", ()), ("test_shapes.py::test_plain", broken)):
        wanted = EvaluationRequest(plain("n + 1"), (failing,))
        told = await shapes.evaluate(RunRequest((failing,)), wanted, changed)
        assert [one.how for one in told.tried] == ["untried"]
        assert told.problems
    told = await shapes.evaluate(REQUEST, EvaluationRequest((), ("test_shapes.py::test_plain",)))
    assert (told.tried, told.problems) == ((), ())
