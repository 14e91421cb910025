"""Honest fixes that write what was missing: programs, retries, registers, classes with a mind."""

from __future__ import annotations

from honest.styles import Style, stub

STUBS = (
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
        "class Infinity:\n    pass\n\n\ndef smallest(items, least=None):",
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
        "class Nothing:\n    pass\n\n\nNOTHING = Nothing()\n\n\ndef first(items, default=NOTHING):",
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

        def helper():
            return 3

        def test_kind():
            assert kind(helper) == "function"
            assert kind(3) == "int"
            assert kind("x") == "str"
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
)
