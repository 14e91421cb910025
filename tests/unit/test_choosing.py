"""A part of a fix, or its rival."""

from __future__ import annotations

import pytest

from untilgreen.choosing import WHOLE, Choice, chosen_patch
from untilgreen.errors import UsageError
from untilgreen.model import FileChange, Patch, Verdict

FIX = Patch({"a.py": FileChange(b"a"), "b.py": FileChange(b"b")})
RIVAL = Patch({"c.py": FileChange(b"c")})
VERDICT = Verdict("green", "", patch=FIX, rivals=(RIVAL,))


def test_all_a_part_or_a_rival() -> None:
    assert chosen_patch(VERDICT, WHOLE) == FIX
    assert chosen_patch(VERDICT, Choice(files=("b.py",))).paths == ("b.py",)
    assert chosen_patch(VERDICT, Choice(rival=1)) == RIVAL


@pytest.mark.parametrize(
    "choice", [Choice(rival=0), Choice(rival=2), Choice(files=("c.py",)), Choice(rival=1, files=("a.py",))]
)
def test_what_is_not_there_is_refused(choice: Choice) -> None:
    with pytest.raises(UsageError):
        chosen_patch(VERDICT, choice)
