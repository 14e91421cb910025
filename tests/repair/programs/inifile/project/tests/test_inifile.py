import pytest
from inifile import FormatError, Settings, records, rows

TEXT = """\
# a remark
[defaults]
colour = red
root = /srv
path = ${root}/data

[ window ]
Width = 1_200
; another remark
height=0x10
title = a = b
visible = Yes
border = off
tags = one, two,,
  three
root = /home

[empty]
"""


@pytest.fixture(scope="module")
def settings():
    return Settings.parse(TEXT)


def test_sections(settings):
    assert settings.sections() == ["window", "empty"]


@pytest.mark.parametrize(
    ("section", "key", "expected"),
    [
        ("window", "width", "1_200"),
        ("window", "WIDTH", "1_200"),
        ("window", "title", "a = b"),
        ("window", "colour", "red"),
        ("empty", "colour", "red"),
        ("nowhere", "colour", "red"),
        ("window", "depth", None),
        ("window", "path", "/home/data"),
        ("empty", "path", "/srv/data"),
    ],
)
def test_get(settings, section, key, expected):
    assert settings.get(section, key) == expected


def test_default(settings):
    assert settings.get("window", "depth", "3") == "3"


def test_numbers(settings):
    assert settings.number("window", "width") == 1200
    assert settings.number("window", "height") == 16
    assert settings.number("window", "depth") is None
    assert settings.number("window", "depth", 0) == 0


def test_flags(settings):
    assert settings.flag("window", "visible") is True
    assert settings.flag("window", "border", True) is False
    assert settings.flag("window", "shadow", True) is True
    with pytest.raises(ValueError, match="neither yes nor no"):
        settings.flag("window", "title")


def test_lists(settings):
    assert settings.listed("window", "tags") == ["one", "two", "three"]
    assert settings.listed("window", "nothing") == []


def test_a_section_goes_on_later():
    settings = Settings.parse("[a]\nx=1\n[b]\n[a]\ny=2\n")
    assert (settings.get("a", "x"), settings.get("a", "y")) == ("1", "2")


def test_an_indented_line_after_a_section_is_a_key():
    assert Settings.parse("[a]\n  x = 1").get("a", "x") == "1"


def test_an_indented_line_does_not_go_on_over_a_section():
    assert Settings.parse("[a]\nx = 1\n[b]\n  y = 2").get("b", "y") == "2"


def test_a_list_on_lines():
    assert Settings.parse("[a]\nx = one\n  two\n  three").listed("a", "x") == ["one", "two", "three"]


def test_names_that_refer_to_each_other():
    settings = Settings.parse("[a]\nx = ${y}\ny = ${x}\nz = ${none}")
    with pytest.raises(ValueError, match="refer"):
        settings.get("a", "x")
    with pytest.raises(KeyError):
        settings.get("a", "z")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[a\nx=1", 1, "not closed"),
        ("\nx = 1", 2, "before the first section"),
        ("[a]\nword", 2, "neither"),
        ("[a]\nx=1\nX=2", 3, "x is there twice"),
    ],
)
def test_wrong(text, line, message):
    with pytest.raises(FormatError, match=message) as caught:
        Settings.parse(text)
    assert caught.value.line == line


class TestRows:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("", []),
            ("a,b\nc,d\n", [["a", "b"], ["c", "d"]]),
            ("a,b\nc,d", [["a", "b"], ["c", "d"]]),
            ("a,,\n", [["a", "", ""]]),
            ("a,", [["a", ""]]),
            ("a\r\nb\r\n", [["a"], ["b"]]),
            ('"a,b",c', [["a,b", "c"]]),
            ('"a ""b""",c', [['a "b"', "c"]]),
            ('"a\nb",c\nd', [["a\nb", "c"], ["d"]]),
            ('a"b,c', [['a"b', "c"]]),
            ("\n", [[""]]),
        ],
    )
    def test_rows(self, text, expected):
        assert list(rows(text)) == expected

    def test_other_signs(self):
        assert list(rows("'a;b';c", separator=";", quote="'")) == [["a;b", "c"]]

    def test_an_open_quote(self):
        with pytest.raises(FormatError, match="line 2: a quote"):
            list(rows('a\n"b'))


class TestRecords:
    def test_by_name(self):
        assert records("n, m\n1,2\n") == [{"n": "1", "m": "2"}]

    def test_missing_cells(self):
        assert records("n,m\n1\n") == [{"n": "1", "m": ""}]

    def test_too_many_cells(self):
        with pytest.raises(FormatError) as caught:
            records("n\n1\n1,2\n")
        assert caught.value.line == 3

    def test_nothing(self):
        assert records("") == []
        assert records("a,b") == []

    def test_separator(self):
        assert records("a\tb\n1\t2", "\t") == [{"a": "1", "b": "2"}]
