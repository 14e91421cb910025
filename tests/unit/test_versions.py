"""A living function becomes another version of itself, and what it was again."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.inside import versions
from untilgreen_sandbox.inside.living import Living

SOURCE = '''\
"""A module."""
import functools

class Thing:
    __private = 7

    def work(self, n, by=2, *rest, limit=None, **more):
        """Doc."""
        return [self.__private, n, by, limit, (lambda: n)()]

    def calm(self):
        return "calm"

@functools.lru_cache(None)
def cached(n):
    return n
'''


class Module:
    """One that was imported from a real file, with its functions alive."""

    def __init__(self, folder: Path, source: str = SOURCE) -> None:
        self.file = folder / "m.py"
        self.file.write_text(source)
        self.module: Any = types.ModuleType("m")
        exec(compile(source, str(self.file), "exec"), self.module.__dict__)
        self.root = str(folder)
        found = [
            *vars(self.module).values(),
            *(one for kind in self.classes() for one in vars(kind).values()),
        ]
        cached = [one.__wrapped__ for one in found if hasattr(one, "__wrapped__")]
        self.living = Living(self.root, [*found, *cached])

    def classes(self) -> list[type]:
        return [one for one in vars(self.module).values() if isinstance(one, type)]

    def target(self, name: str, line: int) -> versions.Target:
        return versions.Target(self.root, "m.py", name, line, self.living)


@pytest.fixture
def module(tmp_path: Path) -> Module:
    return Module(tmp_path)


WORK = "".join(SOURCE.splitlines(keepends=True)[6:9])


def test_it_stands_where_it_stood(module: Module) -> None:
    target = module.target("Thing.work", 7)
    (function,) = target.functions
    before = function.__code__
    version = target.version(WORK.replace("limit,", "1 / 0,"))
    swap = version.put()
    with pytest.raises(ZeroDivisionError) as raised:
        module.module.Thing().work(1)
    entry = raised.traceback[-1]
    assert (str(entry.path), entry.lineno + 1) == (str(module.file), 9)
    assert function.__code__.co_firstlineno == 7
    assert getattr(function.__code__, "co_qualname", "Thing.work") == "Thing.work"
    swap.undo()
    assert function.__code__ is before
    assert module.module.Thing().work(1) == [7, 1, 2, None, 1]


def test_the_same_code_has_the_same_key(module: Module) -> None:
    target = module.target("Thing.work", 7)
    assert target.version(WORK).key == target.key
    assert target.version(WORK.replace("return [", "return [  # Words.\n            ")).key == target.key
    assert target.version(WORK.replace("n, by", "by, n")).key != target.key
    one, other = (target.version(WORK.replace("limit,", f"{value},")) for value in ("1", "True"))
    assert one.key != other.key
    assert target.version(WORK.replace("by=2", "by=3")).key != target.key


def test_defaults_come_along(module: Module) -> None:
    target = module.target("Thing.work", 7)
    swap = target.version(WORK.replace("by=2, *rest, limit=None", "by=[3], *rest, limit=Thing")).put()
    assert module.module.Thing().work(1) == [7, 1, [3], module.module.Thing, 1]
    swap.undo()
    assert module.module.Thing().work(1) == [7, 1, 2, None, 1]


@pytest.mark.parametrize("default", ["len('a')", "[n for n in ()]", "unknown", "1 if 2 else 3"])
def test_defaults_that_must_be_computed_do_not(module: Module, default: str) -> None:
    with pytest.raises(versions.Unfit):
        module.target("Thing.work", 7).version(WORK.replace("by=2", f"by={default}"))


def test_cells_are_found_or_left_empty(module: Module) -> None:
    calm = "    def calm(self):\n        return super().__repr__()[:0] + __class__.__name__\n"
    target = module.target("Thing.calm", 11)
    swap = target.version(calm).put()
    assert module.module.Thing().calm() == "Thing"
    swap.undo()
    assert module.module.Thing().calm() == "calm"


def test_a_method_without_its_cell_works(tmp_path: Path) -> None:
    source = "class A:\n    def f(self):\n        return __class__\n"
    module = Module(tmp_path, source)
    target = module.target("A.f", 2)
    target.version("    def f(self):\n        return 5\n").put()
    assert module.module.A().f() == 5


def test_caches_are_known(module: Module) -> None:
    assert module.module.cached in module.living.caches
    assert len(module.target("cached", 14).functions) == 1


@pytest.mark.parametrize(
    "source",
    [
        *(
            "",
            "def cached(n:",
            "def other(n): pass",
            "cached = 1",
            "def cached(n): pass\ndef cached(n): pass",
        ),
        "def cached(n): pass\nx = 1",
        "\x00",
        "(" * 5000,
        "    return 1",
        "def cached(n):\n" + "#" * (1 << 18),
    ],
)
def test_what_is_no_version_is_told(module: Module, source: str) -> None:
    with pytest.raises(SyntaxError):
        module.target("cached", 14).version(source)


def test_calls_are_noticed_once_or_always(module: Module) -> None:
    (function,) = module.target("Thing.work", 7).functions
    thing = module.module.Thing()
    seen: list[Any] = []
    versions.once(function, lambda args, kwargs: seen.append((args[1:], kwargs)))
    assert thing.work(1, limit=2) == thing.work(1, limit=2) == [7, 1, 2, 2, 1]
    assert seen == [((1,), {"limit": 2})]
    versions.each(function, lambda args, kwargs: seen.append(args[1:]))
    assert thing.work(4) == thing.work(4) == [7, 4, 2, None, 4]
    assert seen[1:] == [(4,), (4,)]


@given(st.integers(-5, 5), st.sampled_from(["+", "-", "*", "//", "%", "<", "=="]), st.integers(0, 3))
def test_keys_are_equal_for_what_does_the_same(n: int, operator: str, n_lines: int) -> None:
    source = f"def f(a):\n{chr(10) * n_lines}    return a {operator} {n}\n"
    codes = [compile(text, "x", "exec").co_consts[0] for text in (source, "\n" + source)]
    other = compile(source.replace(str(n), str(n + 1)), "x", "exec").co_consts[0]
    assert versions.key_of(codes[0]) == versions.key_of(codes[1]) != versions.key_of(other)


def test_generic_functions(tmp_path: Path) -> None:
    if sys.version_info < (3, 12):
        source = "def f(a):\n    return a\n"
    else:
        source = "def f[T](a: T):\n    return a\n"
    module = Module(tmp_path, source)
    module.target("f", 1).version(source.replace("return a", "return [a]")).put()
    assert module.module.f(1) == [1]
