"""Which endpoints use tools: found once, remembered on disk, forgotten after a while if they did not."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import platformdirs

from untilgreen.models.endpoint import Endpoint

DAYS = 14
"""A server may have learned it meanwhile."""


def default_folder(environ: Mapping[str, str]) -> Path:
    """The user's cache folder, or what UNTILGREEN_CACHE names."""
    named = environ.get("UNTILGREEN_CACHE", "")
    return (Path(named) if named else platformdirs.user_cache_path("untilgreen")) / "model-tools"


class ToolSupport:
    """One small file for each endpoint and model, so that nobody overwrites what another process learned."""

    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now

    def known(self, endpoint: Endpoint) -> bool | None:
        if endpoint.tools is not None:
            return endpoint.tools
        if endpoint.is_own:
            return True
        try:
            told = json.loads(self._path(endpoint).read_bytes()[:4096])
            works, at = told["works"], float(told["at"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if works is True or (works is False and 0 <= self._now() - at < DAYS * 86400):
            return bool(works)
        return None

    def learn(self, endpoint: Endpoint, *, works: bool) -> None:
        """Never fails: what cannot be remembered is found out again."""
        told = {"url": endpoint.base_url, "model": endpoint.model, "works": works, "at": int(self._now())}
        path = self._path(endpoint)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
            try:
                with os.fdopen(handle, "w") as file:
                    json.dump(told, file)
                Path(name).replace(path)
            except OSError:
                Path(name).unlink(missing_ok=True)

    def _path(self, endpoint: Endpoint) -> Path:
        named = f"{endpoint.provider}\n{endpoint.base_url.rstrip('/')}\n{endpoint.model}"
        return self._folder / f"{hashlib.sha256(named.encode('utf-8', 'replace')).hexdigest()[:32]}.json"
