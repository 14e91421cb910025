"""Tests that are not plain functions: unittest alone, doctests, failing fixtures, async tests, subtests."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxes import Files, Rig, only, run
from shapes.environments import environment_with
from untilgreen_sandbox.box import RunRequest
from untilgreen_sandbox.environment import Surroundings, sort_failures
from untilgreen_sandbox.report import CaseResult, Report

UNITTEST = """\
    import unittest

    class Case(unittest.TestCase):
        def test_right(self):
            self.assertEqual(1, 1)

        def test_wrong(self):
            self.assertEqual([1], [2])
    """
UNITTEST_PROJECT: Files = {
    "testfirst.py": UNITTEST,
    "tests/__init__.py": "",
    "tests/test_second.py": UNITTEST,
    "tests/third_test.py": UNITTEST,
    "tests/other.py": UNITTEST,
}
FOUND = ["testfirst.py", "tests/test_second.py", "tests/third_test.py"]


def cases(report: Report) -> dict[str, CaseResult]:
    assert report.ended == "finished", (report.detail, report.output.head)
    assert len(report.cases) == len(report.outcomes())
    return {case.id.split("::", 1)[1]: case for case in report.cases}


async def test_unittest_alone_has_its_own_file_names(rig: Rig) -> None:
    async with rig.box(UNITTEST_PROJECT) as box:
        report = await run(box)
        ids = [f"{path}::Case::test_{name}" for path in FOUND for name in ("right", "wrong")]
        assert sorted(report.outcomes()) == sorted(ids)
        assert report.planned == (await box.plan(RunRequest())).planned
        failed = report.case("testfirst.py::Case::test_wrong")
        assert failed is not None
        assert failed.failure is not None
        assert (failed.failure.actual, failed.failure.expected) == ("[1]", "[2]")


@pytest.mark.dealt
@pytest.mark.parametrize(
    "more",
    [
        {"pytest.ini": ""},
        {"setup.cfg": "[tool:pytest]\n"},
        {"pyproject.toml": "[tool.pytest.ini_options]\n"},
        {"conftest.py": ""},
        {"tests/conftest.py": ""},
        {"tests/test_fourth.py": "import pytest\n"},
    ],
    ids=lambda more: next(iter(more)),
)
async def test_where_pytest_is_spoken_of_its_file_names_count(rig: Rig, more: Files) -> None:
    async with rig.box({**UNITTEST_PROJECT, **more}) as box:
        paths = {test_id.split("::")[0] for test_id in (await box.plan(RunRequest())).planned}
        assert sorted(paths) == FOUND[1:]


async def test_doctests(rig: Rig) -> None:
    files: Files = {
        "pytest.ini": "[pytest]\naddopts = --doctest-modules --doctest-glob=*.md\n",
        "shop.py": '''\
            """
            >>> 1 + 1
            2
            """

            def add(a, b):
                """Add.

                >>> add(1, 1)
                2
                >>> add(1, 2)
                3
                """
                return a + b if a == b else a - b

            def broken():
                """
                >>> broken()
                """
                raise KeyError("x")
            ''',
        "guide.md": "Hello\n\n    >>> 2 * 3\n    7\n",
    }
    async with rig.box(files) as box:
        report = await run(box)
        assert report.outcomes() == {
            "guide.md::guide.md": "failed",
            "shop.py::shop": "passed",
            "shop.py::shop.add": "failed",
            "shop.py::shop.broken": "failed",
        }
        failure = cases(report)["shop.add"].failure
        assert failure is not None
        assert (failure.type, failure.actual, failure.expected) == ("DocTestFailure", "-1", "3")
        assert [(one.path, one.line, one.source) for one in failure.frames] == [("shop.py", 11, "add(1, 2)")]
        failure = cases(report)["shop.broken"].failure
        assert failure is not None
        assert (failure.type, failure.message) == ("KeyError", "'x'")
        assert [(one.path, one.line) for one in failure.frames] == [("shop.py", 18), ("shop.py", 20)]
        failure = cases(report)["guide.md"].failure
        assert failure is not None
        assert [(one.path, one.line) for one in failure.frames] == [("guide.md", 3)]


@pytest.mark.dealt
@pytest.mark.parametrize("scope", ["class", "module", "session"])
async def test_a_fixture_that_fails_is_an_error_of_each_of_its_tests(rig: Rig, scope: str) -> None:
    source = f"""\
        import pytest

        @pytest.fixture(scope="{scope}")
        def server():
            raise RuntimeError("no server")

        class TestUser:
            def test_one(self, server): pass
            def test_two(self, server): pass
            def test_three(self): pass
        """
    async with rig.box({"test_it.py": source}) as box:
        found = cases(await run(box))
        assert {name: case.outcome for name, case in found.items()} == {
            "TestUser::test_one": "error",
            "TestUser::test_two": "error",
            "TestUser::test_three": "passed",
        }
        for name in ("TestUser::test_one", "TestUser::test_two"):
            failure = found[name].failure
            assert failure is not None
            assert (failure.type, failure.message) == ("RuntimeError", "no server")
            assert failure.frames[-1].line == 5


@pytest.mark.dealt
@pytest.mark.parametrize("where", ["setUpClass", "setUpModule"])
async def test_a_set_up_of_unittest_that_fails(rig: Rig, where: str) -> None:
    body = "raise RuntimeError('no server')"
    inside = f"@classmethod\n    def setUpClass(cls): {body}\n" if where == "setUpClass" else "pass\n"
    outside = f"def setUpModule(): {body}\n" if where == "setUpModule" else ""
    source = f"import unittest\n{outside}class Case(unittest.TestCase):\n    {inside}"
    source += "    def test_one(self): pass\n    def test_two(self): pass\n"
    async with rig.box({"test_it.py": source}) as box:
        found = cases(await run(box))
        assert [case.outcome for case in found.values()] == ["error", "error"]
        assert {case.message for case in found.values()} == {"no server"}


ASYNC = """\
    import asyncio

    async def double(n):
        await asyncio.sleep(0)
        return n + 1

    async def test_right():
        assert await double(1) == 2

    async def test_wrong():
        assert await double(2) == 4
    """


async def test_async_tests(tmp_path: Path) -> None:
    """On bubblewrap alone: the shape of a project with asyncio runs in an image, too."""
    interpreter = environment_with("pytest", "pytest-asyncio")
    rig = Rig("bubblewrap", tmp_path / "project", interpreter)
    async with rig.box({"test_it.py": ASYNC, "pytest.ini": "[pytest]\nasyncio_mode = auto\n"}) as box:
        found = cases(await run(box))
        assert {name: case.outcome for name, case in found.items()} == {
            "test_right": "passed",
            "test_wrong": "failed",
        }
        failure = found["test_wrong"].failure
        assert failure is not None
        assert (failure.actual, failure.expected) == ("3", "4")
        assert [(one.path, one.line) for one in failure.frames if one.path] == [("test_it.py", 11)]


async def test_async_tests_without_a_plugin_need_one(rig: Rig) -> None:
    async with rig.box({"test_it.py": ASYNC}) as box:
        report = sort_failures(await run(box), (), Surroundings())
        assert [case.environment for case in report.cases] == [
            "Install pytest-asyncio or anyio in the project's environment: nothing there runs async tests."
        ] * 2


SUBTESTS = """\
    import unittest

    class Case(unittest.TestCase):
        def test_good(self):
            for n in range(3):
                with self.subTest(n=n):
                    self.assertEqual(n, n)

        def test_bad(self):
            for n in range(3):
                with self.subTest(n=n):
                    self.assertEqual(n, 1)

        def test_skips_one(self):
            for n in range(3):
                with self.subTest(n=n):
                    if n == 1:
                        self.skipTest("not this one")

    def test_fixture_good(subtests):
        for n in range(3):
            with subtests.test(n=n):
                assert n == n

    def test_fixture_bad(subtests):
        for n in range(3):
            with subtests.test(n=n):
                assert n == 1
    """


async def test_subtests_count_for_their_test(rig: Rig) -> None:
    async with rig.box({"test_it.py": SUBTESTS}) as box:
        found = cases(await run(box))
        assert {name: case.outcome for name, case in found.items()} == {
            "Case::test_good": "passed",
            "Case::test_bad": "failed",
            "Case::test_skips_one": "passed",
            "test_fixture_good": "passed",
            "test_fixture_bad": "failed",
        }
        for name in ("Case::test_bad", "test_fixture_bad"):
            failure = found[name].failure
            assert failure is not None
            assert (failure.type, failure.actual, failure.expected) == ("AssertionError", "0", "1"), name


async def test_ten_thousand_cases(rig: Rig) -> None:
    source = """\
        import pytest

        @pytest.mark.parametrize("n", range(10_000))
        def test_it(n):
            assert n % 100
        """
    async with rig.box({"test_it.py": source}) as box:
        report = await run(box)
    ids = [f"test_it.py::test_it[{n}]" for n in range(10_000)]
    assert report.ended == "finished", report.detail
    assert [case.id for case in report.cases] == ids
    assert list(report.planned) == ids
    assert sum(case.outcome == "failed" for case in report.cases) == 100


async def test_one_test_of_a_suite_is_only_itself(rig: Rig) -> None:
    async with rig.box({"test_it.py": SUBTESTS}) as box:
        assert only(await run(box, None, "test_it.py::Case::test_good")).outcome == "passed"
