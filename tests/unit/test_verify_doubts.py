"""Where a finding of verification points to, and checks that a patch takes away from their callers."""

from __future__ import annotations

import pytest

from untilgreen.model import FileChange, Patch
from untilgreen.solve.doubts import changed_checks, unproven_change

HELPER = "def check(got, want, why=''):\n    assert got == want, why\n    return got\n"


def checks(old: str, new: str | None) -> list[int]:
    patch = Patch({"helping.py": FileChange(None if new is None else new.encode())})
    return [finding.line for finding in changed_checks(patch, lambda path: old.encode())]


@pytest.mark.parametrize(
    "new",
    [
        HELPER.replace("==", "is not"),
        HELPER.replace("assert got == want, why", "assert got"),
        "import sys\n\n\ndef check(got, want, why=''):\n    return got\n",
        "check = print\n",
    ],
)
def test_a_check_that_is_another_one_is_named(new: str) -> None:
    assert len(checks(HELPER, new)) == 1
    assert checks(HELPER, new) == [new[: new.find("def check")].count("\n") + 1 if "def check" in new else 1]


def test_a_check_may_say_other_words() -> None:
    assert (
        checks(HELPER, HELPER.replace(", why\n", ", f'{why}!'\n").replace("return got", "return want")) == []
    )


@pytest.mark.parametrize(
    "code",
    [
        "def dot(a, b):\n    assert len(a) == len(b)\n    return 0\n",
        "def add(a, b):\n    assert isinstance(a, int)\n    assert a > 0\n    return a - b\n",
        "def add(a, b):\n    assert False, 'not yet'\n",
        "def add(a, b):\n    if a == b:\n        raise ValueError(a)\n    return a\n",
    ],
)
def test_what_code_demands_for_itself_may_change(code: str) -> None:
    assert checks(code, "def dot(a, b):\n    return 1\n\n\ndef add(a, b):\n    return a + b\n") == []


def test_a_doubt_points_to_the_first_function_that_is_another_one() -> None:
    old = "def one():\n    return 1\n\n\ndef two():\n    return 1\n"
    patch = Patch(
        {
            "b.py": FileChange(b"x = 1\n"),
            "a.py": FileChange(old.replace("two():\n    return 1", "two():\n    return 2").encode()),
        }
    )
    finding = unproven_change(patch, lambda path: old.encode() if path == "a.py" else None, "it is odd")
    assert (finding.path, finding.line, finding.rule) == ("a.py", 5, "unproven")
    outside = Patch({"a.py": FileChange(b"X = 1\n\n" + old.encode())})
    assert unproven_change(outside, lambda path: old.encode(), "it is odd").line == 1
