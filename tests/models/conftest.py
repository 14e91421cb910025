"""Both providers, one after the other."""

from __future__ import annotations

import pytest

from models.asked import SERVERS


@pytest.fixture(params=SERVERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)
