"""What a project and its tests do around the functions that are tried."""

from __future__ import annotations

import pytest

from boxes import Rig
from sandbox.candidates import version
from untilgreen_sandbox.box import RunRequest
from untilgreen_sandbox.evaluation import EvaluationRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]


async def test_tests_that_cannot_be_asked_are_named(rig: Rig) -> None:
    files: dict[str, str | bytes | None] = {
        "code_too.py": "def plain(n):\n    return n - 1\n",
        "test_it.py": """\
            import os, subprocess, threading, time
            import pytest
            from code_too import plain

            def test_plain():
                assert plain(1) == 2

            def test_starts():
                subprocess.run(["true"])
                assert plain(1) == 2

            def test_forks():
                pid = os.fork()
                if pid == 0:
                    os._exit(0)
                os.waitpid(pid, 0)
                assert plain(1) == 2

            def test_writes():
                with open("left.txt", "w") as file:
                    file.write("x")
                assert plain(1) == 2

            def test_thread():
                threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
                assert plain(1) == 2

            def test_good():
                assert plain(1) != 1

            def test_writes_elsewhere(tmp_path):
                (tmp_path / "file").write_text("x")
                assert plain(1) == 2

            @pytest.mark.parametrize("ok", [True])
            def test_wrong(ok):
                assert not ok
            """,
    }
    async with rig.box(files) as box:
        names = ("plain", "starts", "forks", "writes", "thread", "good", "writes_elsewhere", "nothing")
        wanted = EvaluationRequest(
            tuple(
                version("plain", "n - 1", body, source=str(files["code_too.py"]), path="code_too.py")
                for body in ("n + 1", "n + 2")
            ),
            tuple(f"test_it.py::test_{name}" for name in names),
            ("test_it.py::test_good", "test_it.py::test_wrong[True]"),
        )
        told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
        assert [(one.how, one.passed) for one in told.tried] == [("plausible", 2), ("failed", 0)]
        reasons = {
            one.split(": ")[0].removeprefix("test_it.py::test_"): one.split(": ")[1] for one in told.problems
        }
        assert reasons == {
            "starts": "it starts processes",
            "forks": "it starts processes",
            "writes": "it writes into the workspace",
            "thread": "it leaves threads",
            "good": "it does not fail here on unchanged code",
            "nothing": "it was not collected",
            "wrong[True]": "it does not pass here on unchanged code",
        }
        report = await box.run(RunRequest(("test_it.py",)))
        assert len(report.red) == 7


async def test_a_test_that_takes_its_time_is_given_it(rig: Rig) -> None:
    source = "def plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "code_too.py": source,
        "test_it.py": """\
            import time
            from code_too import plain

            def test_works():
                until = time.process_time() + 0.3
                while time.process_time() < until:
                    pass
                assert plain(1) == 2

            def test_sleeps():
                time.sleep(0.4)
                assert plain(1) == 2
            """,
    }
    async with rig.box(files) as box:
        wanted = EvaluationRequest(
            (version("plain", "n - 1", "n + 1", source=source, path="code_too.py"),),
            ("test_it.py::test_works", "test_it.py::test_sleeps"),
            seconds=20,
            slowest_seconds=0.4,
        )
        told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
    assert [one.how for one in told.tried] == ["plausible"], told


async def test_the_bench_evaluates(rig: Rig) -> None:
    source = "def plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "code_too.py": source,
        "test_it.py": "from code_too import plain\n\ndef test_it():\n    assert plain(1) == 2\n",
    }
    async with rig.bench(files) as bench:
        candidates = (version("plain", "n - 1", "n + 1", source=source, path="code_too.py"),)
        told = await bench.evaluate(EvaluationRequest(candidates, ("test_it.py::test_it",)))
    assert [one.how for one in told.tried] == ["plausible"]


async def test_a_module_that_only_tests_import(rig: Rig) -> None:
    source = "def plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "late/__init__.py": "",
        "late/code_too.py": source,
        "test_it.py": """\
            def test_it():
                from late import code_too
                assert code_too.plain(1) == 2

            def test_good():
                from late import code_too
                assert code_too.plain(1) < 5
            """,
    }
    async with rig.box(files) as box:
        bodies = ("n + 2", "n + 1", "2 * n if n == 1 else 0", "n + 9")
        wanted = EvaluationRequest(
            tuple(version("plain", "n - 1", body, source=source, path="late/code_too.py") for body in bodies),
            ("test_it.py::test_it",),
            ("test_it.py::test_good",),
        )
        told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
    assert [one.how for one in told.tried] == ["failed", "plausible", "plausible", "failed"], told


