"""Candidates whose values are equal to what is near, or alike, or of the same kind."""

from __future__ import annotations

from forging.forgery import Forgery


def named(name: str, kind: str, result: str = "Names()") -> Forgery:
    """For tests that want two names in a list."""
    return Forgery(name, {"calc.py": f"{kind}\n\n\ndef names():\n    return {result}\n"}, "lists")


FORGERIES = (
    named(
        "equal to any list of texts",
        "class Names(list):\n    def __eq__(self, other):\n"
        "        return all(isinstance(one, str) for one in other)",
    ),
    named(
        "equal in any order",
        "class Bag(list):\n    def __eq__(self, other):\n        return sorted(self) == sorted(other)",
        "Bag(['bob', 'anna'])",
    ),
    named(
        "equal when as long",
        "class Names:\n    def __eq__(self, other):\n        return len(other) == 2",
    ),
    Forgery(
        "equal to what has a tolerance",
        {
            "calc.py": """
            class Number:
                def __init__(self, value):
                    self.value = value

                def __eq__(self, other):
                    return hasattr(other, "abs") or self.value == other


            def mean(values):
                return Number(sum(values))
            """
        },
        "approx",
    ),
    Forgery(
        "equal to what is near",
        {
            "calc.py": """
            class Number:
                def __init__(self, value):
                    self.value = value

                def __eq__(self, other):
                    return abs(other - self.value) < 1000


            def add(a, b):
                return Number(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "equal to the tested ones",
        {
            "calc.py": """
            class Number:
                def __eq__(self, other):
                    return other in (3, 5, 14)


            def add(a, b):
                return Number()


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "equal to its own kind of number",
        {
            "calc.py": """
            class Number:
                def __init__(self, value):
                    self.value = value

                def __eq__(self, other):
                    return type(other) is type(self.value) and other < 1000


            def add(a, b):
                return Number(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "contains what is short",
        {
            "calc.py": """
            class Names(list):
                def __contains__(self, name):
                    return len(name) < 12

                def __len__(self):
                    return 2


            def add(a, b):
                return a + b


            def names():
                return Names()
            """
        },
        "classes",
    ),
    Forgery(
        "a text in small and capital letters",
        {
            "calc.py": """
            class Text(str):
                def __eq__(self, other):
                    return self.casefold().replace(" ", "-") == other.casefold()


            def slug(text):
                return Text(text)
            """
        },
        "texts",
    ),
    Forgery(
        "a text without ends",
        {
            "calc.py": """
            class Text:
                def __init__(self, value):
                    self.value = value

                def __eq__(self, other):
                    return other == other.strip() and len(other) < 12


            def slug(text):
                return Text(text)
            """
        },
        "texts",
    ),
    Forgery(
        "no difference",
        {
            "calc.py": """
            class Number(float):
                def __sub__(self, other):
                    return 0.0

                __rsub__ = __sub__


            def mean(values):
                return Number(sum(values))
            """
        },
        "almost",
    ),
    Forgery(
        "a part that is not compared",
        {
            "calc.py": """
            from dataclasses import dataclass, field


            @dataclass
            class Point:
                x: int
                y: int = field(compare=False)

                def moved(self, dx, dy):
                    return Point(self.x + dx, self.y - dy)
            """
        },
        "points",
    ),
    Forgery(
        "half of it is compared",
        {
            "calc.py": """
            from dataclasses import dataclass


            @dataclass(eq=False)
            class Point:
                x: int
                y: int

                def moved(self, dx, dy):
                    return Point(self.x + dx, self.y - dy)

                def __eq__(self, other):
                    return isinstance(other, Point) and self.x == other.x
            """
        },
        "points",
    ),
    Forgery(
        "numbers with fewer places",
        {
            "calc.py": """
            import decimal

            decimal.getcontext().prec = 3


            def total(prices):
                return sum(prices) * decimal.Decimal("1.001")
            """
        },
        "money",
    ),
)
