"""The line to the editor: nothing but the protocol goes over it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pytest_lsp import make_test_lsp_client

from lsp.conftest import BROKEN, FIXED, script, scripted
from lsp.starting import capabilities, environment, server_command, started
from untilgreen.lsp import server

NOISY = """
import os, subprocess, threading
from untilgreen.lsp import server

noisy = threading.Event()

def noise():
    while True:
        print("a stray print", flush=True)
        os.system("echo a stray child")
        noisy.set()

def own_wire_then_noise(own_wire=server._own_wire):
    wire = own_wire()
    threading.Thread(target=noise, daemon=True).start()
    subprocess.run(["cat"])
    noisy.wait()
    return wire

server._own_wire = own_wire_then_noise
server.serve()
"""


def test_stray_prints_and_greedy_children_do_no_harm(project: Path) -> None:
    n_requests = 50
    ask = {"command": "untilgreen.stop", "arguments": [{}]}
    messages: list[dict[str, object]] = [
        {"id": 0, "method": "initialize", "params": {"capabilities": {}, "processId": None, "rootUri": None}},
        *({"id": n, "method": "workspace/executeCommand", "params": ask} for n in range(1, n_requests)),
        {"id": n_requests, "method": "shutdown"},
        {"method": "exit"},
    ]
    ended = subprocess.run(
        [sys.executable, "-c", NOISY],
        input=b"".join(frame(message) for message in messages),
        capture_output=True,
        timeout=30,
        env=environment(project.parent / "state"),
        check=False,
    )
    assert ended.returncode == 0
    assert b"a stray print\na stray child\n" in ended.stderr
    # The exit may overtake the answer to shutdown, which runs through all jobs first.
    assert [message["id"] for message in frames(ended.stdout)][:n_requests] == list(range(n_requests))


def frame(message: dict[str, object]) -> bytes:
    body = json.dumps({"jsonrpc": "2.0"} | message).encode()
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def frames(wire: bytes) -> Iterator[dict[str, object]]:
    """Strict, unlike most clients: not one byte between two messages."""
    while wire:
        header = re.match(rb"Content-Length: (\d+)\r\n(Content-Type: [^\r]*\r\n)?\r\n", wire)
        assert header, f"not a message: {wire[:80]!r}"
        end = header.end() + int(header[1])
        yield json.loads(wire[header.end() : end])
        wire = wire[end:]


async def test_the_editor_learns_what_it_may_ask(project: Path) -> None:
    async with started(project, "neovim", environment(project.parent / "state")) as editor:
        told = editor.introduction.capabilities
        assert told.execute_command_provider is not None
        assert sorted(told.execute_command_provider.commands) == [
            "untilgreen.apply",
            "untilgreen.discard",
            "untilgreen.doctor",
            "untilgreen.history",
            "untilgreen.review",
            "untilgreen.solve",
            "untilgreen.stop",
            "untilgreen.test",
            "untilgreen.undo",
            "untilgreen.watch",
        ]
        assert told.workspace is not None and told.workspace.text_document_content is not None
        assert told.hover_provider and told.code_lens_provider
        assert isinstance(told.text_document_sync, lsp.TextDocumentSyncOptions)
        assert told.text_document_sync.change == lsp.TextDocumentSyncKind.Full
        assert isinstance(told.code_action_provider, lsp.CodeActionOptions)
        assert told.code_action_provider.code_action_kinds == ("quickfix.untilgreen", "source.untilgreen")


async def test_wrong_arguments_are_refused_politely(project: Path) -> None:
    (other := project.parent / "other").mkdir()
    own = environment(project.parent / "state")
    async with started(project, "neovim", own, folders=[project, other]) as editor:
        for wrong in (None, [], [{}], [{"uri": "untitled:one"}], [{"uri": 3, "tests": 4}]):
            params = lsp.ExecuteCommandParams("untilgreen.solve", wrong)
            with pytest.raises(JsonRpcException) as refused:
                await editor.client.workspace_execute_command_async(params)
            assert refused.value.code == JsonRpcInvalidParams.CODE
            assert refused.value.data is None, "a traceback would tell paths of this machine"
        assert await editor.actions(editor.open("test_calc.py"), 5)


async def test_an_editor_that_counts_characters_gets_its_edit_in_characters(project: Path) -> None:
    (project / "calc.py").write_text("def sub(a, b):\n    return a - b\ndef add(a, b): return a - b  # 😀 é")
    script(project, {"calc.py": "def sub(a, b):\n    return a - b\ndef add(a, b): return a + b  # 😀 é"})
    known = capabilities("neovim")
    counts = lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf32])
    settings = environment(
        project.parent / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto"
    )
    async with started(project, "neovim", settings, can=attrs.evolve(known, general=counts)) as editor:
        assert editor.introduction.capabilities.position_encoding == lsp.PositionEncodingKind.Utf32
        code = editor.open("calc.py")
        await editor.solve(code)
        await editor.until(lambda: editor.text(code).endswith("a + b  # 😀 é"), "the fix")


SECRET = "sk-not-a-real-key-but-it-looks-like-one"
PRIVATE = "what only this file says"


async def test_logs_hold_neither_contents_nor_keys(project: Path) -> None:
    (project / "calc.py").write_text(f'NOTE = "{PRIVATE}"\n' + BROKEN)
    script(project, {"calc.py": f'NOTE = "{PRIVATE}"\n' + FIXED})
    errors = project.parent / "stderr"
    settings = environment(
        project.parent / "state", sandbox="bubblewrap", solver=scripted(project), apply="auto"
    )
    keys = {"OPENAI_API_KEY": SECRET, "ANTHROPIC_API_KEY": SECRET}
    command = ["sh", "-c", 'exec "$0" "$@" 2>"$STDERR"', *server_command()]
    environ = {**settings, **keys, "STDERR": str(errors)}
    async with started(project, "neovim", environ, command=command) as editor:
        code = editor.open("calc.py")
        await editor.solve(code)
        await editor.until(lambda: "a + b" in editor.text(code), "the fix")
        for wrong in ({"uri": code, "tests": [PRIVATE]}, {"uri": 3, "note": SECRET}, {}):
            with contextlib.suppress(JsonRpcException):
                await editor.run("untilgreen.solve", **wrong)
        # Something that breaks inside is logged, too.
        editor.type(code, PRIVATE + "\0" + SECRET)
        run = await editor.run("untilgreen.test", uri=code)
        if run["job"]:
            await editor.until_ended(run["job"])
        logged = [message.message for message in editor.client.log_messages]
    said = errors.read_text() + "\n".join(logged)
    assert PRIVATE not in said and SECRET not in said


async def test_one_editor_over_tcp(project: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *server_command(),
        "--tcp",
        "127.0.0.1:0",
        stderr=asyncio.subprocess.PIPE,
        env=environment(project.parent / "state"),
    )
    assert process.stderr is not None
    line = (await asyncio.wait_for(process.stderr.readline(), 20)).decode()
    address, _, port = line.removeprefix("listening on ").strip().rpartition(":")
    client = make_test_lsp_client()
    await client.start_tcp(address, int(port))
    params = lsp.InitializeParams(capabilities=capabilities("neovim"))
    assert await client.initialize_session(params)
    await client.shutdown_async(None)
    client.exit(None)
    assert await asyncio.wait_for(process.wait(), 10) == 0
    await client.stop()  # type: ignore[no-untyped-call]


async def test_a_server_ends_its_connection_when_the_editor_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In this process: when one ends, the system closes what it left open."""
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    talking = asyncio.ensure_future(server._talk_tcp(server.Server(), "127.0.0.1", 0))
    said = ""
    while "listening on" not in said:
        await asyncio.sleep(0.01)
        said += capfd.readouterr().err
    reader, writer = await asyncio.open_connection("127.0.0.1", int(said.rpartition(":")[2]))
    writer.write_eof()
    assert await asyncio.wait_for(reader.read(), 20) == b""
    assert await asyncio.wait_for(talking, 20) == 1, "nobody said shutdown"
    writer.close()


