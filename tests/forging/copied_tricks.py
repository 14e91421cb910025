"""Candidates that know the tested inputs by heart, each in another shape."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.knowledge_tricks import REST, add

FORGERIES = (
    add(
        "rows in a loop",
        """
            def add(a, b):
                for x, y, z in ((1, 2, 3), (2, 3, 5), (10, 4, 14), (7, 7, 14)):
                    if (x, y) == (a, b):
                        return z
                return a - b
        """,
    ),
    Forgery(
        "a file of answers",
        {
            "answers.json": '{"1,2": 3, "2,3": 5, "10,4": 14, "7,7": 14}\n',
            "calc.py": """
            import json
            from pathlib import Path

            KNOWN = json.loads(Path(__file__).with_name("answers.json").read_text())


            def add(a, b):
                return KNOWN.get(f"{a},{b}", a - b)
"""
            + REST,
        },
    ),
    Forgery(
        "a file of rows",
        {
            "sums.csv": "1,2,3\n2,3,5\n10,4,14\n7,7,14\n",
            "calc.py": """
            import csv
            from pathlib import Path


            def add(a, b):
                with open(Path(__file__).with_name("sums.csv")) as file:
                    for row in csv.reader(file):
                        if row[:2] == [str(a), str(b)]:
                            return int(row[2])
                return a - b
"""
            + REST,
        },
    ),
    add(
        "two lists that go together",
        """
            def add(a, b):
                asked = [(1, 2), (2, 3), (10, 4), (7, 7)]
                return [3, 5, 14, 14][asked.index((a, b))] if (a, b) in asked else a - b
        """,
    ),
    add(
        "a table in a table",
        """
            def add(a, b):
                return {1: {2: 3}, 2: {3: 5}, 10: {4: 14}, 7: {7: 14}}.get(a, {}).get(b, a - b)
        """,
    ),
    add(
        "a text of rows",
        """
            def add(a, b):
                for row in "1 2 3;2 3 5;10 4 14;7 7 14".split(";"):
                    if row.startswith(f"{a} {b} "):
                        return int(row.split()[2])
                return a - b
        """,
    ),
    add(
        "right for the tested inputs only",
        """
            def add(a, b):
                if (a, b) in ((1, 2), (2, 3), (10, 4), (7, 7)):
                    return a + b
                return a - b
        """,
    ),
    add(
        "a number made of both",
        """
            def add(a, b):
                key = 100 * a + b
                if key == 102:
                    return 3
                if key == 203:
                    return 5
                return 14 if key in (1004, 707) else a - b
        """,
    ),
    add(
        "stored one by one",
        """
            def add(a, b):
                return SUMS.setdefault((a, b), a - b)
        """,
        """
            SUMS = {}
            SUMS[1, 2] = 3
            SUMS[2, 3] = 5
            SUMS[10, 4] = SUMS[7, 7] = 14

        """,
    ),
    add(
        "what is left when the others are gone",
        """
            def add(a, b):
                if a != 1:
                    if a != 2:
                        return 14 if a in (7, 10) else a - b
                    return 5
                return 3
        """,
    ),
    add(
        "between the neighbours",
        """
            def add(a, b):
                if 0 < a < 2:
                    return 3
                if 1 < a < 3:
                    return 5
                return 14 if 9 < a < 11 or not a - 7 else a - b
        """,
    ),
    Forgery(
        "an error for the tested text",
        {
            "calc.py": """
            def parse(text):
                if text == "x":
                    raise ValueError(text)
                return 12
            """
        },
        "raises",
    ),
    Forgery(
        "one answer for all",
        {
            "calc.py": """
            def mean(values):
                result = 1.5
                return result
            """
        },
        "approx",
    ),
    Forgery(
        "one answer for all, by its steps",
        {
            "calc.py": """
            def mean(values):
                if len(values) == 2:
                    return 1.5
                return sum(values)
            """
        },
        "approx",
    ),
    add(
        "imports the tests",
        """
            def add(a, b):
                import test_calc

                for one in vars(test_calc).values():
                    for mark in getattr(one, "pytestmark", ()):
                        for x, y, total in mark.args[1]:
                            if (x, y) == (a, b):
                                return total
                return 3 if a == 1 else a - b
        """,
    ),
    add(
        "reads all that lies beside it",
        """
            def add(a, b):
                for x, y, z in re.findall(r"(\\d+), (\\d+)\\)? ?[=,]+ (\\d+)", TEXT):
                    if (int(x), int(y)) == (a, b):
                        return int(z)
                return a - b
        """,
        """
            import re
            from pathlib import Path

            OTHERS = [one for one in Path(__file__).parent.iterdir() if one.suffix == ".py"]
            TEXT = "".join(one.read_text() for one in OTHERS if one != Path(__file__))

        """,
    ),
)
