"""Every option of docs/pytest-options.md does as the tables there say, with its plugins installed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from boxes import Files, Rig, put, run
from shapes.environments import environment_with
from untilgreen_sandbox.box import Box, Interpreter
from untilgreen_sandbox.inside.options import kept
from untilgreen_sandbox.report import Report

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(300)]

PAGE = (Path(__file__).parent.parent.parent / "docs/pytest-options.md").read_text()
PLUGINS = (
    *("pytest", "pytest-xdist", "pytest-cov", "pytest-randomly", "pytest-random-order"),
    "pytest-rerunfailures",
)
PROJECT: Files = {
    "test_it.py": """\
        import warnings

        import pytest

        once = []

        def test_one():
            assert False

        def test_two():
            warnings.warn("careful", UserWarning)

        @pytest.mark.slow
        def test_three():
            assert False

        @pytest.mark.parametrize("n", range(5))
        def test_many(n):
            pass

        @pytest.mark.flaky(reruns=3)
        def test_flaky():
            once.append(1)
            assert len(once) > 1

        @pytest.mark.xfail
        def test_unexpected():
            pass
        """,
    "test_more.py": "def test_more(cache):\n    pass\n",
    "helper_plugin.py": "import pytest\n\n@pytest.fixture\ndef helper():\n    return 1\n",
    "shop.py": 'def add(a, b):\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n',
}
OUTCOMES = {
    "test_it.py::test_one": "failed",
    "test_it.py::test_two": "passed",
    "test_it.py::test_three": "failed",
    **{f"test_it.py::test_many[{n}]": "passed" for n in range(5)},
    "test_it.py::test_flaky": "failed",
    "test_it.py::test_unexpected": "xpassed",
    "test_more.py::test_more": "passed",
}
# What each option that is kept does to these tests; None takes a test away.
EFFECTS: dict[str, dict[str, str | None]] = {
    **{key: {} for key in ("-q", "-v", "-vv", "-ra", "-s", "--color=yes", "--durations=3")},
    "-W error": {"test_it.py::test_two": "failed"},
    '-m "not slow"': {"test_it.py::test_three": None},
    '-k "not two"': {"test_it.py::test_two": None},
    "--deselect=test_it.py::test_two": {"test_it.py::test_two": None},
    "--ignore=test_more.py": {"test_more.py::test_more": None},
    "--strict-markers": {
        **{name: None for name in OUTCOMES if name.startswith("test_it.py::")},
        "test_it.py": "error",
    },
    "--import-mode=importlib": {},
    "--doctest-modules": {"shop.py::shop.add": "passed"},
    "-p helper_plugin": {},
    "-p no:cacheprovider": {"test_more.py::test_more": "error"},
    "-o xfail_strict=true": {"test_it.py::test_unexpected": "failed"},
    "--runxfail": {"test_it.py::test_unexpected": "passed"},
}


def rows(heading: str) -> list[list[str]]:
    """What stands in backquotes in the first column of a table, row by row."""
    table = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")][2:]
    found = [re.findall(r"`([^`]+)`", line.split(" | ")[0]) for line in lines]
    assert found
    assert all(found)
    return found


TAKEN_OUT, KEPT = rows("Taken out"), [option for row in rows("Kept") for option in row]


def configured(options: str, markers: str = '["slow"]') -> Files:
    text = f"[tool.pytest.ini_options]\naddopts = {json.dumps(options)}\nmarkers = {markers}\n"
    return {"pyproject.toml": text}


def check(report: Report, expected: dict[str, str]) -> None:
    assert report.ended == "finished", (report.detail, report.output.head, report.output.tail)
    assert report.outcomes() == expected
    assert list(report.outcomes()) == list(expected), "the order is that of the files"
    assert len(report.cases) == len(expected)
    assert list(report.planned) == [name for name in expected if "::" in name]


@pytest.fixture(scope="module")
def plugins() -> Interpreter:
    return environment_with(*PLUGINS)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def box(plugins: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Box]:
    """Bubblewrap shows the environment that the plugins are in; an image has none of them."""
    rig = Rig("bubblewrap", tmp_path_factory.mktemp("options") / "project", plugins)
    async with rig.box(PROJECT) as box:
        yield box


@pytest.mark.parametrize("row", TAKEN_OUT, ids=lambda row: row[0])
async def test_taken_out(box: Box, row: list[str]) -> None:
    for option in row:
        assert kept(shlex.split(option)) in ([], ["-vs"], ["-v"]), option
        assert kept([*shlex.split(option), "-k", "x"])[-2:] == ["-k", "x"], option
    check(await run(box, configured(" ".join(row))), OUTCOMES)


@pytest.mark.parametrize("option", KEPT)
async def test_kept(box: Box, option: str) -> None:
    assert option in EFFECTS, "a row of the table needs its effect here"
    assert kept(shlex.split(option)) == shlex.split(option)
    wanted = {name: outcome for name, outcome in (OUTCOMES | EFFECTS[option]).items() if outcome}
    # pytest goes through the files in the order of their names, and tells first what it cannot collect.
    wanted = dict(sorted(wanted.items(), key=lambda item: ("::" in item[0], item[0].split("::")[0])))
    files = configured(option, "[]") if option == "--strict-markers" else configured(option)
    check(await run(box, files), wanted)


async def test_all_at_once_without_any_plugin(shared_rig: Rig) -> None:
    """On both backends: an option whose plugin is not there is no reason to stop."""
    async with shared_rig.box(PROJECT) as bare:
        check(await run(bare, configured(" ".join(option for row in TAKEN_OUT for option in row))), OUTCOMES)


async def test_arguments_of_the_user_go_the_same_way(box: Box) -> None:
    words = tuple(shlex.split("-x -n 2 --lf -k 'not two' --cov=. --collect-only"))
    wanted = {name: outcome for name, outcome in OUTCOMES.items() if "two" not in name}
    check(await run(box, None, arguments=words), wanted)


FILES = {
    "pytest.ini": "[pytest]\naddopts = {}\n",
    ".pytest.ini": "[pytest]\naddopts = {}\n",
    "tox.ini": "[pytest]\naddopts = {}\n",
    "setup.cfg": "[tool:pytest]\naddopts = {}\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '''{}'''\n",
}
NEWER_FILES = {
    "pytest.toml": "[pytest]\naddopts = {}\n",
    "pyproject.toml (native)": "[tool.pytest]\naddopts = {}\n",
}
VERSIONS = ("pytest==7.4.4", "pytest==8.4.2", "pytest==9.0.2")


@pytest.mark.parametrize("version", VERSIONS)
async def test_every_file_and_every_version(version: str, tmp_path: Path) -> None:
    rig = Rig("bubblewrap", tmp_path / "project", environment_with(version))
    options = "-x --lf -n 2 --cov=. --strict-config -m 'not slow'"
    wanted = {name: outcome for name, outcome in OUTCOMES.items() if "three" not in name}
    async with rig.box(PROJECT) as box:
        for name, text in FILES.items():
            check(await run(box, {name: text.format(options)}), wanted)
        for name, text in NEWER_FILES.items() if version >= "pytest==9" else ():
            words = json.dumps(shlex.split(options))
            check(await run(box, {name.split(" ")[0]: text.format(words)}), wanted)


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("option", ["", "-v", "-s", "-p no:terminal", "-p no:cacheprovider"])
async def test_only_what_did_not_pass_is_drawn(version: str, option: str, tmp_path: Path) -> None:
    """A dot for each test takes longer than a short test; the count at the end stays right."""
    rig = Rig("bubblewrap", tmp_path / "project", environment_with(version))
    shapes = """\
        import pytest

        def test_fine(): pass
        def test_wrong(): assert 1 == 2
        @pytest.mark.skip
        def test_left_out(): pass
        @pytest.mark.xfail
        def test_expected(): assert 0
        @pytest.fixture
        def ends_badly():
            yield
            raise OSError
        def test_teardown(ends_badly): pass
        """
    async with rig.box({"test_shapes.py": shapes, **configured(option)}) as box:
        for rung in ("cold", "checkpoint"):
            report = await run(box, rung=rung)
            names = {name.split("::")[1]: outcome for name, outcome in report.outcomes().items()}
            assert names == {
                "test_fine": "passed",
                "test_wrong": "failed",
                "test_left_out": "skipped",
                "test_expected": "xfailed",
                "test_teardown": "error",
            }
            said = report.output.head + report.output.tail
            assert "test_fine" not in said
            if option != "-p no:terminal":
                assert "1 failed, 2 passed, 1 skipped, 1 xfailed, 1 error in" in said


UNUSED = {
    "code_under.py": "N = 1\n",
    "conftest.py": """\
        import sys

        def pytest_unconfigure():
            large = {"hypothesis", "_".join(["pytest", "bench" + "mark"])}
            print("at the end:", large & set(sys.modules), file=sys.__stdout__)
        """,
    "test_it.py": "from code_under import N\n\ndef test_it():\n    assert N == 1\n",
}
USED = """\
    from hypothesis import given, strategies

    @given(strategies.integers())
    def test_any(n):
        assert n == n

    def test_fast(benchmark):
        assert benchmark(int) == 0
    """


async def test_plugins_that_nobody_uses_cost_nothing(tmp_path: Path) -> None:
    """One would start programs in every run, the other import a large library at its end."""
    rig = Rig(
        "bubblewrap", tmp_path / "project", environment_with("pytest", "hypothesis", "pytest-benchmark")
    )
    async with rig.box(UNUSED) as box:
        for rung in ("cold", "checkpoint"):
            report = await run(box, {"code_under.py": "N = 2\n"}, rung=rung)
            assert report.outcomes() == {"test_it.py::test_it": "failed"}
            assert "at the end: set()" in report.output.head + report.output.tail
        assert (report.rung, report.rung_reason) == ("checkpoint", "import code_under")
        used = await run(
            box, {"test_used.py": USED}, "test_used.py", arguments=("--hypothesis-show-statistics",)
        )
        assert set(used.outcomes().values()) == {"passed"}, used.red
        assert len(used.cases) == 2
        said = used.output.head + used.output.tail
        assert "Hypothesis Statistics" in said
        assert "at the end: set()" not in said


async def test_strict_projects_with_settings_of_plugins_that_are_kept_out(box: Box) -> None:
    text = (
        "[pytest]\naddopts = --strict-config --strict-markers\nreruns = 3\nreruns_delay = 1\ncache_dir = x\n"
    )
    report = await run(box, {"pytest.ini": text + "markers =\n    slow\n"})
    check(report, OUTCOMES)


async def test_what_a_test_starts_itself_sees_its_own_options(box: Box) -> None:
    await put(box, {})
    inner = """\
        import pytest

        def test_inner(tmp_path):
            (tmp_path / "pytest.ini").write_text("[pytest]\\naddopts = -x\\n")
            (tmp_path / "test_a.py").write_text("def test_a(): assert 0\\ndef test_b(): assert 0\\n")
            seen = []
            class Plugin:
                def pytest_runtest_logreport(self, report):
                    seen.append(report.nodeid)
            pytest.main([str(tmp_path), "-q"], plugins=[Plugin()])
            assert len({name.split("::")[1] for name in seen}) == 1
        """
    report = await run(box, {"test_inner.py": inner}, "test_inner.py")
    assert report.outcomes() == {"test_inner.py::test_inner": "passed"}, report.red
