"""HTTP/1.1 on loopback in a thread of its own: real sockets, keep-alive, chunks, resets."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import struct
import threading
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from scripted_models.script import Answer, Fault, Line, Raw, Reply, Silence

REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 429: "Too Many Requests"}
RESET = struct.pack("ii", 1, 0)
RAW_PIECE = 1 << 16
TLS = b"\x16"
"""What a client begins with that expects TLS; it is turned away at once, as servers do."""


@dataclass(frozen=True, slots=True)
class Request:
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float


class ScriptedServer:
    """Answers line by line of its script; further requests get `otherwise`, or an error that says so.

    Works in `with` and in `async with`, from any event loop and for other processes, too.
    """

    prefix = ""
    """What belongs to the base URL."""
    path = ""
    """Where this service is asked."""

    def __init__(self, script: Sequence[Line], otherwise: Line | None = None) -> None:
        self._script = list(script)
        self.otherwise = otherwise
        self.requests: list[Request] = []
        self.open = 0
        """How many connections there are now."""
        self.left: list[float] = []
        """When clients went away in the middle of a reply, by the monotonic clock."""
        self._handlers: set[asyncio.Task[None]] = set()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.prefix}"

    @property
    def unused(self) -> int:
        """How many lines of the script nobody has asked for."""
        return len(self._script)

    def messages(self, n: int = -1) -> list[dict[str, Any]]:
        """The messages of one request."""
        return list(self.requests[n].body["messages"])

    def wait_until_all_left(self, seconds: float = 1.0) -> bool:
        """True as soon as there is no connection. Blocking."""
        until = time.monotonic() + seconds
        while self.open and time.monotonic() < until:
            time.sleep(0.005)
        return not self.open

    def __enter__(self) -> Self:
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    async def __aenter__(self) -> Self:
        return await asyncio.to_thread(self.__enter__)

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.__exit__)

    def error_body(self, fault: Fault) -> dict[str, Any]:
        raise NotImplementedError

    def events(self, answer: Answer, request: Request) -> list[bytes]:
        """The reply as pieces of a stream of events, the last ones being how it ends."""
        raise NotImplementedError

    def error_event(self, fault: Fault) -> list[bytes]:
        raise NotImplementedError

    def _run(self, ready: threading.Event) -> None:
        async def main() -> None:
            self._stop = asyncio.Event()
            server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
            self.port = server.sockets[0].getsockname()[1]
            ready.set()
            await self._stop.wait()
            server.close()
            for handler in self._handlers:
                handler.cancel()
            await asyncio.gather(*self._handlers, return_exceptions=True)

        self._loop.run_until_complete(main())
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        self.open += 1
        try:
            while (request := await _read_request(reader, writer)) is not None:
                self.requests.append(request)
                if not await self._watched(self._respond(self._next(request), request, writer), reader):
                    self.left.append(time.monotonic())
                    break
                if writer.is_closing():
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            # The client's side of the story is what a test looks at.
            pass
        finally:
            writer.close()
            self.open -= 1
            self._handlers.discard(task)

    def _next(self, request: Request) -> Reply:
        if not request.path.endswith(self.path):
            return Fault(404, f"no such path: {request.path}", "wrong_path")
        line = self._script.pop(0) if self._script else self.otherwise
        if line is None:
            return Fault(400, "the script of this server is at its end")
        return line(request) if callable(line) else line

    async def _watched(self, response: Any, reader: asyncio.StreamReader) -> bool:
        """Respond; False as soon as the client goes away before the end."""
        answering = asyncio.ensure_future(response)
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                answering.result()
                return True
            return False
        finally:
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    async def _respond(self, reply: Reply, request: Request, writer: asyncio.StreamWriter) -> None:
        match reply:
            case Silence(hang_up=True):
                _reset(writer)
            case Silence():
                await asyncio.Event().wait()
            case Fault(streamed=True):
                _head(writer, 200, "text/event-stream")
                begun = self.events(Answer("It began well"), request)[:2]
                await _stream(writer, [*begun, *self.error_event(reply)])
            case Fault():
                extra = {"Retry-After": reply.retry_after} if reply.retry_after else {}
                body = json.dumps(self.error_body(reply)).encode()
                await _whole(writer, reply.status, "application/json", body, extra)
            case Raw():
                _head(writer, reply.status, reply.content_type)
                pieces = [reply.body[n : n + RAW_PIECE] for n in range(0, len(reply.body), RAW_PIECE)]
                await _stream(writer, pieces)
            case Answer():
                _head(writer, 200, "text/event-stream")
                events = self.events(reply, request)
                if reply.end == "whole":
                    await _stream(writer, events, reply.pause)
                    return
                async with contextlib.aclosing(_paced(events[: reply.after], reply.pause)) as paced:
                    async for piece in paced:
                        writer.write(_chunk(piece))
                        await writer.drain()
                if reply.end == "stall":
                    await asyncio.Event().wait()
                if reply.end == "cut":
                    writer.write(_chunk(b""))
                    await writer.drain()
                    return
                # What was sent so far arrives before the reset.
                await asyncio.sleep(0.05)
                _reset(writer)


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Request | None:
    try:
        first = await reader.readexactly(1)
        if first == TLS:
            writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            return None
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    verb, *lines = head.split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(verb.split(" ")[1], headers, json.loads(body or b"{}"), time.monotonic())


def _head(writer: asyncio.StreamWriter, status: int, content_type: str) -> None:
    head = f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}\r\nContent-Type: {content_type}\r\n"
    writer.write(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())


async def _whole(
    writer: asyncio.StreamWriter, status: int, kind: str, body: bytes, extra: dict[str, str]
) -> None:
    head = f"HTTP/1.1 {status} {REASONS.get(status, 'Status')}\r\nContent-Type: {kind}\r\n"
    more = "".join(f"{name}: {value}\r\n" for name, value in extra.items())
    writer.write(f"{head}{more}Content-Length: {len(body)}\r\n\r\n".encode() + body)
    await writer.drain()


async def _stream(writer: asyncio.StreamWriter, pieces: list[bytes], pause: float = 0.0) -> None:
    async with contextlib.aclosing(_paced(pieces, pause)) as paced:
        async for piece in paced:
            writer.write(_chunk(piece))
            await writer.drain()
    writer.write(_chunk(b""))
    await writer.drain()


async def _paced(pieces: list[bytes], pause: float) -> AsyncIterator[bytes]:
    for piece in filter(None, pieces):
        if pause:
            await asyncio.sleep(pause)
        yield piece


def _chunk(piece: bytes) -> bytes:
    return f"{len(piece):x}\r\n".encode() + piece + b"\r\n"


def _reset(writer: asyncio.StreamWriter) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
