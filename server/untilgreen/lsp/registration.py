"""What the editor is asked to tell us besides what it tells by itself: every open file, and code on disk."""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from untilgreen.lsp.server import Server

log = logging.getLogger(__name__)

_ANSWER_SECONDS = 10.0


async def hear_of_all(ls: Server) -> None:
    """Of whatever file is open: tests read data, fixes change it, and what is not saved counts there, too."""
    if not ls.can.sync_registration:
        return
    files = [lsp.TextDocumentFilterScheme(scheme="file")]
    full = lsp.TextDocumentSyncKind.Full
    ls.hears_of_all = await _registered(
        ls,
        {
            lsp.TEXT_DOCUMENT_DID_OPEN: lsp.TextDocumentRegistrationOptions(files),
            lsp.TEXT_DOCUMENT_DID_CHANGE: lsp.TextDocumentChangeRegistrationOptions(full, files),
            lsp.TEXT_DOCUMENT_DID_SAVE: lsp.TextDocumentSaveRegistrationOptions(files),
            lsp.TEXT_DOCUMENT_DID_CLOSE: lsp.TextDocumentRegistrationOptions(files),
        },
    )


async def hear_of_disk(ls: Server) -> None:
    """Of code that comes and goes on disk, with another branch for example."""
    if ls.can.watched_files:
        watchers = [
            lsp.FileSystemWatcher(glob_pattern="**/*.py"),
            # Of a folder that is removed many editors tell by its own name, and not of what was in it.
            lsp.FileSystemWatcher(glob_pattern="**/*", kind=lsp.WatchKind.Delete),
        ]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        await _registered(ls, {lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES: options})


async def _registered(ls: Server, wanted: dict[str, object]) -> bool:
    registrations = [
        lsp.Registration(f"untilgreen {method}", method, options) for method, options in wanted.items()
    ]
    try:
        await asyncio.wait_for(
            ls.client_register_capability_async(lsp.RegistrationParams(registrations)), _ANSWER_SECONDS
        )
    except (TimeoutError, JsonRpcException) as error:
        log.info("the editor does not tell of %s: %s", ", ".join(wanted), error)
        return False
    return True
