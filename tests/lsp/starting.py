"""Starts servers over real stdio, for editors with different abilities."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
from lsprotocol import types as lsp
from pytest_lsp import client_capabilities, make_test_lsp_client

from lsp.editor import Editor, Manners
from lsp.minimal import MinimalEditor
from untilgreen.lsp.folders import uri_of


def server_command() -> list[str]:
    return [sys.executable, "-m", "untilgreen", "serve"]


def environment(state: Path, **settings: str) -> dict[str, str]:
    """The settings of a server under test; nothing of the user's own."""
    own = {"UNTILGREEN_STATE": str(state), "UNTILGREEN_CONFIG": os.devnull, "UNTILGREEN_SOLVER": "offline"}
    return dict(os.environ) | own | {f"UNTILGREEN_{name.upper()}": value for name, value in settings.items()}


def capabilities(manners: Manners) -> lsp.ClientCapabilities:
    """What the editor says of itself; the stored VS Code is of 2022 and is brought up to date."""
    if manners == "minimal":
        return lsp.ClientCapabilities()
    found = client_capabilities(manners)
    if manners == "neovim":
        return found
    assert found.workspace is not None and found.text_document is not None
    action = found.text_document.code_action
    assert action is not None
    known = lsp.CodeActionTagOptions(value_set=[lsp.CodeActionTag.LlmGenerated])
    return attrs.evolve(
        found,
        general=lsp.GeneralClientCapabilities(position_encodings=[lsp.PositionEncodingKind.Utf16]),
        text_document=attrs.evolve(found.text_document, code_action=attrs.evolve(action, tag_support=known)),
        workspace=attrs.evolve(
            found.workspace, text_document_content=lsp.TextDocumentContentClientCapabilities()
        ),
        # With our extension.
        experimental={"untilgreen": True, "testExplorer": True, "serverStatusNotification": True},
    )


@asynccontextmanager
async def started(
    root: Path,
    manners: Manners,
    environment: Mapping[str, str],
    *,
    command: Sequence[str] = (),
    options: Any = None,
    folders: Sequence[Path] | None = None,
    settings: Mapping[str, object] | None = None,
    can: lsp.ClientCapabilities | None = None,
) -> AsyncIterator[Editor]:
    """An editor with its server. Whatever the test did, no server is left behind."""
    client = make_test_lsp_client()
    editor = (MinimalEditor if manners == "minimal" else Editor)(client, root, manners)
    client.set_configuration({"untilgreen": settings or {}})
    await client.start_io(*(command or server_command()), env=dict(environment), cwd=root)
    opened = [lsp.WorkspaceFolder(uri_of(folder), folder.name) for folder in folders or [root]]
    # Several folders are optional, too; then there is one root.
    several = folders != [] and (manners != "minimal" or len(opened) > 1)
    try:
        editor.introduction = await client.initialize_session(
            lsp.InitializeParams(
                capabilities=can or capabilities(manners),
                client_info=lsp.ClientInfo("Neovim") if manners == "neovim" else None,
                root_uri=opened[0].uri if folders != [] else None,
                workspace_folders=opened if several else None,
                initialization_options=options,
            )
        )
        yield editor
        if editor.process.returncode is None:
            await asyncio.wait_for(client.shutdown_session(), 20)
    finally:
        if editor.process.returncode is None:
            editor.process.kill()
        await client.stop()  # type: ignore[no-untyped-call]