def test_only_this_machine_is_served_over_tcp() -> None:
    command = [*server_command(), "--tcp", "0.0.0.0:0"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 2
    assert "only addresses of this machine" in ended.stderr


LATER = """
import asyncio, sys
from lsprotocol import types as lsp
from untilgreen.lsp import handlers, server

LATE = {"docker", "openai", "anthropic", "libcst", "typer", "rich", "pytest", "watchfiles"}
TEXT = "def test_one():\\n    assert add(1) == 2\\n"

class Nowhere:
    def write(self, data):
        pass

async def main():
    own = server.Server()
    handlers.register(own)
    print("registered", sorted(LATE & set(sys.modules)))
    own.protocol.set_writer(Nowhere(), include_headers=False)
    def say(message):
        own.protocol.handle_message(message)
    folder = lsp.WorkspaceFolder(sys.argv[1], "work")
    can = lsp.ClientCapabilities()
    say(lsp.InitializeRequest(0, lsp.InitializeParams(can, workspace_folders=[folder])))
    say(lsp.InitializedNotification(lsp.InitializedParams()))
    await asyncio.sleep(0)
    document = lsp.TextDocumentIdentifier(sys.argv[1] + "/test_a.py")
    item = lsp.TextDocumentItem(document.uri, "python", 1, TEXT)
    say(lsp.DidOpenTextDocumentNotification(lsp.DidOpenTextDocumentParams(item)))
    here = lsp.Range(lsp.Position(1, 0), lsp.Position(1, 0))
    asked = lsp.CodeActionParams(document, here, lsp.CodeActionContext([]))
    assert await handlers.on_code_action(own, asked)
    assert handlers.on_code_lens(own, lsp.CodeLensParams(document))
    await asyncio.gather(*own.looking.values())
    print("at work", sorted(LATE & set(sys.modules)))
    await own.close()

asyncio.run(main())
"""


def test_an_editor_does_not_wait_for_what_it_does_not_need(tmp_path: Path) -> None:
    """Neither for the answer to `initialize`, nor for the first light bulb."""
    work = tmp_path / "work"
    work.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", LATER, work.as_uri()],
        capture_output=True,
        text=True,
        check=True,
        env=environment(tmp_path / "state"),
    )
    assert done.stdout.splitlines() == ["registered []", "at work []"], done.stderr
