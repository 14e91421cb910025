"""A template collects first what has nothing to do with a change; tests run in their own order."""

from __future__ import annotations

import pytest

from boxes import Rig, run
from untilgreen_sandbox.report import Report

NOTHING = "class TestIt:\n    def test_b(self):\n        pass\n\n    def test_a(self):\n        pass\n"
FILES = {
    "code_.py": "SEEN = ()\n\ndef answer():\n    return 41\n",
    "helper.py": "from code_ import answer\n",
    "test_first.py": NOTHING,
    "test_middle.py": "import helper\n\ndef test_it():\n    assert helper.answer() == 42\n",
    "inner/test_folder.py": NOTHING,
    "inner/test_user.py": "from helper import answer\n\ndef test_it():\n    assert answer() == 42\n",
    "test_last.py": NOTHING,
}
# Says which files of tests were collected when it was imported, by the name of an exception.
CANDIDATE = {
    "code_.py": """\
        import sys

        def answer(seen=tuple(name for name in sys.modules if name.startswith("test_"))):
            raise LookupError(*sorted(seen))
        """
}
pytestmark = pytest.mark.dealt


def collected_before(report: Report, test: str) -> str:
    [case] = [case for case in report.cases if case.id == test]
    return case.message


@pytest.mark.parametrize("ids", [(), ("inner/test_folder.py", "test_last.py", "test_middle.py")])
async def test_what_a_change_does_not_concern_is_collected_before(rig: Rig, ids: tuple[str, ...]) -> None:
    async with rig.box(FILES) as box:
        cold = await run(box, None, rung="cold")
        plan = tuple(test for test in cold.planned if not ids or test.split("::")[0] in ids)
        warm = await run(box, CANDIDATE, *ids)
    assert (warm.rung, warm.rung_reason) == ("checkpoint", "import code_")
    assert tuple(case.id for case in warm.cases) == warm.planned == plan
    seen = collected_before(warm, "test_middle.py::test_it")
    assert "test_last" in seen and "test_folder" in seen
    assert ("test_first" in seen) == (not ids)


async def test_what_is_not_known_is_collected_in_its_own_order(rig: Rig) -> None:
    """Without a run of the user's own code nobody knows who imports what."""
    async with rig.box(FILES) as box:
        unknown = await run(box, CANDIDATE)
    assert unknown.rung == "checkpoint"
    assert "test_last" not in collected_before(unknown, "inner/test_user.py::test_it")
    assert unknown.planned == tuple(case.id for case in unknown.cases)