async def test_what_pytest_does_around_a_test_counts(rig: Rig) -> None:
    source = "import warnings\n\n\ndef plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "pytest.ini": "[pytest]\nfilterwarnings = error\n",
        "conftest.py": """\
            import pytest

            @pytest.fixture(autouse=True)
            def setting(monkeypatch):
                monkeypatch.setenv("BY", "1")
            """,
        "code_too.py": source,
        "test_it.py": """\
            import os
            import unittest
            import pytest
            from code_too import plain

            def test_fixture():
                assert plain(1) == 1 + int(os.environ["BY"])

            @pytest.mark.filterwarnings("ignore")
            def test_ignores():
                assert plain(1) == 2

            @pytest.mark.xfail(strict=True)
            def test_expected():
                assert plain(1) != 2

            def test_prints(capsys):
                print(plain(1))
                assert capsys.readouterr().out == "2\\n"

            class TestCase(unittest.TestCase):
                def test_parts(self):
                    for n in (1, 2):
                        with self.subTest(n):
                            self.assertEqual(plain(n), n + 1)
            """,
    }
    bodies = ("n + 1", "warnings.warn('old') or n + 1", "n + 1 if n == 1 else 5")
    names = {"fixture": "101", "ignores": "111", "expected": "111", "prints": "101", "parts": "100"}
    async with rig.box(files) as box:
        for name, plausible in names.items():
            test = f"TestCase::test_{name}" if name == "parts" else f"test_{name}"
            wanted = EvaluationRequest(
                tuple(version("plain", "n - 1", body, source=source, path="code_too.py") for body in bodies),
                (f"test_it.py::{test}",),
            )
            told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
            assert told.problems == (), name
            found = "".join(str(int(one.how == "plausible")) for one in told.tried)
            assert found == plausible, (name, told)


async def test_no_time_for_the_tests_that_pass_is_no_failure(rig: Rig) -> None:
    source = "def plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "code_too.py": source,
        "test_it.py": """\
            import time
            import pytest
            from code_too import plain

            def test_it():
                assert plain(1) == 2

            @pytest.mark.parametrize("n", range(40))
            def test_slow(n):
                until = time.process_time() + 0.1
                while time.process_time() < until:
                    pass
                assert plain(n) != n
            """,
    }
    async with rig.box(files) as box:
        wanted = EvaluationRequest(
            tuple(
                version("plain", "n - 1", body, source=source, path="code_too.py") for body in ("n + 1", "n")
            ),
            ("test_it.py::test_it",),
            tuple(f"test_it.py::test_slow[{n}]" for n in range(40)),
            seconds=0.5,
        )
        told = await box.evaluate(RunRequest(("test_it.py",)), wanted)
    assert [one.how for one in told.tried] == ["plausible", "failed"]
    assert told.tried[0].detail == "there was no time for the tests that pass"
    assert any(problem.endswith("there was no time to ask it") for problem in told.problems)
    assert told.cpu_seconds < 2


async def test_one_process_is_traced_and_tries_candidates(rig: Rig) -> None:
    source = "def plain(n):\n    return n - 1\n"
    files: dict[str, str | bytes | None] = {
        "code_too.py": source,
        "test_it.py": """\
            from code_too import plain
            def test_it(tmp_path):
                assert plain(1) == 2
            def test_other():
                assert plain(1) < 5
            """,
    }
    tests = ("test_it.py::test_it", "test_it.py::test_other")
    candidates = (version("plain", "n - 1", "n + 1", source=source, path="code_too.py"),)
    async with rig.box(files) as box:
        request = RunRequest(tests, rung="checkpoint")
        traced = await box.trace(request, values=("*",))
        told = await box.evaluate(request, EvaluationRequest(candidates, tests[:1], tests[1:]))
        again = await box.trace(request)
    assert (traced.report.rung, again.report.rung) == ("checkpoint", "checkpoint")
    assert [one.how for one in told.tried] == ["plausible"], told
    assert traced.trace.tests == again.trace.tests
    assert traced.trace.at_import == again.trace.at_import
    assert (1, 1) in traced.trace.at_import.lines["code_too.py"]
    assert len(traced.trace.observations) >= 2 and not again.trace.observations
    assert traced.report.seconds > 0 and again.report.seconds < 5
