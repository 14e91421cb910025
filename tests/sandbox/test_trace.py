"""A traced run tells what each test executed, on every backend and rung, however the run ends."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from boxes import Rig, changes, own_interpreter, put
from sandbox.traced_project import FILES
from untilgreen_sandbox.box import Box, BoxSpec, Chosen, RunRequest, open_box
from untilgreen_sandbox.trace import ENDED_EARLY, Executed, Trace, TraceReport

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

PROJECT: dict[str, str | bytes | None] = {
    "late.py": """\
        from code_too import prepare

        TABLE = prepare()

        def look():
            return TABLE
        """,
    "code_too.py": """\
        def prepare():
            return 7
        """,
    "test_code.py": """\
        import threading
        import subprocess
        import pytest
        from code_too import prepare

        def own():
            import late
            return late.look()

        @pytest.fixture(scope="module")
        def wide():
            return prepare()

        @pytest.fixture
        def narrow():
            return prepare()

        def test_wide(wide):
            assert wide == 7

        def test_wide_again(wide):
            assert wide == 7

        def test_narrow(narrow):
            assert narrow == 7

        def test_late():
            assert own() == 7

        def test_late_again():
            assert own() == 7

        def test_thread():
            thread = threading.Thread(target=prepare)
            thread.start()
            thread.join()

        def test_child():
            subprocess.run(["true"], check=True)

        def test_wrong():
            assert prepare() == 8
        """,
}


async def traced(rig: Rig, files: dict[str, str | bytes | None], **request: object) -> TraceReport:
    async with rig.box(files) as box:
        return await box.trace(RunRequest(**request))  # type: ignore[arg-type]


def functions(trace: Trace, test: str) -> set[str]:
    return set(trace.tests[f"test_code.py::{test}"].executed.functions)


async def test_each_test_has_its_own(rig: Rig) -> None:
    told = await traced(rig, PROJECT)
    trace = told.trace
    assert [case.id for case in told.report.red] == ["test_code.py::test_wrong"]
    assert list(trace.tests) == list(told.report.planned)
    assert trace.incomplete == ()

    # A fixture that several tests use is not the first one's.
    assert functions(trace, "test_wide") == {"test_code.py:test_wide"}
    assert trace.tests["test_code.py::test_wide_again"].shares == ("wide",)
    assert trace.shared["wide"].functions == {"test_code.py:wide", "code_too.py:prepare"}
    assert functions(trace, "test_narrow") == {
        *("test_code.py:test_narrow", "test_code.py:narrow", "code_too.py:prepare")
    }

    # What an import executes is not the first one's either.
    late = {"test_code.py:own", "late.py:look"}
    assert functions(trace, "test_late") == {"test_code.py:test_late", *late}
    assert functions(trace, "test_late_again") == {"test_code.py:test_late_again", *late}
    assert trace.at_import.lines["late.py"] == ((1, 1), (3, 3), (5, 5))
    assert trace.at_import.functions == {"code_too.py:prepare"}

    assert "code_too.py:prepare" in functions(trace, "test_thread")
    wrong = trace.tests["test_code.py::test_wrong"].executed
    assert wrong.lines == {"code_too.py": ((2, 2),), "test_code.py": ((42, 42),)}
    incomplete = {test.id: test.incomplete for test in trace.tests.values() if test.incomplete}
    assert incomplete == {"test_code.py::test_child": ("child processes",)}


async def test_a_fork_is_traced_like_a_new_process(rig: Rig) -> None:
    changed = changes({"late.py": "def look():\n    return 7\n"})
    async with rig.box(PROJECT) as box:
        cold = await box.trace(RunRequest(rung="cold"), changed)
        warm = await box.trace(RunRequest(), changed)
        again = await box.trace(RunRequest(), changed)
        plain = await box.run(RunRequest(), changed)
    assert (cold.report.rung, warm.report.rung, again.report.rung) == ("cold", "checkpoint", "checkpoint")
    assert cold.trace.at_import.lines["late.py"] == ((1, 1),)
    assert warm.trace == again.trace == cold.trace
    assert plain.outcomes() == warm.report.outcomes()


ENDINGS = {
    "timeout": "while True: n += 1",
    "crashed": "os.abort()",
    "killed": "os.kill(os.getpid(), 9)",
}


@pytest.mark.parametrize("ended", ENDINGS)
async def test_a_run_that_does_not_end_is_told_as_far_as_it_came(box: Box, ended: str) -> None:
    source = f"""\
        import os

        def fine():
            return 1

        def hangs(n):
            n += 1
            {ENDINGS[ended]}

        def test_before():
            assert fine()

        def test_it():
            hangs(fine())

        def test_never():
            pass
    """
    told = await box.trace(
        RunRequest(("test_it.py",), seconds=10), changes({"test_it.py": source}), ("test_it.py:hangs",)
    )
    assert told.report.ended == ended
    assert told.trace.incomplete == (ENDED_EARLY,)
    before = told.trace.tests["test_it.py::test_before"]
    assert before.executed.functions == {"test_it.py:test_before", "test_it.py:fine"}
    assert before.incomplete == ()
    assert "test_it.py::test_never" not in told.trace.tests
    if ended == "timeout":
        (seen,) = told.trace.observations
        assert (seen.arguments[0].shown, seen.returned, seen.raised) == ("1", None, None)
        test = told.trace.tests["test_it.py::test_it"]
        assert test.incomplete == (ENDED_EARLY,)
        assert test.executed.lines["test_it.py"] == ((4, 4), (7, 8), (14, 14))


async def test_another_tracer_is_noticed_and_left_alone(box: Box) -> None:
    source = """\
        import sys
        calls = []

        def work():
            return 1

        def tracer(frame, event, argument):
            calls.append(frame.f_code.co_name)

        def test_before():
            work()

        def test_takes():
            before = sys.gettrace()
            sys.settrace(tracer)
            work()
            sys.settrace(before)
            assert "work" in calls

        def test_drops():
            sys.settrace(None)
            work()

        def test_after():
            work()
    """
    told = await box.trace(RunRequest(("test_it.py",)), changes({"test_it.py": source}))
    assert not told.report.red
    tests = {name.split("::")[1]: test for name, test in told.trace.tests.items()}
    assert tests["test_takes"].incomplete == tests["test_drops"].incomplete == ("another tracer",)
    for name in ("test_before", "test_after"):
        assert tests[name].incomplete == ()
        assert tests[name].executed.functions == {"test_it.py:work", f"test_it.py:{name}"}


async def test_what_the_runner_calls_outside_of_tests_belongs_to_all(rig: Rig) -> None:
    files: dict[str, str | bytes | None] = {
        "names.py": "def name(n):\n    return str(n)\n\ndef order(items):\n    items.reverse()\n",
        "test_it.py": """\
            import pytest
            from names import name

            @pytest.mark.parametrize("n", [1, 2], ids=name)
            def test_it(n):
                pass
            """,
    }
    files["test_too.py"] = "def test_too():\n    pass\n"
    plain = await traced(rig, files)
    assert plain.trace.at_import.functions == {"names.py:name"}
    conftest = "from names import order\n\ndef pytest_collection_modifyitems(items):\n    order(items)\n"
    hooked = await traced(rig, {**files, "conftest.py": conftest})
    assert hooked.report.planned == (
        *("test_too.py::test_too", "test_it.py::test_it[2]", "test_it.py::test_it[1]"),
    )
    assert hooked.trace.at_import.functions == {
        *("names.py:name", "names.py:order", "conftest.py:pytest_collection_modifyitems")
    }
    assert hooked.trace.incomplete == ()


@pytest.mark.timeout(300)
async def test_two_versions_of_python_tell_the_same(tmp_path: Path) -> None:
    older = BoxSpec(tmp_path / "project", own_interpreter())
    newer = dataclasses.replace(
        older,
        interpreter=dataclasses.replace(older.interpreter, version=(3, 13)),
        base_image=os.environ["UNTILGREEN_NEWER_BASE"],
    )
    assert older.interpreter.version < (3, 12), "both would collect in the same way"
    told = []
    for chosen, spec in (("bubblewrap", older), ("docker", newer)):
        async with open_box(Chosen(chosen, "for a test"), spec) as box:  # type: ignore[arg-type]
            await put(box, FILES)
            told.append(await box.trace(RunRequest(), values=("pkg/core.py:many", "pkg/core.py:bad")))
    one, other = told
    assert one.report.outcomes() == other.report.outcomes()
    assert len(one.trace.tests) == 11
    assert one.trace == other.trace
    many = one.trace.tests["test_a.py::test_many"].executed
    assert many.touches("pkg/core.py", 29, 67)
    assert one.trace.at_import != Executed()


async def test_the_bench_traces_the_users_own_code(rig: Rig) -> None:
    async with rig.bench({"test_it.py": "def test_it():\n    assert 1 == 2\n"}) as bench:
        told = await bench.trace(values=("*",))
    assert told.report.outcomes() == {"test_it.py::test_it": "failed"}
    assert told.trace.tests["test_it.py::test_it"].executed.lines == {"test_it.py": ((2, 2),)}
    assert [seen.raised.type for seen in told.trace.observations if seen.raised] == ["AssertionError"]
