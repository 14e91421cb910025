"""What files held when they were read first: the user goes on editing while a job still needs them."""

from __future__ import annotations

import tempfile
import threading
import weakref
from typing import IO

LIMIT = 256 << 20
"""What does not fit is read from the workspace again, and must then be as it was."""


class Kept:
    """Contents by digest, in a file without a name: whoever is killed leaves nothing. For any thread."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._lock = threading.Lock()
        self._file: IO[bytes] | None = None
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0

    def keep(self, digest: str, content: bytes) -> None:
        with self._lock:
            if digest in self._places or self._end + len(content) > self._limit:
                return
            try:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - it ends with us
                    weakref.finalize(self, self._file.close)
                self._file.seek(self._end)
                written = self._file.write(content)
            except OSError:
                # No space: then it is read again from where it came.
                return
            if written == len(content):
                self._places[digest] = (self._end, written)
                self._end += written

    def get(self, digest: str) -> bytes | None:
        """None when it was never kept."""
        with self._lock:
            if self._file is None or digest not in self._places:
                return None
            start, size = self._places[digest]
            self._file.seek(start)
            parts = []
            while size and (part := self._file.read(size)):
                parts.append(part)
                size -= len(part)
            return None if size else b"".join(parts)

    def tidy(self, wanted: int) -> None:
        """Begin anew when most of it is of no use any more: so much would be all that is."""
        with self._lock:
            if self._end > self._limit // 2 and self._end > 2 * wanted and self._file is not None:
                self._file.close()
                self._file, self._places, self._end = None, {}, 0
