import math

import pytest
from calc import CalcError, ParseError, evaluate, parse, tokenize


def texts(source):
    return [token.text for token in tokenize(source)]


class TestTokens:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("", [""]),
            ("1+2", ["1", "+", "2", ""]),
            ("  a_1 *b ", ["a_1", "*", "b", ""]),
            ("2**3", ["2", "**", "3", ""]),
            ("7//2/1", ["7", "//", "2", "/", "1", ""]),
            ("1.5.2", ["1.5", ".2", ""]),
            (".5", [".5", ""]),
            ("1e3", ["1e3", ""]),
            ("1e-3x", ["1e-3", "x", ""]),
            ("2em", ["2", "em", ""]),
            ("a<=b", ["a", "<=", "b", ""]),
        ],
    )
    def test_texts(self, source, expected):
        assert texts(source) == expected

    def test_kinds(self):
        assert [token.kind for token in tokenize("x = 2")] == ["name", "operator", "number", "end"]

    def test_places(self):
        assert [token.at for token in tokenize("ab + 1")] == [0, 3, 5, 6]

    def test_unknown(self):
        with pytest.raises(SyntaxError, match="'#' at 2"):
            list(tokenize("1 #"))


class TestParser:
    def test_precedence(self):
        one, two, three = (("number", float(n)) for n in (1, 2, 3))
        assert parse("1+2*3") == ("+", one, ("*", two, three))
        assert parse("1-2-3") == ("-", ("-", one, two), three)
        assert parse("1**2**3") == ("**", one, ("**", two, three))

    def test_calls(self):
        assert parse("f()") == ("call", "f", ())
        assert parse("f(a, 1)") == ("call", "f", (("name", "a"), ("number", 1.0)))

    def test_assignment(self):
        assert parse("x = y") == ("assign", "x", ("name", "y"))

    @pytest.mark.parametrize("source", ["", "1 +", "(1", "1)", "1 2", "f(1,", "f(1", "*1", "x ="])
    def test_wrong(self, source):
        with pytest.raises(ParseError):
            parse(source)

    def test_the_place_of_an_error(self):
        with pytest.raises(ParseError, match="unexpected text at 4") as caught:
            parse("1+2 3")
        assert caught.value.token.text == "3"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3", 9),
        ("10 - 4 - 3", 3),
        ("2 ** 3 ** 2", 512),
        ("-2 ** 2", -4),
        ("2 ** -1", 0.5),
        ("--3", 3),
        ("+4", 4),
        ("7 / 2", 3.5),
        ("7 // 2", 3),
        ("-7 % 3", 2),
        ("1 < 2", 1),
        ("2 <= 1", 0),
        ("2 >= 2", 1),
        ("1 + 1 == 2", 1),
        ("sqrt(16)", 4),
        ("max(1, 5, 3)", 5),
        ("min(4, 2)", 2),
        ("abs(-3)", 3),
        ("round(2.567, 1)", 2.6),
        ("round(2.5)", 2),
        ("if(1 > 2, 10, 20)", 20),
    ],
)
def test_evaluate(source, expected):
    assert evaluate(source) == pytest.approx(expected)


def test_names():
    assert evaluate("x * y", {"x": 3, "y": 4}) == 12
    assert evaluate("2 * pi") == pytest.approx(2 * math.pi)


def test_assignment_is_kept():
    names = {}
    assert evaluate("x = 2 + 3", names) == 5
    assert evaluate("x * 2", names) == 10
    assert names == {"x": 5}


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("sqrt(-1)", "out of range"),
        ("10.0 ** 1000", "out of range"),
        ("(-8) ** 0.5", "not real"),
        ("nothing", "no value"),
        ("nothing(1)", "not a function"),
        ("sqrt(1, 2)", "does not take 2"),
        ("max()", "does not take 0"),
        ("pi = 3", "is constant"),
    ],
)
def test_errors(source, message):
    with pytest.raises(CalcError, match=message):
        evaluate(source)
