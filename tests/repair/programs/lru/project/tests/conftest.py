import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def cache(clock):
    from lru import Cache

    return Cache(3, lifetime=10, clock=clock)


@pytest.fixture
def full(cache):
    for key in "abc":
        cache.put(key, key.upper())
    return cache
