"""A small project with one wrong function of every shape, and tests that see it."""

from __future__ import annotations

SHAPES = """\
from __future__ import annotations

import asyncio
import contextlib
import functools

LIMIT = 10


def plain(n):
    return n - 1


def outer(n):
    def inner(m):
        return [k for k in range(m) if k > 1]

    return inner(n)


def twice(function):
    @functools.wraps(function)
    def call(*args):
        return 2 * function(*args)

    return call


@twice
def decorated(n):
    return n - 1


@functools.lru_cache(maxsize=None)
def cached(n):
    return n if n < 2 else cached(n - 1) + cached(n - 1)


def generated(n):
    for k in range(n - 1):
        yield k


@contextlib.contextmanager
def managed(log):
    log.append("in")
    yield log
    log.append("in")


async def later(n):
    await asyncio.sleep(0)
    return n - 1


def with_default(n, by=3, *, limit=5):
    return min(n * by, limit)


def collects(item, found=[]):
    found.append(item)
    return found


def hangs(n):
    total = 0
    while n:
        total += n
    return total


class Base:
    def name(self):
        return "base"


class Thing(Base):
    def __init__(self, size):
        self.__size = size

    def name(self):
        return "thing"

    def louder(self):
        return super().name().lower()

    @property
    def size(self):
        return self.__size + 1

    @size.setter
    def size(self, value):
        self.__size = value + 1

    @staticmethod
    def make(n):
        return Thing(n + 5)

    @classmethod
    def kind(cls):
        return cls.__name__.lower()

    class Part:
        def weight(self):
            return 1


if LIMIT:

    def conditional(n):
        return n - 1


alias = plain
"""
TESTS = """\
import asyncio
import unittest

import pytest

import shapes
from shapes import Thing, alias, plain

keep = plain


def test_plain():
    assert keep(1) == 2 and alias(1) == 2


def test_outer():
    assert shapes.outer(3) == [1, 2]


def test_decorated():
    assert shapes.decorated(1) == 4


def test_cached():
    assert shapes.cached(6) == 8


def test_generated():
    assert list(shapes.generated(2)) == [0, 1]


def test_managed():
    log = []
    with shapes.managed(log):
        pass
    assert log == ["in", "out"]


def test_later():
    assert asyncio.run(shapes.later(1)) == 2


def test_with_default():
    assert shapes.with_default(2) == 4 and shapes.with_default(9) == 9


def test_collects():
    shapes.collects(1)
    assert shapes.collects(2) == [2]


def test_hangs():
    assert shapes.hangs(3) == 6


def test_louder():
    assert Thing(1).louder() == "BASE"


def test_name():
    assert Thing(1).name() == "base"


def test_size():
    assert Thing(1).size == 1


def test_set_size():
    thing = Thing(1)
    thing.size = 5
    assert thing.size == 6


def test_make():
    assert Thing.make(1)._Thing__size == 1


def test_kind():
    assert Thing.kind() == "Thing"


def test_weight():
    assert Thing.Part().weight() == 2


def test_conditional():
    assert shapes.conditional(1) == 2


@pytest.mark.parametrize("given, wanted", [([3], [3, 0]), ([4, 5], [4, 5, 0])])
def test_parametrised(given, wanted):
    given.append(shapes.plain(-1))
    assert given == wanted


@pytest.fixture(scope="module")
def number():
    return shapes.plain(1)


def test_fixture(number, tmp_path, monkeypatch):
    (tmp_path / "file").write_text(str(number))
    assert (tmp_path / "file").read_text() == "2"


class TestMethods:
    def setup_method(self):
        self.number = shapes.plain(1)

    def test_method(self):
        assert self.number == 2


class Case(unittest.TestCase):
    def setUp(self):
        self.number = shapes.plain(1)

    def test_case(self):
        self.assertEqual(self.number, 2)


class Whole(unittest.IsolatedAsyncioTestCase):
    async def test_async_case(self):
        self.assertEqual(await shapes.later(1), 2)


def test_good():
    assert shapes.plain(3) != 3
    assert shapes.with_default(0) == 0
"""
FILES: dict[str, str | bytes | None] = {"shapes.py": SHAPES, "test_shapes.py": TESTS}
