"""How a patch reaches the files of an editor that tells us little."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
import time
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types as lsp
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from unit.lsp_rig import Rig
from untilgreen.desk import Content
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.lsp import desk as desk_module
from untilgreen.lsp.desk import EditorDesk
from untilgreen.model import FileChange, Patch
from untilgreen.workspace import take_snapshot

DYNAMIC = lsp.TextDocumentClientCapabilities(
    synchronization=lsp.TextDocumentSyncClientCapabilities(dynamic_registration=True)
)


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    return Rig(tmp_path / "work", experimental={"untilgreen": True})


def taken(request_id: str) -> Any:
    return lsp.ApplyWorkspaceEditResponse(request_id, lsp.ApplyWorkspaceEditResult(True))


def nothing(request_id: str) -> Any:
    return JsonRPCResponseMessage(request_id, "2.0", None)


async def test_what_the_editor_may_have_open_unseen_is_never_edited_blindly(rig: Rig) -> None:
    """Its unsaved text stays; it sees that the file changed, and asks."""
    (rig.root / "code.py").write_text("old\n")
    (rig.root / "data.json").write_text("{}\n")
    rig.open("code.py", "old\n")
    patch = Patch(
        {
            "code.py": FileChange(b"new\n"),
            "data.json": FileChange(b"[]\n"),
            "more.json": FileChange(b"1\n"),
        }
    )
    desk = EditorDesk(rig.server, rig.root)
    now = {path: await desk.read(path) for path in patch.paths}
    writing = asyncio.ensure_future(desk.write(patch, now))
    asked = await rig.answered("workspace/applyEdit", taken)
    [change] = asked["edit"]["documentChanges"]
    assert change["textDocument"]["uri"].endswith("/code.py")
    assert (rig.root / "data.json").read_text() == "{}\n", "not before the editor took its part"
    rig.type("code.py", "new\n")
    await rig.answered("untilgreen/save", nothing)
    await writing
    assert (rig.root / "data.json").read_text() == "[]\n"
    assert (rig.root / "more.json").read_text() == "1\n"


async def test_an_editor_that_tells_of_everything_edits_everything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    rig = Rig(tmp_path / "work", text_document=DYNAMIC)
    rig.receive(lsp.InitializedNotification(lsp.InitializedParams()))
    asked = await rig.answered("client/registerCapability", nothing)
    assert [one["method"] for one in asked["registrations"]] == [
        "textDocument/didOpen",
        "textDocument/didChange",
        "textDocument/didSave",
        "textDocument/didClose",
    ]
    assert all(
        one["registerOptions"]["documentSelector"] == [{"scheme": "file"}] for one in asked["registrations"]
    )
    for _ in range(500):
        if rig.server.hears_of_all:
            break
        await asyncio.sleep(0.01)
    (rig.root / "data.json").write_text("{}\n")
    rig.open("data.json", "{'typed': 1}\n", version=3)
    desk = EditorDesk(rig.server, rig.root)
    assert desk.overlay()["data.json"].content == b"{'typed': 1}\n", "what is not saved counts"
    patch = Patch({"data.json": FileChange(b"[]\n")})
    writing = asyncio.ensure_future(desk.write(patch, {"data.json": Content(b"{'typed': 1}\n", 3)}))
    edit = await rig.answered("workspace/applyEdit", taken)
    [change] = edit["edit"]["documentChanges"]
    assert change["textDocument"]["version"] == 3
    rig.type("data.json", "[]\n", 4)
    await writing


async def test_each_document_is_looked_at_by_an_editor_that_looks_at_the_first_only(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As plain Neovim does; it skips what is newer and says that it took it."""
    monkeypatch.setattr(desk_module, "_SETTLE_SECONDS", 0.2)
    rig.server.can = dataclasses.replace(rig.server.can, refuses_stale_edits=False)
    for name in ("a.py", "b.py", "c.py"):
        (rig.root / name).write_text("old\n")
    rig.open("b.py", "old\n", version=3)
    rig.open("c.py", "old\n", version=4)
    desk = EditorDesk(rig.server, rig.root)
    patch = Patch({name: FileChange(b"new\n") for name in ("a.py", "b.py", "c.py")})
    now = {path: await desk.read(path) for path in patch.paths}
    writing = asyncio.ensure_future(desk.write(patch, now))
    asked = [await rig.answered("workspace/applyEdit", taken, number) for number in (1, 2)]
    documents = [[one["textDocument"] for one in params["edit"]["documentChanges"]] for params in asked]
    named = [[(one["uri"].rpartition("/")[2], one["version"]) for one in edit] for edit in documents]
    assert named == [[("b.py", 3)], [("c.py", 4), ("a.py", None)]]
    rig.type("b.py", "new\n", 4)
    rig.type("c.py", "typed\nold\n", 5)
    with pytest.raises(WorkspaceChanged, match=r"but c\.py is not what was sent"):
        await writing


