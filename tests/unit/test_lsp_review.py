"""Virtual documents: every text of a fix, of its rivals and of earlier attempts, by its uri."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from untilgreen.errors import UsageError
from untilgreen.job import Job
from untilgreen.lsp.review import review_of, text_of
from untilgreen.model import FileChange, Patch, Verdict

ODD = "pkg/ä b#1?.py"
FIRST = Patch({ODD: FileChange(b"first\n")})
FIX = Patch({ODD: FileChange("\ufeffnew é\n".encode()), "made.py": FileChange(b"made\n")})
RIVAL = Patch({"gone.py": FileChange(None)})
JOB = cast(
    Job,
    SimpleNamespace(
        id="j1",
        verdict=Verdict("green", "fixed", patch=FIX, rivals=(RIVAL,)),
        pristine={ODD: b"old\n", "made.py": None, "gone.py": b"gone\n"},
        tried={1: FIRST, 2: FIX},
    ),
)


def text(uri: str) -> str:
    return text_of(uri, lambda job: JOB if job == "j1" else None)


def test_every_side_of_every_file_can_be_read() -> None:
    review = review_of(JOB, None, None, lambda path: f"file:///w/{path}")
    assert review["attempt"] == "2"
    texts = {file["path"]: (text(file["before"]), text(file["after"])) for file in review["files"]}
    assert texts == {ODD: ("old\n", "new é\n"), "made.py": ("", "made\n")}
    assert all(" " not in file["after"] and "#" not in file["after"] for file in review["files"])
    assert "new é" in review["diff"]


def test_rivals_and_earlier_attempts_can_be_read() -> None:
    [file] = review_of(JOB, 1, None, str)["files"]
    assert (text(file["before"]), text(file["after"])) == ("gone\n", "")
    [file] = review_of(JOB, None, 1, str)["files"]
    assert text(file["after"]) == "first\n"
    # As some editors spell it.
    assert text(file["after"].replace("untilgreen:/", "untilgreen://")) == "first\n"


@pytest.mark.parametrize(
    "uri",
    [
        "untilgreen:/j1",
        "untilgreen:/",
        "untilgreen:/j1/2/after/",
        "untilgreen:/j1/2/beside/made.py",
        "untilgreen:/j1/9/after/made.py",
        "untilgreen:/j1/rival2/after/gone.py",
        "untilgreen:/j1/2/after/../../etc/passwd",
        "untilgreen:/j2/2/after/made.py",
        "file:/j1/2/after/made.py",
    ],
)
def test_nothing_else_can_be_read(uri: str) -> None:
    with pytest.raises(UsageError):
        text(uri)


def test_what_is_not_there_cannot_be_reviewed() -> None:
    for rival, attempt in ((2, None), (None, 7)):
        with pytest.raises(UsageError):
            review_of(JOB, rival, attempt, str)
