"""What tests print, made safe."""

from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.text import clean

characters = st.characters(codec=None, exclude_categories=())


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("plain\ttext\nnext ä 日本 🎉", "plain\ttext\nnext ä 日本 🎉"),
        ("a\r\nb\rc", "a\nb\\x0dc"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[2J\x1b[H\x1b[?25l", ""),
        ("\x1b]52;c;ZXZpbA==\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bPq#0\x1b\\after", "after"),
        ("\x1b_apc\x07after", "after"),
        ("\x9b31mred", "red"),
        ("\x00\x07\x08\x7f\x85", "\\x00\\x07\\x08\\x7f\\x85"),
        ("\u202eevil\u2066x\u200b\ufeff", "\\u202eevil\\u2066x\\u200b\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\U000e0041tag", "\\ue0041tag"),
        ("half \ud800 \udfff", "half \\ud800 \\udfff"),
        ("\x1b", "\\x1b"),
        ("\x1b[", ""),
    ],
)
def test_clean(dirty: str, expected: str) -> None:
    assert clean(dirty) == expected


@given(st.text(characters))
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    cleaned = clean(text)
    controls = {one for one in cleaned if unicodedata.category(one) in ("Cc", "Cs")}
    assert controls <= {"\n", "\t"}
    cleaned.encode("utf-8")


@given(st.text(characters))
def test_clean_text_stays_as_it_is(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("piece", ["\x1b", "\x1b]", "\x1b[0", "\x1bP\x1b", "\x9b;", "\x1b[0;1;2 "])
def test_no_text_takes_long(piece: str) -> None:
    begun = time.process_time()
    clean(piece * (300_000 // len(piece)))
    clean(piece + "0" * 300_000)
    assert time.process_time() - begun < 3