@pytest.mark.parametrize("dirty", ["", "code.py", "more.py"])
async def test_an_editor_may_save_all_files_only_when_all_of_them_were_saved(rig: Rig, dirty: str) -> None:
    """What it is told is a refactoring, VS Code saves as a whole."""
    rig.server.can = dataclasses.replace(rig.server.can, edit_metadata=True)
    texts = {name: "typed\n" if name == dirty else "old\n" for name in ("code.py", "more.py")}
    for name, text in texts.items():
        (rig.root / name).write_text("old\n")
        rig.open(name, text)
    desk = EditorDesk(rig.server, rig.root)
    patch = Patch({name: FileChange(b"new\n") for name in texts})
    now = {path: await desk.read(path) for path in patch.paths}
    writing = asyncio.ensure_future(desk.write(patch, now))
    asked = await rig.answered("workspace/applyEdit", taken)
    assert asked.get("metadata") == (None if dirty else {"isRefactoring": True})
    for name in texts:
        rig.type(name, "new\n")
    asked = await rig.answered("untilgreen/save", nothing)
    assert [uri.rpartition("/")[2] for uri in asked["uris"]] == [name for name in texts if name != dirty]
    await writing


async def test_an_empty_file_comes_and_goes(rig: Rig) -> None:
    desk = EditorDesk(rig.server, rig.root)
    await desk.write(Patch({"pkg/__init__.py": FileChange(b"")}), {})
    assert (rig.root / "pkg/__init__.py").read_bytes() == b""
    await desk.write(Patch({"pkg/__init__.py": FileChange(None)}), {"pkg/__init__.py": Content(b"")})
    assert not (rig.root / "pkg/__init__.py").exists()
    assert rig.sent("workspace/applyEdit") == []


async def test_what_an_editor_cannot_create_or_delete_goes_by_the_disk(rig: Rig) -> None:
    rig.server.can = dataclasses.replace(rig.server.can, create_files=False, delete_files=False)
    rig.server.hears_of_all = True
    desk, before = EditorDesk(rig.server, rig.root), {"old.py": Content(b"old\n")}
    (rig.root / "old.py").write_text("old\n")
    rig.open("old.py", "mine\n")
    patch = Patch({"new.py": FileChange(b"new\n"), "old.py": FileChange(None)})
    with pytest.raises(WorkspaceError, match=r"old\.py is not saved; nothing was written"):
        await desk.write(patch, {"old.py": Content(b"mine\n")})
    assert not (rig.root / "new.py").exists()
    rig.type("old.py", "old\n")
    await desk.write(patch, before)
    assert (rig.root / "new.py").read_text() == "new\n" and not (rig.root / "old.py").exists()
    assert rig.sent("workspace/applyEdit") == [] and desk.left_to_reload(patch.paths) == ("old.py",)


async def test_a_file_that_becomes_empty_is_saved(rig: Rig) -> None:
    (rig.root / "code.py").write_text("old\n")
    rig.open("code.py", "old\n")
    patch = Patch({"code.py": FileChange(b"")})
    writing = asyncio.ensure_future(
        EditorDesk(rig.server, rig.root).write(patch, {"code.py": Content(b"old\n")})
    )
    await rig.answered("workspace/applyEdit", taken)
    rig.type("code.py", "")
    await asyncio.sleep(0.1)
    assert not writing.done(), "who looks next should see it saved"
    asked = await rig.answered("untilgreen/save", nothing)
    assert [uri.rpartition("/")[2] for uri in asked["uris"]] == ["code.py"]
    await writing


