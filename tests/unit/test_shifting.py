"""Edits that do not meet are both kept; those that meet are left to a person."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.shifting import MOST_LINES, contains, dressed, shift

BASE = b"".join(b"line %d\n" % n for n in range(20))


def edit(data: bytes, n: int, *lines: bytes) -> bytes:
    """Line n becomes these."""
    all_lines = data.splitlines(keepends=True)
    return b"".join([*all_lines[:n], *lines, *all_lines[n + 1 :]])


@pytest.mark.parametrize(
    ("theirs", "merged"),
    [
        (edit(BASE, 2, b"theirs\n", b"more\n"), edit(edit(BASE, 10, b"ours\n"), 2, b"theirs\n", b"more\n")),
        (edit(BASE, 15), edit(edit(BASE, 15), 10, b"ours\n")),
        (BASE, edit(BASE, 10, b"ours\n")),
        (BASE + b"no end", edit(BASE, 10, b"ours\n") + b"no end"),
        (edit(BASE, 10, b"ours\n"), edit(BASE, 10, b"ours\n")),
        (edit(BASE, 10, b"other\n"), None),
        (edit(BASE, 9, b"other\n"), None),
        (edit(BASE, 11, b"other\n"), None),
        (edit(BASE, 10), None),
        (edit(BASE, 9, b"line 9\n", b"between\n"), None),
        (b"", None),
        (BASE.replace(b"\n", b"\r\n"), None),
    ],
)
def test_two_edits(theirs: bytes, merged: bytes | None) -> None:
    ours = edit(BASE, 10, b"ours\n")
    assert shift(BASE, ours, theirs) == merged
    assert shift(BASE, theirs, ours) == merged, "whose is whose does not matter"


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
        lambda text: text.encode("utf-16"),
        lambda text: text.replace("line", "l\x0cn\x85e\u2028").encode("latin-1", "replace"),
        lambda text: text.replace("line", "\udc80").encode("utf-8", "surrogateescape"),
    ],
    ids=["bom and crlf", "utf-16", "latin-1", "no text"],
)
def test_every_byte_stays(encode: object) -> None:
    assert callable(encode)
    text = BASE.decode()
    ours, theirs = text.replace("line 10", "ours"), text.replace("line 3\n", "")
    both = ours.replace("line 3\n", "")
    assert shift(encode(text), encode(ours), encode(theirs)) == encode(both)


def test_two_insertions_at_one_place_meet() -> None:
    assert shift(b"a\nb\n", b"a\nours\nb\n", b"a\ntheirs\nb\n") is None
    assert shift(b"", b"ours\n", b"theirs\n") is None


def test_too_much_to_compare_is_refused() -> None:
    many = b"".join(b"%d\n" % n for n in range(MOST_LINES + 1))
    assert shift(BASE, BASE + many, b"top\n" + BASE) is None
    ours = b"ours\n" + many
    assert shift(many, ours, many + b"end\n") == ours + b"end\n", "a large file with small edits is fine"


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=12)


@given(LINES, LINES, LINES)
def test_laws(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> None:
    one, two, three = b"".join(base), b"".join(ours), b"".join(theirs)
    assert shift(one, two, one) == two
    assert shift(one, one, three) == three
    assert shift(one, two, two) == two
    assert shift(one, two, three) == shift(one, three, two)


def test_git_says_the_same(tmp_path: Path) -> None:
    assert shutil.which("git")
    ours, theirs = edit(edit(BASE, 4, b"x\n"), 10, b"ours\n"), edit(edit(BASE, 15), 7, b"theirs\n")
    for name, data in (("ours", ours), ("base", BASE), ("theirs", theirs)):
        (tmp_path / name).write_bytes(data)
    merged = subprocess.run(
        ["git", "merge-file", "-p", "ours", "base", "theirs"], cwd=tmp_path, capture_output=True, check=True
    )
    assert shift(BASE, ours, theirs) == merged.stdout


AFTER = edit(BASE, 10, b"line 10 + ours\n", b"more\n")


@pytest.mark.parametrize(
    ("now", "is_there"),
    [
        (AFTER, True),
        (BASE, False),
        (edit(AFTER, 3, b"typed\n"), True),
        (edit(BASE, 3, b"typed\n"), False),
        (b"typed\n" + AFTER + b"typed\n", True),
        (edit(AFTER, 11, b"more\n", b"typed beside\n"), True),
        (edit(AFTER, 10, b"line 10 + ours  # typed\n"), True),
        (edit(BASE, 10, b"line 10  # typed\n"), False),
        (edit(BASE, 10, b"line 10\n", b"typed beside\n"), False),
        (AFTER.replace(b"\n", b"\r\n") + b"typed", True),
        (b"\xef\xbb\xbf" + AFTER, True),
        (b"", False),
    ],
)
def test_whether_a_change_is_in_a_text_that_was_edited_since(now: bytes, is_there: bool) -> None:
    assert contains(BASE, AFTER, now) == is_there


def test_too_much_typed_is_not_taken_for_ours() -> None:
    many = b"".join(b"%d\n" % n for n in range(MOST_LINES + 1))
    assert not contains(BASE, AFTER, many)


@given(LINES, LINES)
def test_dressing_is_for_line_ends_alone(one: list[bytes], other: list[bytes]) -> None:
    data, like = b"".join(one), b"".join(other)
    assert dressed(data, data) == data
    assert dressed(data, like) == data
    windows = like.replace(b"\n", b"\r\n")
    assert dressed(data, windows).replace(b"\r\n", b"\n") == data
    assert dressed(dressed(data, windows), data) == (data if b"\n" in data else dressed(data, windows))
