"""The HTTP side that both providers share: proxies, a watch over the stream, and what broke, in words."""

from __future__ import annotations

import asyncio
import codecs
import ssl
from collections.abc import AsyncGenerator, AsyncIterator

import httpx2

from untilgreen.models.endpoint import Endpoint
from untilgreen.models.faults import Fault, without_key

CONNECT_SECONDS = 10.0
MOST_BYTES = 32 << 20
"""No reply that we ask for is that long; a server that goes on and on is cut off here."""


TAIL = 64


class Stalled(httpx2.ReadTimeout):
    pass


class Endless(httpx2.ReadError):
    pass


def http_client(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Without a limit on silence before the first byte: the call's own limit counts then."""

    async def watch(response: httpx2.Response) -> None:
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        compressed = response.headers.get("content-encoding", "identity") != "identity"
        response.stream = _Watched(response.stream, endpoint.stall_seconds, mend=not compressed)

    # Loading all certificates takes a while; an address without TLS needs none.
    plain = endpoint.base_url.startswith("http:")
    return httpx2.AsyncClient(
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else True,
        timeout=httpx2.Timeout(None, connect=CONNECT_SECONDS),
        event_hooks={"response": [watch]},
        headers={"Accept-Encoding": "identity"},
        # What is on this machine is never asked through a proxy.
        trust_env=not endpoint.is_local,
        follow_redirects=False,
    )


class _Watched(httpx2.AsyncByteStream):
    """The bytes of a reply: valid UTF-8 whatever comes, not endless, and not silent once they flow."""

    def __init__(self, stream: httpx2.AsyncByteStream, stall_seconds: float, *, mend: bool) -> None:
        self._stream = stream
        self._mend = mend
        self._stall_seconds = stall_seconds
        self._pieces = aiter(stream)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._total = 0
        self.tail = b""
        """The last bytes so far."""

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        try:
            async with asyncio.timeout(self._stall_seconds if self._total else None):
                piece = await anext(self._pieces)
        except TimeoutError:
            raise Stalled("silent") from None
        self._total += len(piece)
        if self._total > MOST_BYTES:
            raise Endless("too much")
        self.tail = (self.tail + piece)[-TAIL:]
        return self._decoder.decode(piece).encode() if self._mend else piece

    async def aclose(self) -> None:
        # Left to the collector, a reply that nobody read to its end is closed in no particular order.
        if isinstance(self._pieces, AsyncGenerator):
            await self._pieces.aclose()
        await self._stream.aclose()


def tail_of(response: httpx2.Response) -> bytes:
    """The last bytes of a reply, to see whether it came to its end."""
    return response.stream.tail if isinstance(response.stream, _Watched) else b""


def fault_of_error(endpoint: Endpoint, error: BaseException) -> Fault:
    """From an exception of a client that is not an answer of the service."""
    causes = list(_causes(error))
    place = endpoint.place

    def one_of(*kinds: type[BaseException]) -> bool:
        return any(isinstance(cause, kinds) for cause in causes)

    if one_of(Stalled):
        words = f"{place} fell silent in the middle of its reply for {endpoint.stall_seconds:g} s."
        return Fault(words, again=True)
    if one_of(Endless):
        return Fault(f"{place} sent more than {MOST_BYTES >> 20} MB for one reply; it was cut off.")
    if one_of(ssl.SSLError) or any("CERTIFICATE_VERIFY_FAILED" in str(cause) for cause in causes):
        told = next((str(cause)[:200] for cause in causes if isinstance(cause, ssl.SSLError)), "it failed")
        return Fault(
            f"No trusted connection to {place} (TLS): {without_key(told, endpoint.key)}.",
            "Check the address; behind a proxy that re-signs, set SSL_CERT_FILE to its certificates.",
        )
    if one_of(httpx2.ProxyError):
        return Fault(f"The proxy did not let us through to {place}.", "Check HTTPS_PROXY and NO_PROXY.")
    if one_of(httpx2.ConnectError, httpx2.ConnectTimeout):
        told = next((str(cause) for cause in causes if isinstance(cause, OSError) and str(cause)), "")
        words = f"{place} cannot be reached" + (f" ({told})." if told else ".")
        if endpoint.is_local:
            return Fault(words, "Start the server, or check `model_base_url`.")
        return Fault(words, "Check the network and `model_base_url`.", again=True)
    if one_of(httpx2.UnsupportedProtocol, httpx2.InvalidURL):
        return Fault(f"{endpoint.base_url!r} is not an address.", "Check `model_base_url`.")
    return Fault(f"The connection to {place} broke off in the middle of a reply.", again=True)


def _causes(error: BaseException | None) -> list[BaseException]:
    found: list[BaseException] = []
    while error is not None and error not in found:
        found.append(error)
        error = error.__cause__ or error.__context__
    return found
