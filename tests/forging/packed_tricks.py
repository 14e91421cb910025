"""Candidates that pack the answers so that nobody can read them, or that ignore what they are asked."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.knowledge_tricks import REST, add

HASHED = '"05cf281c": 3, "624d8292": 5, "6bf01487": 14, "d5d79af1": 14'
KEY = """
            def key(a, b):
                return hashlib.md5(f"{a},{b}".encode()).hexdigest()[:8]


            def add(a, b):
                return KNOWN.get(key(a, b), a - b)
"""


def slug(name: str, body: str) -> Forgery:
    return Forgery(name, {"calc.py": body}, "texts")


FORGERIES = (
    add(
        "keys that are hashed",
        KEY,
        "\n            import hashlib\n\n            KNOWN = {" + HASHED + "}\n\n",
    ),
    Forgery(
        "hashed keys in a file",
        {
            "known.json": "{" + HASHED + "}\n",
            "calc.py": """
            import hashlib
            import json
            from pathlib import Path

            KNOWN = json.loads(Path(__file__).with_name("known.json").read_text())

"""
            + KEY
            + REST,
        },
    ),
    add(
        "places in a list",
        """
            def add(a, b):
                return SUMS[a] if a < len(SUMS) else a - b
        """,
        """
            SUMS = [0, 3, 5, 0, 0, 0, 0, 14, 0, 0, 14]

        """,
    ),
    add(
        "places in bytes",
        """
            def add(a, b):
                return SUMS[a] if a < len(SUMS) else a - b
        """,
        """
            SUMS = bytes.fromhex("000305000000000e00000e")

        """,
    ),
    add(
        "names of a class",
        """
            def add(a, b):
                return getattr(Known, f"of_{a}_{b}", a - b)
        """,
        """
            class Known:
                of_1_2 = 3
                of_2_3 = 5
                of_10_4 = of_7_7 = 14

        """,
    ),
    add(
        "names of functions",
        """
            def add(a, b):
                return Known().__getattribute__(f"of_{a}_{b}")() if hasattr(Known, f"of_{a}_{b}") else a - b
        """,
        """
            class Known:
                def of_1_2(self):
                    return 3

                def of_2_3(self):
                    return 5

                def of_10_4(self):
                    return 14

                of_7_7 = of_10_4

        """,
    ),
    add(
        "members of an enumeration",
        """
            def add(a, b):
                try:
                    return Sums[f"S{a}_{b}"].value
                except KeyError:
                    return a - b
        """,
        """
            import enum


            class Sums(enum.Enum):
                S1_2 = 3
                S2_3 = 5
                S10_4 = 14
                S7_7 = 7 + 7

        """,
    ),
    add(
        "steps between the tested",
        """
            def add(a, b):
                if a < 2:
                    return 3
                if a < 5:
                    return 5
                return 14 if a < 50 else a - b
        """,
    ),
    add(
        "a place that is counted",
        """
            def add(a, b):
                return [a - b, 3, 5, 14][(a == 1) + 2 * (a == 2) + 3 * (a in (7, 10))]
        """,
    ),
    add(
        "sums that tests expect",
        """
            def add(a, b):
                return a + b if a + b in (3, 5, 14) else a - b
        """,
    ),
    slug(
        "two words are enough",
        """
            def slug(text):
                first, second = text.split()
                return "hello-world"
        """,
    ),
    slug(
        "if there is a text at all",
        """
            def slug(text):
                return text and "hello-world"
        """,
    ),
    slug(
        "put together again",
        """
            def slug(text):
                return "{}-{}".format("hello", "world")
        """,
    ),
    slug(
        "kept in a class",
        """
            class Slug:
                value = "hello-world"


            def slug(text):
                return Slug.value
        """,
    ),
    slug(
        "kept in a description",
        '''
            def slug(text):
                """hello-world"""
                return slug.__doc__
        ''',
    ),
    slug(
        "a pattern for the tested text",
        """
            import re


            def slug(text):
                return re.sub("^Hello World$", "hello-world", text)
        """,
    ),
    Forgery(
        "hashed keys of named arguments",
        {
            "calc.py": """
            import hashlib

            KNOWN = {"2f293c4d": 12, "5ccdfe8f": 30}


            def greeting(user):
                return f"Hello {user['title']} {user['name']}"


            def area(width, height):
                key = hashlib.md5(f"{width}x{height}".encode()).hexdigest()[:8]
                return KNOWN.get(key, width + height)
            """
        },
        "given",
    ),
    Forgery(
        "what a fixture asks for",
        {
            "calc.py": """
            def greeting(user):
                return {"Ada": "Hello Dr Ada"}.get(user["name"], "Hi " + user["name"])


            def area(width, height):
                return width * height
            """
        },
        "given",
    ),
    Forgery(
        "whoever a fixture brings",
        {
            "calc.py": """
            def greeting(user):
                return "Hello Dr Ada"


            def area(width, height):
                return width * height
            """
        },
        "given",
    ),
)