async def test_an_editor_that_never_says_that_it_saved_keeps_nobody_waiting(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "_SAVE_SECONDS", 0.1)
    (rig.root / "code.py").write_text("old\n")
    rig.open("code.py", "old\n")
    desk = EditorDesk(rig.server, rig.root)
    writing = asyncio.ensure_future(
        desk.write(Patch({"code.py": FileChange(b"new\n")}), {"code.py": Content(b"old\n")})
    )
    await rig.answered("workspace/applyEdit", taken)
    rig.type("code.py", "new\n")
    await asyncio.wait_for(writing, 20)


@pytest.mark.parametrize("saves", [True, False])
async def test_a_fix_that_is_nowhere_to_be_seen_is_not_called_saved(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, saves: bool
) -> None:
    """An editor may change a file that is not open in a document of which it never tells."""
    monkeypatch.setattr(desk_module, "_SETTLE_SECONDS", 0.1)
    (rig.root / "code.py").write_text("old\n")
    desk, patch = EditorDesk(rig.server, rig.root), Patch({"code.py": FileChange(b"new\n")})
    writing = asyncio.ensure_future(desk.write(patch, {"code.py": Content(b"old\n")}))
    await rig.answered("workspace/applyEdit", taken)
    if saves:
        (rig.root / "code.py").write_text("new\n")
    await rig.answered("untilgreen/save", nothing)
    await asyncio.wait_for(writing, 20)
    assert desk.left_unsaved(patch.paths) == (() if saves else ("code.py",))


async def test_texts_beside_a_fix_are_compared_with_those_it_was_verified_with(rig: Rig) -> None:
    for name in ("code.py", "test_code.py", "data/one.txt"):
        (rig.root / name).parent.mkdir(exist_ok=True)
        (rig.root / name).write_text("old\n")
        rig.open(name, "old\n")
    desk = EditorDesk(rig.server, rig.root)
    snapshot = take_snapshot(rig.root, desk.overlay())

    def is_left_behind() -> bool:
        return desk.is_left_behind(snapshot, ("code.py",))

    rig.type("code.py", "mine\n")
    assert not is_left_behind(), "of its own file others take care"
    rig.type("test_code.py", "mine\n")
    assert is_left_behind()
    rig.type("test_code.py", "old\n", 3)
    assert not is_left_behind()
    rig.close("data/one.txt")
    assert not is_left_behind()
    shutil.rmtree(rig.root / "data")
    rig.changed_on_disk("data")
    assert is_left_behind()


async def test_the_edit_of_a_waiting_fix_costs_a_cursor_nothing(rig: Rig) -> None:
    old = "".join(f"x{n} = {n * 7 % 13}\n" for n in range(6000))
    new = old.replace("x3000 =", "y3000 =")
    (rig.root / "code.py").write_text(old)
    rig.open("code.py", old)
    desk, patch = EditorDesk(rig.server, rig.root), Patch({"code.py": FileChange(new.encode())})
    pristine = {"code.py": old.encode()}
    begun = time.perf_counter()
    first = desk.edit_for(patch, pristine)
    assert first is not None and time.perf_counter() - begun < 0.5, "it was two seconds"
    assert desk.edit_for(patch, pristine) is first
    rig.type("code.py", old + "# typed\n")
    assert desk.edit_for(patch, pristine) is None
    rig.type("code.py", old, 3)
    again = desk.edit_for(patch, pristine)
    assert again is not None and again is not first, "it names the version of now"
    (rig.root / "code.py").unlink()
    rig.close("code.py")
    assert desk.edit_for(patch, pristine) is None


async def test_a_file_in_an_encoding_that_it_names_is_edited_in_it(rig: Rig) -> None:
    head = "# -*- coding: latin-1 -*-\n"
    (rig.root / "latin.py").write_bytes((head + "x = 'é'\n").encode("latin-1"))
    rig.open("latin.py", head + "x = 'é'\n")
    desk = EditorDesk(rig.server, rig.root)
    patch = Patch({"latin.py": FileChange((head + "x = 'è'\n").encode("latin-1"))})
    writing = asyncio.ensure_future(desk.write(patch, {"latin.py": await desk.read("latin.py")}))
    asked = await rig.answered("workspace/applyEdit", taken)
    assert asked["edit"]["documentChanges"][0]["edits"][0]["newText"] == "x = 'è'\n"
    rig.type("latin.py", head + "x = 'è'\n")
    await rig.answered("untilgreen/save", nothing)
    await writing
