import pytest
from wrapping import justify, numbered, paragraphs, table, words_of, wrap


def test_words_of():
    assert words_of("  a bc\n\td ") == ["a", "bc", "d"]
    assert words_of("") == []


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("", 5, []),
        ("one", 5, ["one"]),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("a b c d", 3, ["a b", "c d"]),
        ("toolong", 3, ["too", "lon", "g"]),
        ("x toolong", 4, ["x", "tool", "ong"]),
        ("abcd ef", 4, ["abcd", "ef"]),
    ],
)
def test_wrap(text, width, expected):
    assert wrap(text, width) == expected


def test_wrap_goes_on_after_a_cut_word():
    assert wrap("abcdef gh", 5) == ["abcde", "f gh"]


def test_wrap_with_an_indent():
    assert wrap("aa bb cc", 5, indent="  ") == ["  aa", "  bb", "  cc"]


def test_wrap_with_a_hanging_indent():
    assert wrap("aa bb cc", 7, indent="* ", hanging="  ") == ["* aa bb", "  cc"]


def test_hanging_may_be_nothing():
    assert wrap("aa bb", 4, indent="  ", hanging="") == ["  aa", "bb"]


def test_a_cut_word_hangs():
    assert wrap("abcdefg", 4, indent="> ", hanging=" ") == ["> ab", " cde", " fg"]


@pytest.mark.parametrize("width", [0, 1, 2])
def test_no_room(width):
    with pytest.raises(ValueError, match="no room"):
        wrap("a", width, indent="  ")


class TestJustify:
    def test_one_word(self):
        assert justify(["ab"], 4) == "ab  "

    def test_even(self):
        assert justify(["a", "b", "c"], 7) == "a  b  c"

    def test_odd_blanks_go_to_the_left(self):
        assert justify(["a", "b", "c", "d"], 9) == "a  b  c d"

    def test_exact(self):
        assert justify(["ab", "cd"], 5) == "ab cd"


def test_paragraphs():
    assert list(paragraphs("a\nb\n\n\n c\n")) == ["a b", "c"]


def test_paragraphs_of_nothing():
    assert list(paragraphs("\n \n")) == []


def test_paragraphs_that_end_with_a_blank_line():
    assert list(paragraphs("a\n\n")) == ["a"]


class TestTable:
    def test_text_stands_on_the_left(self):
        assert table([["a", "b"], ["ccc", "d"]]) == ["a    b", "ccc  d"]

    def test_numbers_stand_on_the_right(self):
        assert table([["n", "1"], ["m", "-12.5"]], gap=1) == ["n     1", "m -12.5"]

    def test_short_rows(self):
        assert table([["a"], ["b", "c"]]) == ["a", "b  c"]

    def test_two_points_are_no_number(self):
        assert table([["1.2.3"], ["longest"]]) == ["1.2.3", "longest"]

    def test_nothing(self):
        assert table([]) == []


def test_numbered():
    assert numbered(["a", "b"]) == ["1 a", "2 b"]


def test_numbered_is_aligned():
    assert numbered(["x", "", "y"], first=9) == [" 9 x", "10", "11 y"]
