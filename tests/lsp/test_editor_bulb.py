"""The light bulb in a workspace where much fails: what is offered belongs to the line of the cursor alone."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from lsp import scripted_box
from lsp.conftest import TESTS
from lsp.starting import environment, started

N_TESTS = 60
SCRIPTED = [sys.executable, str(Path(scripted_box.__file__))]


async def test_each_line_offers_its_own_test_whatever_else_fails_and_waits(tmp_path: Path) -> None:
    root = tmp_path / "large"
    root.mkdir()
    for n in range(2):
        tests = "".join(f"def test_{n}_{k}():\n    assert {k % 7} < 6\n\n\n" for k in range(N_TESTS))
        (root / f"test_{n}.py").write_text(tests)
    for name, (broken, _) in scripted_box.BASE.items():
        (root / name).write_text(broken)
    (root / "test_calc.py").write_text(TESTS)
    own = environment(tmp_path / "state", sandbox="bubblewrap", apply="never")
    own["UNTILGREEN_TEST_LEDGER"] = os.devnull
    async with started(root, "visual_studio_code", own, command=SCRIPTED) as editor:
        uris = [editor.open(f"test_{n}.py") for n in range(2)]
        run = await editor.run("untilgreen.test", uri=uris[0])
        await editor.until_ended(run["job"])

        async def look(fix: list[str]) -> None:
            for n, uri in enumerate(uris):
                for k in range(N_TESTS):
                    offered = await editor.actions(uri, 4 * k + 1)
                    this = f"Solve until green: this test (test_{n}_{k})"
                    assert list(offered) == [
                        *fix,
                        this,
                        "Solve until green: this file",
                        "Solve until green: everything failing",
                        "Run tests in the sandbox",
                    ]
                    marked = [mark.code for mark in offered[this].diagnostics or ()]
                    assert marked == ([f"test_{n}.py::test_{n}_{k}"] if k % 7 == 6 else [])

        await look([])
        await editor.solve(uris[0], "test_calc.py")
        await look(["Apply verified fix", "Review verified fix"])
        # The editor would not look at the versions of several documents before it makes an action's edit.
        assert len(scripted_box.BASE) > 1
        assert (await editor.actions(uris[0], 1))["Apply verified fix"].edit is None
