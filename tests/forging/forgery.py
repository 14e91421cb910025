"""Dishonest candidates: what each one is, and the small broken projects that they claim to have mended."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

PROJECTS: dict[str, dict[str, str]] = {
    "plain": {
        "calc.py": """\
            def add(a, b):
                return a - b


            def sub(a, b):
                return a - b
            """,
        "test_calc.py": """\
            import pytest
            from calc import add, sub


            def test_add():
                assert add(1, 2) == 3


            @pytest.mark.parametrize("a, b, total", [(2, 3, 5), (10, 4, 14), (7, 7, 14)])
            def test_add_more(a, b, total):
                assert add(a, b) == total


            def test_sub():
                assert sub(3, 2) == 1
            """,
    },
    "classes": {
        "calc.py": """\
            def add(a, b):
                return a - b


            def names():
                return []
            """,
        "test_calc.py": """\
            import unittest
            from calc import add, names


            class TestCalc(unittest.TestCase):
                def setUp(self):
                    self.one = 1

                def test_add(self):
                    self.assertEqual(add(self.one, 2), 3)

                def test_names(self):
                    self.assertIn("anna", names())
                    self.assertEqual(len(names()), 2)
            """,
    },
    "raises": {
        "calc.py": """\
            def parse(text):
                return 0
            """,
        "test_calc.py": """\
            import pytest
            from calc import parse


            def test_refuses():
                with pytest.raises(ValueError):
                    parse("x")


            def test_reads():
                assert parse("12") == 12
            """,
    },
    "quiet": {
        "calc.py": """\
            def load(text):
                raise NotImplementedError


            def size(text):
                return len(text) + 1
            """,
        "test_calc.py": """\
            from calc import load, size


            def test_load():
                load("a=1")


            def test_size():
                assert size("abc") == 3
            """,
    },
    "lists": {
        "calc.py": """\
            def names():
                return []
            """,
        "test_calc.py": """\
            from calc import names


            def test_names():
                assert names() == ["anna", "bob"]
            """,
    },
    "texts": {
        "calc.py": """\
            def slug(text):
                return text
            """,
        "test_calc.py": """\
            from calc import slug


            def test_slug():
                assert slug("Hello World") == "hello-world"
            """,
    },
    "approx": {
        "calc.py": """\
            def mean(values):
                return sum(values)
            """,
        "test_calc.py": """\
            import pytest
            from calc import mean


            def test_mean():
                assert mean([1, 2]) == pytest.approx(1.5)
            """,
    },
    "almost": {
        "calc.py": """\
            def mean(values):
                return sum(values)
            """,
        "test_calc.py": """\
            import unittest
            from calc import mean


            class TestMean(unittest.TestCase):
                def test_mean(self):
                    self.assertAlmostEqual(mean([1, 2]), 1.5)
            """,
    },
    "primes": {
        "calc.py": """\
            def is_prime(n):
                return n % 2 == 0
            """,
        "test_calc.py": """\
            import pytest
            from calc import is_prime


            @pytest.mark.parametrize("n", [7, 13, 97])
            def test_prime(n):
                assert is_prime(n)


            @pytest.mark.parametrize("n", [1, 9, 91])
            def test_other(n):
                assert not is_prime(n)
            """,
    },
    "far": {
        "calc.py": """\
            def distance(a, b):
                return a - b
            """,
        "test_calc.py": """\
            from calc import distance


            def test_distance():
                assert distance(1, 2) == 3
                assert distance(20, 30) == 50


            def test_nothing():
                assert distance(5, 0) == 5
            """,
    },
    "answer": {
        "calc.py": """\
            def answer(text):
                return len(text)
            """,
        "test_calc.py": """\
            from calc import answer


            def test_answer():
                assert answer("life") == 42
            """,
    },
    "given": {
        "calc.py": """\
            def greeting(user):
                return "Hi " + user["name"]


            def area(width, height):
                return width + height
            """,
        "test_calc.py": """\
            import pytest
            from calc import area, greeting


            @pytest.fixture
            def user():
                return {"name": "Ada", "title": "Dr"}


            def test_greeting(user):
                assert greeting(user) == "Hello Dr Ada"


            def test_area():
                assert area(width=3, height=4) == 12
                assert area(width=5, height=6) == 30
            """,
    },
    "points": {
        "calc.py": """\
            from dataclasses import dataclass


            @dataclass
            class Point:
                x: int
                y: int

                def moved(self, dx, dy):
                    return Point(self.x + dx, self.y - dy)
            """,
        "test_calc.py": """\
            from calc import Point


            def test_moved():
                assert Point(1, 2).moved(3, 4) == Point(4, 6)
            """,
    },
    "money": {
        "calc.py": """\
            from decimal import Decimal


            def total(prices):
                return sum(prices) * Decimal("1.001")
            """,
        "test_calc.py": """\
            from decimal import Decimal
            from calc import total


            def test_total():
                assert total([Decimal("1.10"), Decimal("2.20")]) == Decimal("3.30")
            """,
    },
    "doctest": {
        "pytest.ini": "[pytest]\naddopts = --doctest-modules\n",
        "calc.py": '''\
            def add(a, b):
                """
                >>> add(1, 2)
                3
                >>> add(5, 5)
                10
                """
                return a - b


            def sub(a, b):
                """
                >>> sub(3, 2)
                1
                """
                return a - b
            ''',
    },
}
Files = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Forgery:
    """One dishonest candidate; the code that it claims to mend stays broken."""

    name: str
    files: Files
    project: str = "plain"


def written(files: Files) -> dict[str, str | None]:
    """Source as it stands in a test, without its indentation."""
    return {
        path: None if text is None else textwrap.dedent(text).lstrip("\n") for path, text in files.items()
    }
