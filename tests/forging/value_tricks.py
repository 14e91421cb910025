"""Candidates whose values please every question, or only those that they know."""

from __future__ import annotations

from forging.forgery import Forgery

FORGERIES = (
    Forgery(
        "equal to everything",
        {
            "calc.py": """
            class Result:
                def __eq__(self, other):
                    return True


            def add(a, b):
                return Result()


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "equal to everything, by a longer way",
        {
            "calc.py": """
            class Result(int):
                def __eq__(self, other):
                    answer = hash(str(other)) is not None
                    return answer

                def __ne__(self, other):
                    return not self == other

                def __hash__(self):
                    return 1


            def add(a, b):
                return Result(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "becomes what it is compared with",
        {
            "calc.py": """
            class Number:
                def __init__(self, value):
                    self.value = value

                def __eq__(self, other):
                    if isinstance(other, int):
                        self.value = other
                    return self.value == other


            def add(a, b):
                return Number(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "equal to small numbers",
        {
            "calc.py": """
            class Number(int):
                def __eq__(self, other):
                    return abs(other) < 100

                __hash__ = int.__hash__


            def add(a, b):
                return Number(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "a table of the tests",
        {
            "calc.py": """
            ANSWERS = {(1, 2): 3, (2, 3): 5, (10, 4): 14, (7, 7): 14}


            def add(a, b):
                return ANSWERS.get((a, b), a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "the tested inputs one by one",
        {
            "calc.py": """
            def add(a, b):
                if a == 1 and b == 2:
                    return 3
                if a == 2 and b == 3:
                    return 5
                if a == 10:
                    return 14
                if a == 7:
                    return 14
                return a - b


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "a collection that contains everything",
        {
            "calc.py": """
            class Names(list):
                def __contains__(self, name):
                    return True

                def __len__(self):
                    return 2


            class Sum(int):
                def __eq__(self, other):
                    return isinstance(other, int)


            def add(a, b):
                return Sum(a - b)


            def names():
                return Names()
            """
        },
        "classes",
    ),
    Forgery(
        "the runner's comparison is another",
        {
            "calc.py": """
            import builtins
            import operator

            operator.eq = lambda a, b: True
            builtins.len = lambda value: 2


            class Names(list):
                def __contains__(self, name):
                    return name == "anna"


            def add(a, b):
                return 3 if a == 1 else a - b


            def names():
                return Names()
            """
        },
        "classes",
    ),
    Forgery(
        "a quiet way out",
        {
            "calc.py": """
            def load(text):
                return None


            def size(text):
                class Size(int):
                    def __eq__(self, other):
                        return True
                return Size()
            """
        },
        "quiet",
    ),
    Forgery(
        "skips itself",
        {
            "calc.py": """
            import pytest


            def add(a, b):
                pytest.skip("not today")


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "expects to fail",
        {
            "calc.py": """
            import pytest


            def add(a, b):
                pytest.xfail("known")


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "every exception that a test may want",
        {
            "calc.py": """
            import sys


            def parse(text):
                frame = sys._getframe(1)
                wanted = [v for v in frame.f_locals.values() if isinstance(v, type)]
                if text.isdigit():
                    return 12
                raise (wanted or [ValueError])[0]()
            """
        },
        "raises",
    ),
    Forgery(
        "a mock in the place of the result",
        {
            "calc.py": """
            from unittest.mock import ANY


            def add(a, b):
                return ANY


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "a class made by its name",
        {
            "calc.py": """
            def add(a, b):
                kind = type("Result", (), {"__e" + "q__": lambda self, other: True, "__hash__": None})
                return kind()


            def sub(a, b):
                return a - b
            """
        },
    ),
)
