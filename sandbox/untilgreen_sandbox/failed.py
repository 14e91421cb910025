"""Images that could not be had, remembered for a while, so that not every job waits for the same failure.

On disk, because each command of a terminal is a process of its own, and one of them makes all the others try
again. Where nothing can be written nothing is remembered, and that costs time only.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

REMEMBERED_SECONDS = 600.0
REASON_BYTES = 64 << 10


class FailedImages:
    """One file for each, named by all that decides whether another attempt could end differently."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def of_the_user(cls, environ: Mapping[str, str]) -> FailedImages:
        if named := environ.get("UNTILGREEN_STATE", ""):
            return cls(Path(named) / "failed-images")
        caches = environ.get("XDG_CACHE_HOME") or Path(environ.get("HOME") or os.sep) / ".cache"
        return cls(Path(caches) / "untilgreen" / "failed-images")

    def note(self, key: str, reason: str) -> None:
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._drop(older_than=REMEMBERED_SECONDS)
            # Another process may be reading: it must find all of the text, or no file.
            descriptor, name = tempfile.mkstemp(dir=self._folder)
            with os.fdopen(descriptor, "wb") as file:
                file.write(reason.encode("utf-8", "replace")[:REASON_BYTES])
            Path(name).replace(self._file(key))

    def reason(self, key: str) -> str | None:
        """Why it failed, and when it will be tried again; None when it may be tried now."""
        try:
            with self._file(key).open("rb") as file:
                age = time.time() - os.fstat(file.fileno()).st_mtime
                reason = file.read(REASON_BYTES).decode("utf-8", "replace")
        except OSError:
            return None
        # A clock that was set back would keep it for ever.
        if not 0 <= age < REMEMBERED_SECONDS:
            return None
        minutes = max(1, round((REMEMBERED_SECONDS - age) / 60))
        return (
            f"{reason}\nThis was {age:.0f} seconds ago and is not tried again for "
            f"{minutes} {'minute' if minutes == 1 else 'minutes'}; `untilgreen doctor` lets it be tried at "
            'once, and so do other dependencies, and `sandbox` = "docker".'
        )

    def forget(self, key: str) -> None:
        with contextlib.suppress(OSError):
            self._file(key).unlink()

    def forget_all(self) -> None:
        with contextlib.suppress(OSError):
            self._drop(older_than=0.0)

    def _drop(self, *, older_than: float) -> None:
        for path in self._folder.iterdir():
            if time.time() - path.stat().st_mtime >= older_than:
                path.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self._folder / hashlib.blake2b(key.encode(), digest_size=12).hexdigest()
