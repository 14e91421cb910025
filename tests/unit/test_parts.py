"""Files that mix code and tests: the code may change, the tests may not."""

from __future__ import annotations

import pytest

from untilgreen.solve.parts import mixes, same_tests

FILE = '''
"""Words.

>>> add(1, 2)
3
"""
import pytest

CASES = [(1, 2, 3)]
RATE = 2


def add(a, b):
    """Adds.

    >>> add(2, 2)
    4
    """
    return a - b


def check(a, b, total):
    assert add(a, b) == total


@pytest.fixture
def one():
    return 1


@pytest.mark.parametrize("a, b, total", CASES)
def test_add(a, b, total):
    check(a, b, total)


class TestMore:
    def test_it(self, one):
        assert add(one, 1) == 2
'''


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a - b", "return a + b"),
        ('"""Adds.', '"""Adds two numbers.'),
        ("RATE = 2", "RATE = 3\nimport os"),
        ("def add(a, b):", "def helper():\n    return 1\n\n\ndef add(a, b):"),
        ("import pytest\n", "import pytest  # the tool\n"),
    ],
)
def test_code_may_change(old: str, new: str) -> None:
    assert old in FILE
    assert same_tests(FILE.encode(), FILE.replace(old, new, 1).encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    check(a, b, total)", "    pass"),
        ("CASES = [(1, 2, 3)]", "CASES = [(1, 2, -1)]"),
        ("CASES = [(1, 2, 3)]", "CASES = []"),
        (">>> add(2, 2)\n    4", ">>> add(2, 2)\n    0"),
        (">>> add(2, 2)\n    4", ">>> add(2, 2) # doctest: +SKIP\n    4"),
        (">>> add(1, 2)\n3", ""),
        ("== total", "!= total"),
        ("return 1\n", "return 0\n"),
        ("class TestMore:", "@pytest.mark.skip\nclass TestMore:"),
        ("RATE = 2", "RATE = 2\npytestmark = pytest.mark.skip"),
        ("RATE = 2", "RATE = 2\ntest_add = print"),
        ("class TestMore:", "del test_add\n\n\nclass TestMore:"),
        ("RATE = 2", "def test_new():\n    pass\n"),
        ("RATE = 2", "def pytest_collection_modifyitems(items):\n    items.clear()\n"),
        ("def add(a, b):", "def add(a, b:"),
    ],
)
def test_tests_may_not(old: str, new: str) -> None:
    assert old in FILE
    assert not same_tests(FILE.encode(), FILE.replace(old, new, 1).encode())


def test_a_text_that_could_not_be_parsed_keeps_its_examples() -> None:
    broken = b'def add(a, b)\n    """\n    >>> add(1, 2)\n    3\n    """\n    return a + b\n'
    assert same_tests(broken, broken.replace(b"b)\n", b"b):\n", 1))
    assert not same_tests(broken, broken.replace(b"b)\n", b"b):\n", 1).replace(b"    3\n", b"    4\n"))


@pytest.mark.parametrize(
    ("source", "mixed"),
    [
        ("def add(a, b):\n    return 1\ndef test_add():\n    assert add(1, 2) == 3\n", True),
        ("import json\ndef add(a, b):\n    return 1\ndef test_add():\n    pass\n", True),
        ("from calc import add\ndef helper():\n    return 1\ndef test_add():\n    pass\n", False),
        ("from .calc import add\ndef helper():\n    return 1\ndef test_add():\n    pass\n", False),
        ("def test_add():\n    assert True\n", False),
    ],
)
def test_a_file_named_like_a_test_is_mixed_when_it_tests_itself(source: str, mixed: bool) -> None:
    assert mixes("test_all.py", source.encode(), frozenset({"calc"})) is mixed


ALL_IN_ONE = """
from math import floor
from pytest import approx


def half(a):
    return floor(a / 2)


def check(got, want):
    if got != want:
        raise AssertionError(got)


def test_half():
    check(half(4), 2)
    assert half(3) == approx(1.5)
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("got != want", "got == want == 0"),
        ("from pytest import approx\n", "def approx(value):\n    return value - 1\n"),
        ("from pytest import approx\n", "from helping import approx\n"),
        ("def half(a):", "approx = round\n\n\ndef half(a):"),
        ("    return floor", "    global approx\n    approx = round\n    return floor"),
        ("def test_half():", "from operator import eq as check\n\n\ndef test_half():"),
    ],
)
def test_what_tests_use_stays_what_it_was(old: str, new: str) -> None:
    assert old in ALL_IN_ONE
    assert not same_tests(ALL_IN_ONE.encode(), ALL_IN_ONE.replace(old, new, 1).encode())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("floor(a / 2)", "a / 2"),
        ("from math import floor\n", ""),
        ("def half(a):\n    return floor(a / 2)", "from operator import truediv as half"),
        ("    return floor(a / 2)", "    approx = a / 2\n    return approx"),
    ],
)
def test_what_only_the_code_uses_may_change(old: str, new: str) -> None:
    assert old in ALL_IN_ONE
    assert same_tests(ALL_IN_ONE.encode(), ALL_IN_ONE.replace(old, new, 1).encode())


def test_a_name_that_the_tests_miss_may_be_imported() -> None:
    without = ALL_IN_ONE.replace("from pytest import approx\n", "")
    assert same_tests(without.encode(), ALL_IN_ONE.encode())
