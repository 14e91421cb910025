"""Repairs to pygls 2.1. Each says why it exists, so that it can go when upstream no longer needs it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Generator
from concurrent.futures import Future
from typing import Any

import attrs
from lsprotocol import types as lsp
from pygls.protocol import LanguageServerProtocol, lsp_method

from untilgreen.lsp import ext

log = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """The line to the editor."""

    gone = False
    """The editor no longer listens; nothing more is sent."""

    without_arguments: Callable[[str], tuple[object, ...]] = staticmethod(lambda _command: ())
    """What a command means that comes without arguments."""

    was_shut_down = False
    """The editor asked for `shutdown`, answered or not: leaving is then no failure."""

    def _execute_handler(
        self,
        msg_id: str | int,
        handler: Callable[..., Any],
        callback: Callable[..., None],
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
    ) -> None:
        # pygls keeps the future of every notification and of every command for ever.
        super()._execute_handler(msg_id, handler, callback, args, kwargs)
        if (future := self._request_futures.get(msg_id)) is not None:
            future.add_done_callback(lambda _: self._request_futures.pop(msg_id, None))

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: str | int | None = None,
    ) -> Future[Any]:
        # An answer to a request that we no longer wait for would be set on a cancelled future, and raise.
        request_id = msg_id if msg_id is not None else str(uuid.uuid4())
        future = super().send_request(method, params, callback, request_id)
        future.add_done_callback(lambda _: self._forget(request_id))
        return future

    def _forget(self, request_id: str | int) -> None:
        self._request_futures.pop(request_id, None)
        self._result_types.pop(request_id, None)

    def _send_response(
        self, msg_id: str | int, result: Any | None = None, error: lsp.ResponseError | None = None
    ) -> None:
        # pygls puts the traceback, with paths of this machine, into the error's data.
        if error is not None:
            error = attrs.evolve(error, data=None)
        super()._send_response(msg_id, result, error)

    def _send_data(self, data: Any) -> None:
        # While jobs are being stopped the editor may be gone; their last words are then lost, not an error.
        if self.gone:
            return
        try:
            super()._send_data(data)
        except OSError:
            self.gone = True
            log.warning("the editor no longer listens")

    @lsp_method(lsp.INITIALIZE)
    def lsp_initialize(self, params: lsp.InitializeParams) -> Generator[Any, Any, lsp.InitializeResult]:
        # What pygls does not know to announce: virtual documents, and messages that are not of the protocol.
        result: lsp.InitializeResult = yield from super().lsp_initialize(params)
        workspace = result.capabilities.workspace or lsp.WorkspaceOptions()
        workspace.text_document_content = lsp.TextDocumentContentOptions(schemes=[ext.SCHEME])
        result.capabilities.workspace = workspace
        result.capabilities.experimental = {"testExplorer": True, "untilgreen": True}
        return result

    @lsp_method(lsp.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: lsp.ExecuteCommandParams) -> Generator[Any, Any, Any]:
        # Without arguments pygls skips its check, and the caller gets a raw TypeError as an internal error.
        params.arguments = params.arguments or self.without_arguments(params.command)
        return (yield from super().lsp_workspace__execute_command(params))

    @lsp_method(lsp.SHUTDOWN)
    def lsp_shutdown(self, *args: Any) -> Generator[Any, Any, None]:
        # pygls cancels while it iterates over the dictionary that the callbacks shrink, and answers with an
        # error; this is the same from a copy.
        self.was_shut_down = True
        if (handler := self.fm.features.get(lsp.SHUTDOWN)) is not None:
            yield handler, args, None
        for msg_id, future in list(self._request_futures.items()):
            if msg_id != self.msg_id and not future.done():
                future.cancel()
        self._shutdown = True

    @lsp_method(lsp.EXIT)
    def lsp_exit(self, *args: Any) -> Generator[Any, Any, None]:
        # pygls closes the line here, and jobs that are stopped on the way out would write to a closed file.
        self.gone = True
        return (yield from super().lsp_exit(*args))
