"""No rule of a template may fail, whatever it looks at: what is forgiven a user is not forgiven here."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from untilgreen.solvers.offline.templates import log


@pytest.fixture(autouse=True)
def failed_rules(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was logged; a test that expects it empties the list."""
    said: list[str] = []

    class Listener(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            said.append(self.format(record))

    listener = Listener()
    monkeypatch.setattr(log, "level", logging.INFO)
    log.addHandler(listener)
    yield said
    log.removeHandler(listener)
    assert said == []
