"""Generators, asynchronous code, decorators."""

from __future__ import annotations

from agent.exercises.exercise import Exercise

WINDOWS = Exercise(
    name="generators",
    path="windows.py",
    instructions="Sliding windows over any iterable, also an endless one; never more is taken than needed.",
    stub="""
    def windows(items, size):
        yield from ()
    """,
    tests="""
    from itertools import count, islice

    from windows import windows


    def test_slides():
        assert list(windows("abcd", 2)) == [("a", "b"), ("b", "c"), ("c", "d")]


    def test_endless():
        assert list(islice(windows(count(), 3), 2)) == [(0, 1, 2), (1, 2, 3)]


    def test_too_short():
        assert list(windows([1], 2)) == []


    def test_takes_no_more_than_needed():
        numbers = iter(range(10))
        next(windows(numbers, 3))
        assert next(numbers) == 3
    """,
    wrong="""
    def windows(items, size):
        return zip(*[iter(items)] * size)
    """,
    right="""
    from collections import deque


    def windows(items, size):
        window = deque(maxlen=size)
        for item in items:
            window.append(item)
            if len(window) == size:
                yield tuple(window)
    """,
)
LIMITED = Exercise(
    name="async",
    path="limited.py",
    instructions="Await many calls, at most so many at a time; the results come in the order of the calls.",
    stub="""
    async def gather_limited(calls, most):
        raise NotImplementedError
    """,
    tests="""
    import asyncio

    from limited import gather_limited


    def test_order_and_limit():
        running, highest = 0, 0

        async def call(n):
            nonlocal running, highest
            running += 1
            highest = max(highest, running)
            await asyncio.sleep(0.001 * (3 - n % 3))
            running -= 1
            return n * n

        found = asyncio.run(gather_limited([lambda n=n: call(n) for n in range(7)], 2))
        assert found == [0, 1, 4, 9, 16, 25, 36]
        assert highest == 2


    def test_none():
        assert asyncio.run(gather_limited([], 3)) == []
    """,
    wrong="""
    import asyncio


    async def gather_limited(calls, most):
        return await asyncio.gather(*(call() for call in calls))
    """,
    right="""
    import asyncio


    async def gather_limited(calls, most):
        room = asyncio.Semaphore(most)

        async def one(call):
            async with room:
                return await call()

        return await asyncio.gather(*(one(call) for call in calls))
    """,
)
RETRY = Exercise(
    name="decorator",
    path="retrying.py",
    instructions="`retry(times, only)` calls again after such errors; in the end the last one is raised.",
    stub="""
    def retry(times, only=Exception):
        def decorate(function):
            return function

        return decorate
    """,
    tests="""
    import pytest

    from retrying import retry


    def failing(errors):
        left = list(errors)

        def call(value):
            if left:
                raise left.pop(0)
            return value

        return call


    def test_second_time():
        assert retry(2)(failing([OSError("once")]))("fine") == "fine"


    def test_last_error():
        with pytest.raises(OSError, match="two"):
            retry(2)(failing([OSError("one"), OSError("two"), OSError("three")]))(1)


    def test_only_some():
        call = retry(3, only=OSError)(failing([KeyError("k"), OSError("o")]))
        with pytest.raises(KeyError):
            call(1)


    def test_keeps_its_name():
        @retry(1)
        def greet():
            "Says hello."

        assert (greet.__name__, greet.__doc__) == ("greet", "Says hello.")
    """,
    wrong="""
    def retry(times, only=Exception):
        def decorate(function):
            def again(*args, **kwargs):
                for _ in range(times + 1):
                    try:
                        return function(*args, **kwargs)
                    except only as error:
                        last = error
                raise last

            return again

        return decorate
    """,
    right="""
    import functools


    def retry(times, only=Exception):
        def decorate(function):
            @functools.wraps(function)
            def again(*args, **kwargs):
                for left in reversed(range(times)):
                    try:
                        return function(*args, **kwargs)
                    except only:
                        if not left:
                            raise

            return again

        return decorate
    """,
)
RUNNING = (WINDOWS, LIMITED, RETRY)
