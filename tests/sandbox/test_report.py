"""What a Report says about each kind of test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from boxes import Rig, changes, only, run
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.report import CaseResult, Report

pytestmark = pytest.mark.asyncio(loop_scope="module")

SUITE = {
    "pkg/__init__.py": "",
    "pkg/calc.py": """\
        def add(a, b):
            return a - b

        def outer(a):
            return inner(a)

        def inner(a):
            raise LookupError(f"no {a} here")
        """,
    "tests/test_kinds.py": """\
        import json
        import unittest

        import pytest

        from pkg import calc

        def test_pass():
            assert calc.add(2, 0) == 2

        def test_fail():
            assert calc.add(2, 2) == 4

        def test_raise():
            calc.outer("cat")

        def test_foreign_frames():
            json.loads("{")

        def test_skip():
            pytest.skip("not today")

        @pytest.mark.skip(reason="never")
        def test_skip_mark():
            raise AssertionError

        @pytest.mark.xfail(reason="known")
        def test_xfail():
            assert False

        @pytest.mark.xfail(reason="was known")
        def test_xpass():
            assert True

        @pytest.mark.xfail(strict=True, reason="must fail")
        def test_strict_xpass():
            assert True

        @pytest.mark.parametrize("n", [1, 2, 3])
        def test_many(n):
            assert n != 2

        @pytest.mark.parametrize("text", ["a b", "::", "[x]"])
        def test_odd_ids(text):
            assert text

        class TestClass:
            def test_method(self):
                assert calc.add(1, 1) == 2

            class TestInner:
                def test_deep(self):
                    pass

        class Case(unittest.TestCase):
            def test_equal(self):
                self.assertEqual(calc.add(3, 1), 4)

            def test_right(self):
                self.assertTrue(True)

            @unittest.skip("unittest skips")
            def test_skipped(self):
                pass

            @unittest.expectedFailure
            def test_expected(self):
                self.fail("as expected")

            def test_parts(self):
                for n in (1, 2):
                    with self.subTest(n=n):
                        self.assertEqual(n, 1)

        @pytest.fixture
        def broken():
            raise RuntimeError("no set-up")

        @pytest.fixture
        def bad_end():
            yield
            raise RuntimeError("no tear-down")

        def test_setup(broken):
            pass

        def test_teardown(bad_end):
            pass

        def test_both(bad_end):
            assert 1 == 2

        class Odd:
            def __repr__(self):
                raise ValueError
            def __eq__(self, other):
                return False

        def test_repr_fails():
            assert Odd() == 1

        def test_other_comparison():
            assert 1 > 2, "not greater"

        def test_exit():
            raise SystemExit(0)
        """,
    "tests/test_broken.py": "import nowhere_to_be_found\n\ndef test_never():\n    pass\n",
    "tests/test_syntax.py": "def test_one():\n    pass\n\ndef test_two(:\n    pass\n",
    "tests/test_indirect.py": "from pkg.bad import x\n",
    "pkg/bad.py": "x = 1\nraise ZeroDivisionError('at import')\n",
}
FILE = "tests/test_kinds.py"
OUTCOMES = {
    "test_pass": "passed",
    "test_fail": "failed",
    "test_raise": "failed",
    "test_foreign_frames": "failed",
    "test_skip": "skipped",
    "test_skip_mark": "skipped",
    "test_xfail": "xfailed",
    "test_xpass": "xpassed",
    "test_strict_xpass": "failed",
    "test_many[1]": "passed",
    "test_many[2]": "failed",
    "test_many[3]": "passed",
    "test_odd_ids[a b]": "passed",
    "test_odd_ids[::]": "passed",
    "test_odd_ids[[x]]": "passed",
    "TestClass::test_method": "failed",
    "TestClass::TestInner::test_deep": "passed",
    "Case::test_equal": "failed",
    "Case::test_right": "passed",
    "Case::test_skipped": "skipped",
    "Case::test_expected": "xfailed",
    "Case::test_parts": "failed",
    "test_setup": "error",
    "test_teardown": "error",
    "test_both": "failed",
    "test_repr_fails": "failed",
    "test_other_comparison": "failed",
    "test_exit": "failed",
}
COLLECT_ERRORS = ["tests/test_broken.py", "tests/test_indirect.py", "tests/test_syntax.py"]


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
