"""Values that a traced run has seen: short, few, and without a word to the objects themselves."""

from __future__ import annotations

import pytest

from boxes import changes
from untilgreen_sandbox.box import Box, RunRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]


async def test_values_are_seen_without_asking_the_objects(box: Box) -> None:
    source = """\
        import gc, weakref
        asked = []

        class Told(type):
            def __repr__(cls):
                asked.append("class")
            def __getattribute__(cls, name):
                asked.append(name)
                return type.__getattribute__(cls, name)

        class Thing(metaclass=Told):
            def __init__(self):
                self.size = 3
            def __repr__(self):
                asked.append("repr")
                return "?"
            def __getattr__(self, name):
                asked.append(name)
            def __eq__(self, other):
                asked.append("eq")
            def __bool__(self):
                asked.append("bool")
            def __len__(self):
                asked.append("len")
            __hash__ = None

        class Words(list):
            def __iter__(self):
                asked.append("iter")

        def work(a, *rest, key="k", **more):
            total = a + 1
            if key is None:
                raise LookupError("no", a)
            return [total, {"x": rest}]

        def keep(thing):
            return None

        def test_it():
            asked.clear()
            work(1, Thing(), Words(), key="long" * 100, more=2 ** 5000)
            try:
                work(2, key=None)
            except LookupError:
                pass
            thing = Thing()
            gone = weakref.ref(thing)
            gc.disable()
            keep(thing)
            del thing
            assert gone() is None
            assert asked == []
    """
    asked = ("test_it.py:work", "test_it.py:keep")
    told = await box.trace(RunRequest(("test_it.py",)), changes({"test_it.py": source}), asked)
    assert not told.report.red, told.report.red[0].message
    first, second, third = told.trace.observations
    assert {value.name: (value.type, value.shown) for value in first.arguments} == {
        "a": ("int", "1"),
        "rest": ("tuple", "(<test_it.Thing size=3>, <test_it.Words>)"),
        "key": ("str", repr("long" * 20) + "... (400)"),
        "more": ("dict", "{'more': <int of 5001 bits>}"),
    }
    assert first.returned is not None
    assert (first.returned.type, first.returned.shown) == ("list", "[2, {'x': (...)}]")
    assert {value.name: value.shown for value in second.locals}["total"] == "3"
    assert second.raised is not None
    assert (second.returned, second.raised.type, second.raised.shown) == (None, "LookupError", "('no', 2)")
    assert (third.function, third.test) == ("test_it.py:keep", "test_it.py::test_it")


async def test_values_are_bounded(box: Box) -> None:
    source = """\
        def work(n):
            return [n] * 100_000

        def test_it():
            for n in range(10_000):
                work(n)
    """
    told = await box.trace(RunRequest(("test_it.py",)), changes({"test_it.py": source}), ("*",))
    assert told.report.ended == "finished"
    assert 2 <= len(told.trace.observations) <= 10
    assert all(len(seen.returned.shown) < 400 for seen in told.trace.observations if seen.returned)


async def test_what_is_called_often_costs_little_and_is_seen_all_the_same(box: Box) -> None:
    source = """\
        def small(n):
            if n == 60000:
                return "late"
            return n

        def loop():
            return [small(n) for n in range(300000)]

        def after():
            return 1

        def test_it():
            loop()
            assert after() == 1

        def test_next():
            assert after() == 1
    """
    told = await box.trace(RunRequest(("test_it.py",)), changes({"test_it.py": source}), ("*",))
    assert not told.report.red
    assert len([one for one in told.trace.observations if one.function == "test_it.py:small"]) == 4
    slow, quick = (told.trace.tests[f"test_it.py::test_{name}"] for name in ("it", "next"))
    lines = {line for part in told.trace.executed_by(slow.id) for first, last in part.lines["test_it.py"]
             for line in range(first, last + 1)}  # fmt: skip
    assert {2, 4, 7} <= lines
    assert not quick.incomplete
    if slow.incomplete:
        assert slow.incomplete == ("limits reached",)
    else:
        assert 10 in lines
