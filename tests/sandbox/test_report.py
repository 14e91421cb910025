"""What a Report says about each kind of test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from boxes import Rig, changes, only, run
from sandbox.kinds import COLLECT_ERRORS, FILE, OUTCOMES, SUITE
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.report import CaseResult, Report

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def box(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(SUITE) as box:
        yield box


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(box: Box) -> Report:
    return await run(box)


def case(report: Report, name: str) -> CaseResult:
    found = report.case(f"{FILE}::{name}")
    assert found is not None, report.outcomes()
    return found


async def test_every_test_is_reported_once_with_its_outcome(report: Report) -> None:
    expected = {f"{FILE}::{name}": outcome for name, outcome in OUTCOMES.items()}
    assert report.outcomes() == {**dict.fromkeys(COLLECT_ERRORS, "error"), **expected}
    assert len(report.cases) == len(report.outcomes())
    assert set(report.planned) == set(expected)
    assert (report.ended, report.detail) == ("finished", "")
    assert 0 < report.seconds < 60


async def test_a_failed_comparison_has_both_values(report: Report) -> None:
    failure = case(report, "test_fail").failure
    assert failure is not None
    assert (failure.type, failure.actual, failure.expected) == ("AssertionError", "0", "4")
    assert failure.message.startswith("assert 0 == 4")
    failure = case(report, "Case::test_equal").failure
    assert failure is not None
    assert (failure.type, failure.actual, failure.expected) == ("AssertionError", "2", "4")


async def test_values_of_one_test_do_not_reach_another(report: Report) -> None:
    for name in ("test_raise", "test_other_comparison", "test_setup"):
        failure = case(report, name).failure
        assert failure is not None
        assert (failure.actual, failure.expected) == (None, None), name


async def test_a_repr_that_fails_is_said(report: Report) -> None:
    failure = case(report, "test_repr_fails").failure
    assert failure is not None
    assert failure.actual == "<Odd whose repr fails: ValueError>"
    assert failure.expected == "1"


async def test_frames_are_those_of_the_workspace(report: Report) -> None:
    failure = case(report, "test_raise").failure
    assert failure is not None
    assert (failure.type, failure.message) == ("LookupError", "no cat here")
    assert [(frame.path, frame.line, frame.function, frame.source) for frame in failure.frames] == [
        (FILE, 15, "test_raise", 'calc.outer("cat")'),
        ("pkg/calc.py", 5, "outer", "return inner(a)"),
        ("pkg/calc.py", 8, "inner", 'raise LookupError(f"no {a} here")'),
    ]


async def test_frames_of_others_have_no_path(report: Report) -> None:
    failure = case(report, "test_foreign_frames").failure
    assert failure is not None
    assert failure.type == "JSONDecodeError"
    assert [frame.path for frame in failure.frames][:2] == [FILE, None]
    assert not [frame for frame in failure.frames[1:] if frame.path]


async def test_places(report: Report) -> None:
    assert (case(report, "test_pass").path, case(report, "test_pass").line) == (FILE, 8)
    assert case(report, "TestClass::test_method").line == 48
    assert case(report, "Case::test_equal").line == 56
    assert case(report, "test_many[2]").line == 39, "a decorator belongs to its test"


async def test_reasons(report: Report) -> None:
    reasons = {
        "test_skip": "Skipped: not today",
        "test_skip_mark": "Skipped: never",
        "test_xfail": "known",
        "test_xpass": "was known",
        "Case::test_skipped": "Skipped: unittest skips",
    }
    assert {name: case(report, name).reason for name in reasons} == reasons
    assert {case(report, name).failure for name in reasons} == {None}
    assert "must fail" in case(report, "test_strict_xpass").message


async def test_setup_and_teardown(report: Report) -> None:
    assert case(report, "test_setup").message == "no set-up"
    assert case(report, "test_teardown").message == "no tear-down"
    assert case(report, "test_both").message == "assert 1 == 2", "the first failure is the one that is told"
    failure = case(report, "test_setup").failure
    assert failure is not None
    assert failure.frames[-1].function == "broken"


async def test_a_file_that_cannot_be_imported_is_located(report: Report) -> None:
    broken = report.case("tests/test_broken.py")
    assert broken is not None and broken.failure is not None
    assert (broken.path, broken.failure.type) == ("tests/test_broken.py", "ModuleNotFoundError")
    assert "nowhere_to_be_found" in broken.failure.message
    assert (broken.failure.frames[-1].path, broken.failure.frames[-1].line) == ("tests/test_broken.py", 1)


async def test_the_cause_of_an_import_is_located_where_it_lies(report: Report) -> None:
    indirect = report.case("tests/test_indirect.py")
    assert indirect is not None and indirect.failure is not None
    places = [(frame.path, frame.line) for frame in indirect.failure.frames if frame.path]
    assert places == [("tests/test_indirect.py", 1), ("pkg/bad.py", 2)]
    assert indirect.failure.type == "ZeroDivisionError"


async def test_a_syntax_error_is_located(report: Report) -> None:
    syntax = report.case("tests/test_syntax.py")
    assert syntax is not None and syntax.failure is not None
    assert syntax.failure.type == "SyntaxError"
    assert (syntax.failure.frames[-1].path, syntax.failure.frames[-1].line) == ("tests/test_syntax.py", 4)


async def test_a_plan_lists_and_runs_nothing(box: Box, report: Report) -> None:
    source = """\
        def test_one():
            print("it ran")
            assert False
        """
    plan = await box.plan(RunRequest())
    assert plan.planned == report.planned
    assert plan.outcomes() == dict.fromkeys(COLLECT_ERRORS, "error")
    assert plan.ended == "finished"
    listed = await box.plan(RunRequest(ids=("tests/test_kinds.py::test_many", "tests/test_kinds.py::Case")))
    assert {test_id.removeprefix(f"{FILE}::") for test_id in listed.planned} == {
        name for name in OUTCOMES if name.startswith(("test_many", "Case"))
    }
    ran = await box.run(RunRequest(ids=("tests/test_new.py",)), changes({"tests/test_new.py": source}))
    assert only(ran).outcome == "failed"
    assert "it ran" in ran.output.head


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (["test_fail"], ["test_fail"]),
        (["test_skip"], ["test_skip"]),
        (["test_many[1]", "test_pass"], ["test_pass", "test_many[1]"]),
        (["test_many"], ["test_many[1]", "test_many[2]", "test_many[3]"]),
        (["TestClass"], ["TestClass::test_method", "TestClass::TestInner::test_deep"]),
        (["TestClass::TestInner"], ["TestClass::TestInner::test_deep"]),
        (["test_odd_ids[::]", "test_odd_ids[[x]]"], ["test_odd_ids[::]", "test_odd_ids[[x]]"]),
    ],
    ids=lambda names: ",".join(names),
)
async def test_only_what_was_asked_for_runs(box: Box, asked: list[str], found: list[str]) -> None:
    report = await run(box, None, *(f"{FILE}::{name}" for name in asked))
    assert [case.id for case in report.cases] == [f"{FILE}::{name}" for name in found]
    assert report.planned == tuple(f"{FILE}::{name}" for name in found)


async def test_a_path_runs_all_in_it(box: Box, report: Report) -> None:
    assert (await run(box, None, "tests")).outcomes() == report.outcomes()
    assert (await run(box, None, "tests/")).outcomes() == report.outcomes()
    assert len((await run(box, None, FILE)).cases) == len(OUTCOMES)


async def test_an_id_that_is_not_there_is_not_green(box: Box) -> None:
    for missing in (f"{FILE}::test_nobody", "tests/test_missing.py", "tests/test_missing.py::test_x"):
        report = await run(box, None, missing)
        assert not [case for case in report.cases if case.outcome == "passed"]
        assert report.faults([missing]), missing
