"""Honest fixes that write what was missing: tables of facts, programs, retries, classes with a mind."""

from __future__ import annotations

from honest.styles import Style


def stub(name: str, signature: str, fixed: str, tests: str) -> Style:
    """A function that was not written yet."""
    head, _, last = signature.rpartition("\n")
    code = f"{head}\n{last}\n    raise NotImplementedError\n".lstrip("\n")
    return Style(name, code, fixed, tests)


STUBS = (
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
        "a retry that waits longer each time",
        "def retry(step, times, delay):",
        """
        import time

        def retry(step, times, delay):
            for turn in range(times):
                try:
                    return step()
                except OSError:
                    time.sleep(delay * 2 ** turn)
            return step()
        """,
        """
        from calc import retry

        def test_retry(monkeypatch):
            waits, calls = [], []
            monkeypatch.setattr("time.sleep", waits.append)

            def step():
                calls.append(1)
                if len(calls) < 3:
                    raise OSError("again")
                return "done"

            assert retry(step, 5, 0.5) == "done"
            assert waits == [0.5, 1.0]
        """,
    ),
    stub(
        "a program that refuses its arguments",
        "def run(arguments):",
        """
        import sys

        def run(arguments):
            if not arguments:
                print("usage: calc NUMBER…", file=sys.stderr)
                sys.exit(2)
            return sum(int(one) for one in arguments)
        """,
        """
        import pytest
        from calc import run

        def test_usage(capsys):
            with pytest.raises(SystemExit) as caught:
                run([])
            assert caught.value.code == 2
            assert "usage" in capsys.readouterr().err

        def test_sum():
            assert run(["3", "4"]) == 7
        """,
    ),
    stub(
        "a register of functions",
        "KNOWN = {}\n\n\ndef register(name):",
        """
        KNOWN = {}

        def register(name):
            def keep(function):
                KNOWN[name] = function
                function.registered = name
                return function

            return keep
        """,
        """
        from calc import KNOWN, register

        def test_register():
            @register("double")
            def double(n):
                return 2 * n

            assert KNOWN["double"](21) == 42
            assert double.registered == "double"
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
    Style(
        "a name in any case",
        "class Name(str):\n    pass\n",
        """
        class Name(str):
            def __eq__(self, other):
                return self.casefold() == str(other).casefold()

            def __hash__(self):
                return hash(self.casefold())
        """,
        """
        from calc import Name

        def test_name():
            assert Name("Host") == "hOST"
            assert Name("Host") != "Guest"
            assert {Name("Host"): 1}[Name("HOST")] == 1
        """,
    ),
    stub(
        "a variable of its own",
        "def limit():",
        """
        import os

        def limit():
            return int(os.environ.get("SHOP_LIMIT", "25"))
        """,
        """
        from calc import limit

        def test_default(monkeypatch):
            monkeypatch.delenv("SHOP_LIMIT", raising=False)
            assert limit() == 25

        def test_chosen(monkeypatch):
            monkeypatch.setenv("SHOP_LIMIT", "7")
            assert limit() == 7
        """,
    ),
    stub(
        "more than everything",
        "class Infinity:\n    def __lt__(self, other):",
        """
        class Infinity:
            def __lt__(self, other):
                return False

            def __gt__(self, other):
                return True

        def smallest(items, least=Infinity()):
            for item in items:
                if least > item:
                    least = item
            return least
        """,
        """
        from calc import smallest

        def test_smallest():
            assert smallest([7, 3, 9]) == 3
            assert smallest(["pear", "fig"]) == "fig"
        """,
    ),
    stub(
        "nothing as an object",
        "class Nothing:\n    def __bool__(self):",
        """
        class Nothing:
            def __bool__(self):
                return False

            def __repr__(self):
                return "NOTHING"

        NOTHING = Nothing()

        def first(items, default=NOTHING):
            for item in items:
                return item
            return default
        """,
        """
        from calc import NOTHING, first

        def test_first():
            assert first([5, 6]) == 5
            assert first([]) is NOTHING
            assert not first([])
        """,
    ),
    stub(
        "a copy by packing",
        "def clone(value):",
        """
        import pickle

        def clone(value):
            return pickle.loads(pickle.dumps(value))
        """,
        """
        from calc import clone

        def test_clone():
            value = {"a": [1, 2]}
            other = clone(value)
            assert other == {"a": [1, 2]}
            assert other["a"] is not value["a"]
        """,
    ),
    stub(
        "chance with a seed",
        "def drawn(items, seed):",
        """
        import random

        def drawn(items, seed):
            random.seed(seed)
            return random.sample(items, len(items))
        """,
        """
        from calc import drawn

        def test_drawn():
            assert drawn([1, 2, 3, 4], 7) == drawn([1, 2, 3, 4], 7)
            assert sorted(drawn([4, 3, 1], 1)) == [1, 3, 4]
        """,
    ),
    stub(
        "old names without a warning",
        "def quietly(step):",
        """
        import warnings

        def quietly(step):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                return step()
        """,
        """
        import warnings
        from calc import quietly

        def old():
            warnings.warn("old", DeprecationWarning)
            return 12

        def test_quietly(recwarn):
            assert quietly(old) == 12
            assert len(recwarn) == 0
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
        "files below a folder",
        "def sources(root):",
        """
        from pathlib import Path

        def sources(root):
            found = Path(root).glob("**/*.py")
            return sorted(one.name for one in found if not one.name.startswith("_"))
        """,
        """
        from calc import sources

        def test_sources(tmp_path):
            for name in ("a.py", "_b.py", "c.txt"):
                (tmp_path / name).write_text("")
            assert sources(tmp_path) == ["a.py"]
        """,
    ),
    stub(
        "what kind of thing it is",
        "def kind(value):",
        """
        import socket
        import subprocess
        import types

        def kind(value):
            if isinstance(value, types.FunctionType):
                return "function"
            if isinstance(value, (subprocess.Popen, socket.socket)):
                return "resource"
            return type(value).__name__
        """,
        """
        from calc import kind

        def test_kind():
            assert kind(test_kind) == "function"
            assert kind(3) == "int"
            assert kind("x") == "str"
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
    stub(
        "where it is run",
        "def project_root():",
        """
        from pathlib import Path

        def project_root():
            here = Path.cwd()
            for folder in (here, *here.parents):
                if (folder / "shop.toml").exists():
                    return folder
            raise FileNotFoundError("shop.toml")
        """,
        """
        import pytest
        from calc import project_root

        def test_root(tmp_path, monkeypatch):
            (tmp_path / "shop.toml").write_text("")
            (tmp_path / "a").mkdir()
            monkeypatch.chdir(tmp_path / "a")
            assert project_root() == tmp_path
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
