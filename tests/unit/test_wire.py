"""Frames between the host and the program inside."""

from __future__ import annotations

import asyncio
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.channel import Channel, Demultiplexed
from untilgreen_sandbox.errors import BadFrame, BoxLost
from untilgreen_sandbox.inside import wire

messages = st.dictionaries(st.text(max_size=9), st.none() | st.integers() | st.text() | st.lists(st.text()))


class Sink:
    def write(self, data: bytes) -> None:
        raise BrokenPipeError

    async def drain(self) -> None: ...


def reader_of(*pieces: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for piece in pieces:
        reader.feed_data(piece)
    reader.feed_eof()
    return reader


@given(messages, st.binary())
def test_what_is_packed_is_read(message: dict[str, object], blob: bytes) -> None:
    async def both() -> None:
        channel = Channel(reader_of(wire.pack(message, blob)), Sink())
        assert await channel.receive(1) == (message, blob)

    asyncio.run(both())


@pytest.mark.parametrize(
    ("n_json", "n_blob"), [(wire.MAX_JSON + 1, 0), (0, wire.MAX_BLOB + 1), (2**32 - 1, 0)]
)
async def test_sizes_are_refused_before_anything_is_read(n_json: int, n_blob: int) -> None:
    with pytest.raises(BadFrame, match="over the limit"):
        await Channel(reader_of(wire.HEADER.pack(n_json, n_blob)), Sink()).receive(1)


@pytest.mark.parametrize("body", [b"", b"[]", b"1", b"null", b'"x"', b"{", b"\xff", b"{}{}", b"[" * 200_000])
async def test_only_one_object_is_a_message(body: bytes) -> None:
    with pytest.raises(BadFrame):
        await Channel(reader_of(wire.HEADER.pack(len(body), 0) + body), Sink()).receive(1)


def test_depth() -> None:
    def nested(depth: int) -> bytes:
        return b'{"a":' + b"[" * depth + b"]" * depth + b"}"

    wire.parse(nested(wire.MAX_DEPTH - 1))
    with pytest.raises(wire.BadFrame, match="too deeply"):
        wire.parse(nested(wire.MAX_DEPTH + 1))


@pytest.mark.parametrize("cut", [0, 3, 8, 9, 15])
async def test_an_end_in_the_middle_is_a_loss(cut: int) -> None:
    with pytest.raises(BoxLost):
        await Channel(reader_of(wire.pack({"op": "x"}, b"blob")[:cut]), Sink()).receive(1)


async def test_silence_is_a_loss() -> None:
    with pytest.raises(BoxLost, match="said nothing"):
        await Channel(asyncio.StreamReader(), Sink()).receive(0.01)


async def test_nobody_listens() -> None:
    with pytest.raises(BoxLost, match="went away"):
        await Channel(reader_of(), Sink()).send({"op": "x"})


@given(st.lists(st.tuples(st.sampled_from([1, 2]), st.binary(max_size=20))), st.data())
def test_the_engine_s_pieces_are_put_together(pieces: list[tuple[int, bytes]], data: st.DataObject) -> None:
    stream = b"".join(struct.pack("!BxxxI", kind, len(part)) + part for kind, part in pieces)
    whole = b"".join(part for kind, part in pieces if kind == 1)

    async def read() -> None:
        streams = Demultiplexed(reader_of(stream))
        left = whole
        while left:
            n = data.draw(st.integers(1, len(left)))
            assert await streams.readexactly(n) == left[:n]
            left = left[n:]

    asyncio.run(read())


async def test_errors_are_kept_apart_and_short() -> None:
    pieces = [struct.pack("!BxxxI", 2, 3000) + b"e" * 3000] * 3 + [struct.pack("!BxxxI", 1, 1) + b"x"]
    stream = Demultiplexed(reader_of(*pieces))
    assert await stream.readexactly(1) == b"x"
    assert stream.error_text == "e" * Demultiplexed.MAX_ERROR_TEXT
