"""What honest test suites do must work: both boxes, one run, one outcome for each thing."""

from __future__ import annotations

import pytest
import pytest_asyncio

from boxes import Rig, only, run
from hostile.unprivileged import opened
from sandbox.honest_suite import SOURCE
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.report import Report

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

NAMES = [line.split("def ")[1].split("(")[0] for line in SOURCE.splitlines() if "    def test_" in line]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(box: Box) -> Report:
    return await run(box, {"test_it.py": SOURCE}, "test_it.py", arguments=("-p", "no:faulthandler"))


@pytest.mark.parametrize("name", NAMES)
async def test_works(report: Report, name: str) -> None:
    assert report.ended == "finished", report.detail
    cases = [case for case in report.cases if case.id.split("::")[1].split("[")[0] == name]
    assert cases
    assert not [(case.id, case.message) for case in cases if case.outcome != "passed"]


async def test_works_for_a_user_without_rights() -> None:
    with opened() as unprivileged:
        (told,) = unprivileged({"test_it.py": SOURCE}, ids=["test_it.py"])
    assert told.ended == "finished", told.detail
    assert {test_id.split("::")[1].split("[")[0] for test_id in told.cases} == set(NAMES)
    assert {test_id: how for test_id, how in told.cases.items() if how[0] != "passed"} == {}


LAYOUT = {
    "src/shop/__init__.py": "from shop.cart import total\n",
    "src/shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "lib/extra.py": "VALUE = 5\n",
    "tests/test_shop.py": """\
        import extra
        from helpers import three
        from shop import total

        def test_total():
            assert total([1, 2]) == three() == extra.VALUE - 2
        """,
    "tests/helpers.py": "def three():\n    return 3\n",
}


async def test_import_roots(shared_rig: Rig) -> None:
    async with shared_rig.box(LAYOUT, import_roots=("src", "lib", "")) as box:
        assert only(await run(box)).outcome == "passed"


async def test_the_configuration_file_is_read_and_named(box: Box) -> None:
    files = {
        "test_honest.py": None,
        "checks/check_it.py": "import os\ndef check_a(): pass\ndef test_b(): assert False\n",
        "pytest.ini": "[pytest]\npython_files = check_*.py\npython_functions = check_*\ntestpaths = checks\n",
    }
    report = await run(box, files)
    assert report.outcomes() == {"checks/check_it.py::check_a": "passed"}
    assert report.config_file == "pytest.ini"
    toml = '[tool.pytest.ini_options]\npython_functions = ["check_*"]\npython_files = ["check_*.py"]\n'
    files = {**files, "pytest.ini": None, "config/pyproject.toml": toml}
    report = await run(box, files, "checks/check_it.py", config_file="config/pyproject.toml")
    assert report.outcomes() == {"checks/check_it.py::check_a": "passed"}
    assert report.config_file == "config/pyproject.toml"
    assert (await run(box, {"test_it.py": "def test_a(): pass\n"}, "test_it.py")).config_file == ""


@pytest.mark.parametrize(
    "name", ["random.py", "typing.py", "pytest.py", "_pytest/__init__.py", "json/__init__.py", "pluggy.py"]
)
async def test_a_file_named_like_a_module_does_not_take_over(box: Box, name: str) -> None:
    stem = name.split("/")[0].removesuffix(".py")
    files = {
        name: "import os\nos._exit(0)\n",
        "test_it.py": f"import {stem}\ndef test_a():\n    assert 'project' not in {stem}.__file__ and 0\n",
    }
    report = await run(box, files, "test_it.py")
    assert only(report).outcome == "failed"
    assert "and 0)" in only(report).message


async def test_a_file_does_not_hide_the_standard_library(box: Box) -> None:
    """pytest itself puts a test's own folder first, as it does everywhere; other folders come after."""
    files = {
        "colorsys.py": "import os\nos._exit(0)\n",
        "checks/test_it.py": "import colorsys, honest\n\ndef test_a():\n    assert colorsys.rgb_to_hsv\n",
    }
    assert only(await run(box, files, "checks/test_it.py")).outcome == "passed"


async def test_files_that_python_runs_at_its_start_are_not_run(box: Box) -> None:
    evil = "import os\nos._exit(0)\n"
    files = {
        "sitecustomize.py": evil,
        "usercustomize.py": evil,
        "evil.pth": "import os; os._exit(0)\n",
        "test_it.py": "def test_a(): assert 0\n",
    }
    assert only(await run(box, files, "test_it.py")).outcome == "failed"
