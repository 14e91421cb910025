"""Files that change on disk in an editor that does not tell of it: a fix is not taken on old evidence."""

from __future__ import annotations

from pathlib import Path

from lsp.conftest import BROKEN, FIXED, TESTS, scripted
from lsp.starting import environment, started

MINE = TESTS + "\n\ndef test_mine():\n    assert add(2, 2) == 4\n"
# The file of the fix, another one, and one that was not there.
CHANGES = {"calc.py": "# mine\n" + BROKEN, "test_calc.py": MINE, "conftest.py": "# more\n"}


async def test_an_edit_is_carried_only_while_all_files_are_what_was_verified(
    project: Path, tmp_path: Path
) -> None:
    settings = environment(tmp_path / "state", sandbox="bubblewrap", solver=scripted(project), apply="never")
    async with started(project, "neovim", settings) as editor:
        code, other = editor.open("calc.py"), editor.open("other.py", "")
        await editor.solve(code)
        editor.close(code)

        async def is_carried() -> bool:
            return (await editor.actions(other, 0))["Apply verified fix"].edit is not None

        for name, text in CHANGES.items():
            assert await is_carried()
            before = (project / name).read_text() if (project / name).exists() else None
            (project / name).write_text(text)
            assert not await is_carried(), f"{name} is another one"
            if before is None:
                (project / name).unlink()
            else:
                (project / name).write_text(before)
        assert await is_carried(), "all is as it was"
        (project / "test_calc.py").write_text(MINE)
        # What it carries instead looks for itself.
        await editor.choose((await editor.actions(other, 0))["Apply verified fix"])
        await editor.until_said("test_calc.py changed meanwhile: the fix was verified again")
        assert editor.text(code) == FIXED
