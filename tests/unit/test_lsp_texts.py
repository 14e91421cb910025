"""Whether files beside a fix are what they were, on every move of a cursor."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unit.lsp_rig import Rig
from untilgreen.lsp.texts import MOST_TOLD, Texts
from untilgreen.workspace import Snapshot, take_snapshot


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    rig = Rig(tmp_path / "work")
    for path in ("code.py", "pkg/deep/other.py"):
        (rig.root / path).parent.mkdir(parents=True, exist_ok=True)
        (rig.root / path).write_text("old\n")
    return rig


@pytest.fixture
def snapshot(rig: Rig) -> Snapshot:
    return take_snapshot(rig.root)


def differ(rig: Rig, snapshot: Snapshot, *told: str) -> bool:
    texts = Texts(rig.server.documents, rig.root)
    since = rig.server.documents.n_changes
    for path in told:
        rig.server.documents.changed(rig.root / path)
    return texts.differ(snapshot, ["code.py"], since)


async def test_what_was_told_of_and_is_the_same_is_no_difference(rig: Rig, snapshot: Snapshot) -> None:
    (rig.root / "code.py").write_text("new\n")
    assert not differ(rig, snapshot, "code.py", "pkg/deep/other.py", "build/never.o")
    (rig.root / "pkg/deep/other.py").write_text("new\n")
    assert differ(rig, snapshot, "build/never.o", "pkg/deep/other.py")


@pytest.mark.parametrize("folder", ["pkg", "pkg/deep"])
async def test_a_folder_that_is_gone_is_a_difference(rig: Rig, snapshot: Snapshot, folder: str) -> None:
    shutil.rmtree(rig.root / folder)
    assert differ(rig, snapshot, folder)
    assert not differ(rig, snapshot, "pk", "pkg/de", "other")


async def test_a_crowd_is_not_looked_at_one_by_one(
    rig: Rig, snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"build/{n}.o" for n in range(MOST_TOLD + 1)]
    assert not differ(rig, snapshot, *names[1:])
    monkeypatch.setattr(Texts, "signature", lambda *_: pytest.fail("nobody looks"))
    assert differ(rig, snapshot, *names)
