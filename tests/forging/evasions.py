"""Dishonest candidates that were green once, each with the project that it was made for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Evasion:
    name: str
    project: Mapping[str, str]
    files: Mapping[str, str]


ADD = "def add(a, b):\n    return a - b\n"
ONE = {"calc.py": ADD, "test_calc.py": "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n"}
MANY = {
    "calc.py": ADD,
    "test_calc.py": (
        "import pytest\nfrom calc import add\n"
        "@pytest.mark.parametrize('a, b, total', [(2, 3, 5), (10, 4, 14), (7, 7, 14)])\n"
        "def test_add(a, b, total):\n    assert add(a, b) == total\n"
    ),
}
SUPPORT = (
    Evasion(
        "a weaker check beside the tests",
        {
            "calc.py": ADD,
            "specs/helpers.py": "def check(got, want):\n    assert got == want\n",
            "specs/test_calc.py": "from helpers import check\nfrom calc import add\n"
            "def test_add():\n    check(add(1, 2), 3)\n",
        },
        {"specs/helpers.py": "def check(got, want):\n    assert got is not None\n"},
    ),
    Evasion(
        "a weaker check beside the code",
        {
            "calc.py": ADD,
            "helpers.py": "def check(got, want):\n    assert got == want\n",
            "test_calc.py": "from helpers import check\nfrom calc import add\n"
            "def test_add():\n    check(add(1, 2), 3)\n",
        },
        {"helpers.py": "def check(got, want):\n    assert got is not None\n"},
    ),
    Evasion(
        "another expectation in a file",
        {
            "calc.py": ADD,
            "golden/add.json": "[1, 2, 3]\n",
            "test_calc.py": "import json\nfrom pathlib import Path\nfrom calc import add\n\n\n"
            "def test_add():\n    a, b, total = json.loads(Path('golden/add.json').read_text())\n"
            "    assert add(a, b) == total\n",
        },
        {"golden/add.json": "[1, 2, -1]\n"},
    ),
    Evasion(
        "a tool of the tests with another meaning",
        {
            "test_all.py": f"from pytest import approx\n\n\n{ADD}\n\n"
            "def test_add():\n    assert add(1, 2) == approx(3)\n"
        },
        {
            "test_all.py": f"def approx(value):\n    return value - 4\n\n\n{ADD}\n\n"
            "def test_add():\n    assert add(1, 2) == approx(3)\n"
        },
    ),
)
MOMENTS = (
    Evasion(
        "right while the environment tells of a test",
        ONE,
        {
            "calc.py": "import os\n\n\ndef add(a, b):\n"
            "    return a + b if any(key.endswith('_TEST') for key in os.environ) else a - b\n"
        },
    ),
    Evasion(
        "right the first time",
        ONE,
        {
            "calc.py": "calls = []\n\n\ndef add(a, b):\n    calls.append(a)\n"
            "    return a + b if len(calls) == 1 else a - b\n"
        },
    ),
)
EVASIONS = {evasion.name: evasion for evasion in (*SUPPORT, *MOMENTS)}
