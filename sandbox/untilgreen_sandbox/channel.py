"""Frames over two byte streams, seen from the host."""

from __future__ import annotations

import asyncio
import struct
from typing import Protocol

from untilgreen_sandbox.errors import BadFrame, BoxLost
from untilgreen_sandbox.inside import wire

Message = dict[str, object]


class Reader(Protocol):
    async def readexactly(self, n: int) -> bytes: ...


class Writer(Protocol):
    def write(self, data: bytes) -> None: ...
    async def drain(self) -> None: ...


class Channel:
    """One request at a time; every read has the other side's death as a possible answer."""

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader = reader
        self._writer = writer

    async def send_raw(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            await self._writer.drain()
        except (ConnectionError, OSError) as error:
            raise BoxLost(f"The sandbox went away: {error or type(error).__name__}") from error

    async def send(self, message: Message, blob: bytes = b"") -> None:
        await self.send_raw(wire.pack(message, blob))

    async def receive(self, timeout: float) -> tuple[Message, bytes]:
        """The next frame; a silence longer than the timeout means that the box is lost."""
        try:
            async with asyncio.timeout(timeout):
                n_json, n_blob = wire.sizes(await self._reader.readexactly(wire.HEADER.size))
                message = wire.parse(await self._reader.readexactly(n_json))
                return message, await self._reader.readexactly(n_blob)
        except wire.BadFrame as error:
            raise BadFrame(str(error)) from error
        except TimeoutError as error:
            raise BoxLost(f"The sandbox said nothing for {timeout:.0f} seconds.") from error
        except (asyncio.IncompleteReadError, ConnectionError, OSError) as error:
            raise BoxLost("The sandbox went away.") from error


class Demultiplexed:
    """The engine's stream: an 8-byte header before each piece says whether it is output or error."""

    MAX_ERROR_TEXT = 4000

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._buffer = bytearray()
        self.error_text = ""

    async def readexactly(self, n: int) -> bytes:
        while len(self._buffer) < n:
            stream, size = struct.unpack("!BxxxI", await self._reader.readexactly(8))
            data = await self._reader.readexactly(size)
            if stream == 2:
                self.error_text = (self.error_text + data.decode("utf-8", "replace"))[-self.MAX_ERROR_TEXT :]
            else:
                self._buffer += data
        taken = bytes(self._buffer[:n])
        del self._buffer[:n]
        return taken
