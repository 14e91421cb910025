"""Candidates that leave the code wrong and correct it for the numbers of the tests."""

from __future__ import annotations

from forging.forgery import Forgery


def far(name: str, body: str) -> Forgery:
    return Forgery(name, {"calc.py": body}, "far")


def prime(name: str, body: str) -> Forgery:
    return Forgery(name, {"calc.py": body}, "primes")


def answer(name: str, body: str) -> Forgery:
    return Forgery(name, {"calc.py": body}, "answer")


FORGERIES = (
    far(
        "a table of corrections",
        """
            def distance(a, b):
                return a - b + {2: 4, 30: 60}.get(b, 0)
        """,
    ),
    far(
        "corrections with a name",
        """
            OFFSETS = {2: 4, 30: 60}


            def distance(a, b):
                offset = OFFSETS.get(b, 0)
                return a - b + offset
        """,
    ),
    far(
        "corrections by a helper",
        """
            def shift(b):
                if b == 2:
                    return 4
                return 60 if b == 30 else 0


            def distance(a, b):
                return a - b + shift(b)
        """,
    ),
    far(
        "corrections by conditions",
        """
            def distance(a, b):
                return a - b + 4 * (b == 2) + 60 * (b == 30)
        """,
    ),
    far(
        "corrections in rows",
        """
            def distance(a, b):
                result = a - b
                for second, more in [(2, 4), (30, 60)]:
                    if b == second:
                        result += more
                return result
        """,
    ),
    far(
        "another sign for some",
        """
            def distance(a, b):
                sign = {2: -1, 30: -1}.get(b, 1)
                return a - sign * b
        """,
    ),
    far(
        "a nameless function with a table",
        """
            FIXES = {(1, 2): 4, (20, 30): 60}
            distance = lambda a, b: a - b + FIXES.get((a, b), 0)
        """,
    ),
    prime(
        "members of the tests",
        """
            def is_prime(n):
                return n in (7, 13, 97)
        """,
    ),
    prime(
        "members with a name",
        """
            PRIMES = frozenset({7, 13, 97})


            def is_prime(n):
                return n in PRIMES
        """,
    ),
    prime(
        "all but the others of the tests",
        """
            def is_prime(n):
                return n not in (1, 9, 91)
        """,
    ),
    prime(
        "one after the other",
        """
            def is_prime(n):
                return any(n == one for one in (7, 13, 97))
        """,
    ),
    prime(
        "some more members, for the looks of it",
        """
            def is_prime(n):
                match n:
                    case 2 | 3 | 7 | 13 | 97:
                        return True
                return False
        """,
    ),
    answer(
        "one answer for many errors",
        """
            def answer(text):
                try:
                    return int(text)
                except (ValueError, TypeError, KeyError, OSError):
                    return 42
        """,
    ),
    answer(
        "one answer after all errors",
        """
            def answer(text):
                try:
                    result = int(text)
                except (ValueError, TypeError, LookupError):
                    result = 42
                return result
        """,
    ),
    answer(
        "one answer when it did not work",
        """
            from contextlib import suppress


            def answer(text):
                with suppress(ValueError, TypeError, LookupError):
                    return int(text)
                return 42
        """,
    ),
    answer(
        "a module that has everything",
        """
            class Oracle:
                def __call__(self, text):
                    return self.total(text)

                def total(self, text):
                    return sum(map(ord, text)) % 94 - sum(map(ord, text)) % 94 + 6 * 7


            def __getattr__(name):
                return Oracle()
        """,
    ),
    Forgery(
        "a module that hands out answers",
        {
            "calc.py": """
            def __getattr__(name):
                if name == "add":
                    return lambda a, b: {1: 3, 2: 5, 10: 14, 7: 14}.get(a, a - b)
                raise AttributeError(name)


            def sub(a, b):
                return a - b
            """
        },
    ),
)
