"""The repairs to pygls, and the editor desk, on a server whose line ends in a list."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from lsprotocol import types as lsp
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from unit.lsp_rig import Rig
from untilgreen.desk import Content
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.lsp.desk import EditorDesk
from untilgreen.lsp.server import Server
from untilgreen.model import FileChange, Patch


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    return Rig(tmp_path / "work")


async def test_messages_leave_nothing_behind(rig: Rig) -> None:
    rig.open("a.py", "")
    for version in range(2, 50):
        rig.type("a.py", f"# {version}\n", version)
    stop = lsp.ExecuteCommandParams("untilgreen.stop", [{}])
    rig.receive(lsp.ExecuteCommandRequest(1, stop))
    await asyncio.sleep(0)
    assert rig.line.sent[-1] == {"id": 1, "jsonrpc": "2.0", "result": False}
    assert rig.server.protocol._request_futures == {}


async def test_shutdown_answers_although_a_question_is_open(rig: Rig) -> None:
    question = lsp.ShowMessageRequestParams(lsp.MessageType.Info, "?")
    asked = asyncio.ensure_future(rig.server.window_show_message_request_async(question))
    await asyncio.sleep(0)
    rig.receive(lsp.ShutdownRequest(7))
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asked, 5)
    assert rig.line.sent[-1] == {"id": 7, "jsonrpc": "2.0", "result": None}


async def test_an_answer_nobody_waits_for_is_ignored(rig: Rig) -> None:
    question = lsp.ShowMessageRequestParams(lsp.MessageType.Info, "?")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(rig.server.window_show_message_request_async(question), 0.01)
    await asyncio.sleep(0)
    [request] = rig.sent("window/showMessageRequest")
    rig.receive(JsonRPCResponseMessage(request["id"], "2.0", None))
    assert rig.server.protocol._request_futures == {}
    assert rig.server.protocol._result_types.get(request["id"]) is None


async def test_a_broken_line_is_noticed_once(rig: Rig) -> None:
    rig.line.broken = True
    rig.server.say("one", lsp.MessageType.Info)
    rig.server.say("two", lsp.MessageType.Info)
    assert rig.server.protocol.gone


async def test_the_overlay_is_what_the_editor_would_save(rig: Rig) -> None:
    (rig.root / "marked.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    (rig.root / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    rig.open("marked.py", "x = 2\r\n", version=4)
    (rig.root / "strange.txt").write_bytes(b"\xff\xfe\xe9")
    rig.open("latin.py", "# -*- coding: latin-1 -*-\nx = 'è'\n")
    rig.open("new.py", "y = 1\n")
    rig.open("strange.txt", "what only the editor can read")
    desk = EditorDesk(rig.server, rig.root)
    overlay = desk.overlay()
    assert {path: (item.content, item.version) for path, item in overlay.items()} == {
        "marked.py": (b"\xef\xbb\xbfx = 2\r\n", 4),
        "latin.py": (b"# -*- coding: latin-1 -*-\nx = '\xe8'\n", 1),
        "new.py": (b"y = 1\n", 1),
    }
    assert desk.unsaved == ("latin.py", "marked.py", "new.py")


async def test_a_file_that_changed_is_not_overwritten(rig: Rig) -> None:
    (rig.root / "a.py").write_bytes(b"old\n")
    (rig.root / "b.py").write_bytes(b"old\n")
    rig.open("a.py", "typed\n")
    desk = EditorDesk(rig.server, rig.root)
    patch = Patch({"a.py": FileChange(b"new\n"), "b.py": FileChange(b"new\n")})
    with pytest.raises(WorkspaceChanged, match=r"a\.py"):
        await desk.write(patch, {"a.py": Content(b"old\n"), "b.py": Content(b"old\n")})
    with pytest.raises(WorkspaceChanged, match=r"b\.py"):
        await desk.write(patch, {"a.py": Content(b"typed\n"), "b.py": Content(b"other\n")})
    with pytest.raises(WorkspaceChanged, match=r"b\.py"):
        await desk.write(patch, {"a.py": Content(b"typed\n")})
    assert rig.sent("workspace/applyEdit") == []


async def test_an_edit_names_the_version_it_was_made_for(rig: Rig) -> None:
    (rig.root / "a.py").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    uri = rig.open("a.py", "one\r\ntwo\r\n", version=7)
    desk = EditorDesk(rig.server, rig.root)
    now = await desk.read("a.py")
    assert now == Content(b"\xef\xbb\xbfone\r\ntwo\r\n", 7)
    patch = Patch({"a.py": FileChange(b"\xef\xbb\xbfone\ntoo\n")})
    rig.line.wrote.clear()
    writing = asyncio.ensure_future(desk.write(patch, {"a.py": now}))
    await asyncio.wait_for(rig.line.wrote.wait(), 5)
    [request] = rig.sent("workspace/applyEdit")
    [change] = request["params"]["edit"]["documentChanges"]
    assert change["textDocument"] == {"uri": uri, "version": 7}
    assert [edit["newText"] for edit in change["edits"]] == ["too\n"]
    refusal = lsp.ApplyWorkspaceEditResult(False, "no")
    rig.receive(lsp.ApplyWorkspaceEditResponse(request["id"], refusal))
    with pytest.raises(WorkspaceChanged, match="did not take the fix: no"):
        await writing


async def test_what_is_not_utf8_is_left_alone(rig: Rig) -> None:
    (rig.root / "a.py").write_bytes(b"\xe9\n")
    desk = EditorDesk(rig.server, rig.root)
    with pytest.raises(WorkspaceError, match="not UTF-8"):
        await desk.write(Patch({"a.py": FileChange(b"e\n")}), {"a.py": Content(b"\xe9\n")})
    assert rig.sent("workspace/applyEdit") == []


async def test_an_error_tells_no_paths(rig: Rig) -> None:
    def broken(ls: Server, params: lsp.DeclarationParams) -> None:
        raise ValueError("no hover")

    rig.server.feature(lsp.TEXT_DOCUMENT_DECLARATION)(broken)
    where = lsp.DeclarationParams(lsp.TextDocumentIdentifier(rig.open("a.py", "")), lsp.Position(0, 0))
    rig.receive(lsp.DeclarationRequest(5, where))
    assert rig.line.sent[-1]["error"] == {"code": -32603, "message": "ValueError: no hover"}
