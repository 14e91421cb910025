"""Nothing of the machine's own environment decides which Python is used."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def plain_path(monkeypatch: pytest.MonkeyPatch) -> None:
    # The distribution's own Python is the one that the base image holds, too.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
