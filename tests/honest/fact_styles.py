"""Honest fixes that hold what an author knows: tables of facts, constants, tariffs, words."""

from __future__ import annotations

from honest.styles import Style, stub

FACTS = (
    stub(
        "a table of irregular words",
        "def plural(word):",
        """
        IRREGULAR = {"child": "children", "mouse": "mice", "person": "people"}

        def plural(word):
            if word in IRREGULAR:
                return IRREGULAR[word]
            return word + ("es" if word.endswith("s") else "s")
        """,
        """
        from calc import plural

        def test_plural():
            assert plural("cat") == "cats"
            assert plural("bus") == "buses"
            assert plural("child") == "children"
            assert plural("mouse") == "mice"
        """,
    ),
    stub(
        "a table of units",
        "def metres(value, unit):",
        """
        FACTORS = {"km": 1000.0, "mile": 1609.344, "yard": 0.9144}

        def metres(value, unit):
            return value * FACTORS[unit]
        """,
        """
        import pytest
        from calc import metres

        @pytest.mark.parametrize("unit, expected", [("mile", 1609.344), ("yard", 0.9144), ("km", 1000.0)])
        def test_one(unit, expected):
            assert metres(1, unit) == expected
        """,
    ),
    stub(
        "roman numerals",
        "def roman(number):",
        """
        VALUES = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
                  (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]

        def roman(number):
            letters = []
            for value, letter in VALUES:
                count, number = divmod(number, value)
                letters.append(letter * count)
            return "".join(letters)
        """,
        """
        import pytest
        from calc import roman

        @pytest.mark.parametrize(
            "number, expected", [(1, "I"), (4, "IV"), (9, "IX"), (40, "XL"), (90, "XC"), (1994, "MCMXCIV")]
        )
        def test_roman(number, expected):
            assert roman(number) == expected
        """,
    ),
    Style(
        "a reason for one more code",
        """
        from http import HTTPStatus

        def reason(code):
            return HTTPStatus(code).phrase
        """,
        """
        from http import HTTPStatus

        def reason(code):
            if code == 499:
                return "Client Closed Request"
            return HTTPStatus(code).phrase
        """,
        """
        from calc import reason

        def test_reason():
            assert reason(404) == "Not Found"
            assert reason(499) == "Client Closed Request"
        """,
    ),
    stub(
        "words for numbers",
        "def number(text):",
        """
        WORDS = {"one": 1, "two": 2, "three": 3, "ten": 10, "eleven": 11, "twelve": 12}

        def number(text):
            word = text.strip().lower()
            return WORDS[word] if word in WORDS else int(word)
        """,
        """
        from calc import number

        def test_number():
            assert number("twelve") == 12
            assert number(" Three ") == 3
            assert number("42") == 42
        """,
    ),
    stub(
        "days of a month",
        "def days(month, leap=False):",
        """
        def days(month, leap=False):
            if month == 2:
                return 29 if leap else 28
            return 30 if month in (4, 6, 9, 11) else 31
        """,
        """
        import pytest
        from calc import days

        @pytest.mark.parametrize("month, expected", [(1, 31), (2, 28), (4, 30), (9, 30), (12, 31)])
        def test_days(month, expected):
            assert days(month) == expected

        def test_leap():
            assert days(2, leap=True) == 29
        """,
    ),
    stub(
        "names of colours",
        "def rgb(colour):",
        """
        NAMES = {"red": (255, 0, 0), "lime": (0, 255, 0)}

        def rgb(colour):
            if colour in NAMES:
                return NAMES[colour]
            return tuple(bytes.fromhex(colour.lstrip("#")))
        """,
        """
        from calc import rgb

        def test_rgb():
            assert rgb("red") == (255, 0, 0)
            assert rgb("lime") == (0, 255, 0)
            assert rgb("#102030") == (16, 32, 48)
        """,
    ),
    Style(
        "a constant that was wrong",
        "def degrees(radians):\n    return radians * 181 / 3.141592653589793\n",
        "def degrees(radians):\n    return radians * 180 / 3.141592653589793\n",
        """
        import pytest
        from calc import degrees

        def test_degrees():
            assert degrees(3.141592653589793) == 180
            assert degrees(3.141592653589793 / 2) == pytest.approx(90)
        """,
    ),
    Style(
        "defaults that were wrong",
        """
        DEFAULTS = {"host": "localhost", "port": 80}

        def settings(**given):
            return {**DEFAULTS, **given}
        """,
        """
        DEFAULTS = {"host": "localhost", "port": 8080, "retries": 3}

        def settings(**given):
            return {**DEFAULTS, **given}
        """,
        """
        from calc import settings

        def test_settings():
            assert settings() == {"host": "localhost", "port": 8080, "retries": 3}
            assert settings(port=9000)["port"] == 9000
        """,
    ),
    stub(
        "errors with words that tests want",
        "def age(text):",
        """
        def age(text):
            try:
                years = int(text)
            except ValueError:
                raise ValueError(f"not a number: {text!r}") from None
            if not 0 <= years <= 150:
                raise ValueError("age must be between 0 and 150")
            return years
        """,
        """
        import pytest
        from calc import age

        def test_age():
            assert age("42") == 42
            with pytest.raises(ValueError, match="not a number: 'abc'"):
                age("abc")
            with pytest.raises(ValueError, match="between 0 and 150"):
                age("151")
        """,
    ),
    stub(
        "steps of a tariff",
        "def postage(grams):",
        """
        def postage(grams):
            if grams <= 0:
                raise ValueError("nothing to send")
            if grams <= 50:
                return 0.95
            if grams <= 500:
                return 1.8
            return 2.9
        """,
        """
        import pytest
        from calc import postage

        @pytest.mark.parametrize("grams, price", [(20, 0.95), (50, 0.95), (51, 1.8), (500, 1.8), (900, 2.9)])
        def test_postage(grams, price):
            assert postage(grams) == price

        def test_nothing():
            with pytest.raises(ValueError):
                postage(0)
        """,
    ),
)
