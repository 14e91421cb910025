"""The server and its life: it starts on one line, and when it goes it leaves nothing running."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import threading
from contextlib import closing
from functools import cached_property
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

from lsprotocol import types as lsp
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer

from untilgreen import __version__
from untilgreen.errors import UsageError
from untilgreen.lsp.capabilities import Capabilities
from untilgreen.lsp.protocol import Protocol

# An editor waits for the answer to `initialize`; what is not needed for it is imported afterwards.
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from untilgreen.engine import Engine
    from untilgreen.journal import Journal
    from untilgreen.lsp.configuration import Configuration
    from untilgreen.lsp.discovery import Discovery
    from untilgreen.lsp.documents import Documents
    from untilgreen.lsp.fixes import Fixes
    from untilgreen.lsp.jobs import Jobs
    from untilgreen.lsp.lines import Encoding
    from untilgreen.lsp.publisher import Publisher
    from untilgreen.lsp.results import Results
    from untilgreen.lsp.reviews import Reviews
    from untilgreen.lsp.telling import Telling
    from untilgreen.lsp.tree import Tree
    from untilgreen.lsp.watch import Watches
    from untilgreen.settings import Settings

log = logging.getLogger(__name__)

# A sandbox that cannot be removed in this time must not keep a terminated server alive.
_LEAVE_SECONDS = 10.0


class Server(LanguageServer):
    """One editor, its documents, and the jobs it asked for."""

    protocol: Protocol

    def __init__(self, settings: Settings | None = None) -> None:
        # Full texts: pygls counts lines unlike the protocol, and partial changes would land on the wrong one.
        super().__init__(
            "untilgreen",
            __version__,
            text_document_sync_kind=lsp.TextDocumentSyncKind.Full,
            protocol_cls=Protocol,
        )
        self.problems: tuple[str, ...] = ()
        """What was wrong with the settings, for people, as long as the editor does not listen."""
        self.can = Capabilities()
        self.options: object = None
        """What the editor said when it introduced itself."""
        self.listening = False
        """The editor is ready for messages."""
        self.hears_of_all = False
        """The editor tells of all files that it has open, not only of those in Python."""
        self.looking: dict[Path, asyncio.Task[None]] = {}
        """Folders whose tests are being looked for."""
        self.leaving: asyncio.Task[None] | None = None
        self._settings = settings
        self._closing: asyncio.Task[None] | None = None

    @property
    def settings(self) -> Settings:
        """Those of the user, until the editor says otherwise."""
        if self._settings is None:
            from untilgreen.settings import user_settings

            self._settings, problems = user_settings(os.environ, {})
            for problem in problems:
                self.complain(problem)
        return self._settings

    @cached_property
    def journal(self) -> Journal:
        from untilgreen.journal import Journal, default_folder

        return Journal(default_folder(os.environ))

    @cached_property
    def engine(self) -> Engine:
        from untilgreen.engine import Engine

        return Engine(self.settings, self.journal)

    @cached_property
    def documents(self) -> Documents:
        from untilgreen.lsp.documents import Documents

        return Documents(self)

    @cached_property
    def publisher(self) -> Publisher:
        from untilgreen.lsp.publisher import Publisher

        return Publisher(self)

    @cached_property
    def results(self) -> Results:
        from untilgreen.lsp.results import Results

        return Results()

    @cached_property
    def discovery(self) -> Discovery:
        from untilgreen.lsp.discovery import Discovery

        return Discovery()

    @cached_property
    def tree(self) -> Tree:
        from untilgreen.lsp.tree import Tree

        return Tree(self)

    @cached_property
    def telling(self) -> Telling:
        from untilgreen.lsp.telling import Telling

        return Telling(self)

    @cached_property
    def fixes(self) -> Fixes:
        from untilgreen.lsp.fixes import Fixes

        return Fixes(self)

    @cached_property
    def reviews(self) -> Reviews:
        from untilgreen.lsp.reviews import Reviews

        return Reviews(self, self.journal.folder / "reviews")

    @cached_property
    def jobs(self) -> Jobs:
        from untilgreen.lsp.jobs import Jobs

        return Jobs(self)

    @cached_property
    def configuration(self) -> Configuration:
        from untilgreen.lsp.configuration import Configuration

        return Configuration(self)

    @cached_property
    def watches(self) -> Watches:
        from untilgreen.lsp.watch import Watches

        return Watches(self)

    @property
    def encoding(self) -> Encoding:
        """The units in which the editor counts columns."""
        chosen = self.workspace.position_encoding
        if chosen == lsp.PositionEncodingKind.Utf8:
            return "utf-8"
        return "utf-32" if chosen == lsp.PositionEncodingKind.Utf32 else "utf-16"

    def tells_of(self, path: str) -> bool:
        """Whether the editor would have told us that it has this file open."""
        return self.hears_of_all or path.endswith((".py", ".pyi"))

    def say(self, message: str, level: lsp.MessageType) -> None:
        """Show one message to the user; keep it rare."""
        self.window_show_message(lsp.ShowMessageParams(type=level, message=f"untilgreen: {message}"))

    def complain(self, problem: str) -> None:
        """Tell of a bad setting: at once, or as soon as the editor listens."""
        if self.listening:
            self.say(problem, lsp.MessageType.Warning)
        else:
            self.problems = (*self.problems, problem)

    def settings_of(self, root: Path) -> Settings:
        """Those of one workspace folder."""
        return self.engine.settings_of(root)

    def configure(self, settings: Settings, of_folders: Mapping[Path, Settings]) -> None:
        """Other settings, from now on; a folder may have its own."""
        self._settings = settings
        self.engine.configure(settings, of_folders)
        self.watches.reconsider()
        self.telling.status()

    def refresh_lenses(self) -> None:
        """Lenses tell what the last run said; an editor asks for them again only when told to."""
        if self.can.code_lens_refresh:
            self.workspace_code_lens_refresh(None)

    async def close(self) -> None:
        """Stop all jobs and wait until nothing of them is left; every door out leads through here."""
        if self._closing is None:
            self._closing = asyncio.get_running_loop().create_task(self._close(), name="close")
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if "engine" not in vars(self):
            return
        try:
            async with asyncio.timeout(_LEAVE_SECONDS):
                await self.watches.close()
                await self.engine.close()
        except TimeoutError:
            log.error("the jobs did not stop within %g seconds", _LEAVE_SECONDS)
        await self.jobs.close()

    def report_server_error(self, error: Exception, source: Any) -> None:
        # The default shows a message, one per keystroke when it is didChange that fails.
        log.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)


def serve(tcp: tuple[str, int] | None = None) -> NoReturn:
    """Serve one editor, over stdio or over one TCP connection on this machine, and exit."""
    from untilgreen.lsp import handlers

    if tcp is not None and tcp[0] not in ("localhost", "127.0.0.1", "::1"):
        raise UsageError(
            "Whoever connects may run jobs as you, so only addresses of this machine are served."
        )
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    # At INFO pygls logs every message it sends, with the contents of files.
    logging.getLogger("pygls").setLevel(logging.WARNING)
    receive, send = _own_wire()
    server = Server()
    handlers.register(server)
    talk = _talk_stdio(server, receive, send) if tcp is None else _talk_tcp(server, *tcp)
    exit_code = asyncio.run(talk)
    sys.stderr.flush()
    # A thread that still waits for something must not hold the process: all that matters is cleaned up.
    os._exit(exit_code)


async def _talk_stdio(server: Server, receive: BinaryIO, send: BinaryIO) -> int:
    server.protocol.set_writer(StdoutWriter(send))
    return await _talk(server, StdinAsyncReader(receive, server.thread_pool))


async def _talk_tcp(server: Server, host: str, port: int) -> int:
    """Exactly one editor: a second connection would get the answers of the first."""
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]]
    connected = asyncio.get_running_loop().create_future()

    def on_connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    async with await asyncio.start_server(on_connection, host, port) as listener:
        print(
            "listening on {}:{}".format(*listener.sockets[0].getsockname()[:2]), file=sys.stderr, flush=True
        )
        reader, writer = await connected
        listener.close()
        server.protocol.set_writer(writer)
        # From Python 3.12 on, the listener waits until nobody is connected any more.
        with closing(writer):
            return await _talk(server, reader)


async def _talk(server: Server, reader: Any) -> int:
    """Until the editor says exit, or is gone."""
    _leave_on_signals(server)
    try:
        await run_async(threading.Event(), reader, server.protocol, log, server.report_server_error)
    except SystemExit:
        # How pygls says that the editor sent `exit`.
        pass
    finally:
        server.protocol.gone = True
        await server.close()
    return 0 if server.protocol.was_shut_down else 1


def _leave_on_signals(server: Server) -> None:
    if sys.platform == "win32":
        return
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, _leave_soon, server, 128 + number)


def _leave_soon(server: Server, exit_code: int) -> None:
    server.leaving = asyncio.get_running_loop().create_task(_leave(server, exit_code), name="leave")


async def _leave(server: Server, exit_code: int) -> None:
    try:
        await server.close()
    finally:
        # The thread that reads stdin cannot be interrupted, and a normal exit would wait for it.
        os._exit(exit_code)


def _own_wire() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol alone: prints go to stderr, and children read nothing."""
    receive, send = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return receive, send
