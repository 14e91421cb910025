"""A fix that waited while its file was edited: it is verified again, and is another one by then."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from lsp.scripted_box import MARK
from untilgreen import moving
from untilgreen.errors import UntilgreenError, WorkspaceError
from untilgreen.model import Finding
from untilgreen.solve.again import Proved
from untilgreen.watching.notes import Began, Offered, Said, Wrote
from watch.half_hour import GOOD
from watch.small import FILES, WRONG, Script, Small, small

ADD = "test_calc.py::test_add"
MINE = f"{MARK} mine\n"
EYES = (Finding("calc.py", 2, "eval", "it runs text"),)
CHANGES: dict[str, Callable[[Proved], Proved]] = {
    "something in it needs your eyes": lambda proved: dataclasses.replace(proved, findings=EYES),
    "it was verified with a part of the tests only": lambda proved: dataclasses.replace(
        proved, proof=dataclasses.replace(proved.proof, scope="affected")
    ),
    "the tests that it fixes prove little": lambda proved: dataclasses.replace(
        proved, proof=dataclasses.replace(proved.proof, weak=(ADD,))
    ),
}


@pytest.fixture
def proves(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Proved], Proved]], None]:
    """What is found when a fix is verified again."""
    real = moving.verify_again

    def finds(change: Callable[[Proved], Proved]) -> None:
        async def again(*given: Any, **more: Any) -> Proved | str:
            proved = await real(*given, **more)
            return proved if isinstance(proved, str) else change(proved)

        monkeypatch.setattr(moving, "verify_again", again)

    return finds


def edit_before_a_write(it: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user saves another line at the very moment at which a fix is to be written."""

    def unsaved(_paths: Iterable[str]) -> tuple[str, ...]:
        if not (it.root / "calc.py").read_text().startswith(MINE):
            it.save({"calc.py": MINE + WRONG["calc.py"]})
        return ()

    monkeypatch.setattr(it, "unsaved", unsaved)


async def test_what_holds_beside_an_edit_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        edit_before_a_write(it, monkeypatch)
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        assert (it.root / "calc.py").read_text() == MINE + GOOD["calc.py"]


@pytest.mark.parametrize("why", CHANGES)
async def test_what_is_in_doubt_when_it_is_verified_again_is_only_offered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proves: Any, why: str
) -> None:
    proves(CHANGES[why])
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        edit_before_a_write(it, monkeypatch)
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered) or it.told(Wrote))
        assert not it.told(Wrote) and (it.root / "calc.py").read_text() == MINE + WRONG["calc.py"]
        assert it.told(Offered)[0].why == f"Verified again, it was not written: {why}"
        assert it.script.writes == 0 and len(it.told(Said)) == 1


async def test_who_accepts_a_fix_is_told_first_what_is_new_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, proves: Any
) -> None:
    proves(CHANGES["something in it needs your eyes"])
    async with small(tmp_path, monkeypatch, "suggest", {**FILES, **WRONG}) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered))
        await it.rested()
        (it.root / "calc.py").write_text(MINE + WRONG["calc.py"])
        job = it.told(Offered)[0].job.id
        with pytest.raises(UntilgreenError, match=r"needs your eyes: calc\.py:2 it runs text\. Say it once"):
            await it.watch.accept(job)
        assert not it.script.writes
        assert "calc.py" in await it.watch.accept(job)
        assert (it.root / "calc.py").read_text() == MINE + GOOD["calc.py"]


async def test_who_makes_a_refused_fix_by_hand_is_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = Script(refuses=WorkspaceError("Permission denied. Nothing was written."))
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}, script) as it:
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Offered))
        await it.rested()
        it.save({"calc.py": GOOD["calc.py"]})
        await it.until(lambda: it.watch.green)
        assert "watch: saved calc.py" in [note.cause for note in it.told(Began)]


async def test_a_fix_that_is_undone_before_it_is_saved_is_known_to_be_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An editor may take a fix without saving it: what is on disk is then no other file, before and after."""
    async with small(tmp_path, monkeypatch, "fix", {**FILES, **WRONG}) as it:
        wrong = WRONG["calc.py"].encode()
        # The editor holds the fix, and the disk does not.
        it.script.right_after = lambda: (it.root / "calc.py").write_bytes(wrong) and None
        await it.watch.start(may_solve=True)
        await it.until(lambda: it.told(Wrote))
        assert it.watch.green
        it.watch.typed("calc.py", GOOD["calc.py"].encode())
        await it.rested()
        assert it.watch.green, "it is our own text"
        it.watch.typed("calc.py", wrong)
        it.watch.saved("calc.py")
        await it.until(lambda: list(it.watch.pilot.known.red) == [ADD])
        await it.rested()
        assert it.script.solves == 1 and len(it.told(Wrote)) == 1
