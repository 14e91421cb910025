"""A small project with one of everything that versions of Python trace differently, or once did."""

from __future__ import annotations

FILES: dict[str, str | bytes | None] = {
    "pkg/__init__.py": "",
    "pkg/deco.py": """
import functools
def twice(f):
    @functools.wraps(f)
    def inner(*a, **k):
        return 2 * f(*a, **k)
    return inner
""",
    "pkg/core.py": """
from pkg.deco import twice

LIMIT = [n
         for n in range(3)]

class Thing:
    '''doc'''
    kind = 'x'

    def __init__(self, a,
                 b=2):
        self.a = a
        self.b = b

    @property
    def total(self):
        return (self.a +
                self.b)

    @classmethod
    def make(cls): return cls(1)

@twice
def doubled(x):
    return x

def many(n):
    out = []
    for i in range(n):
        if i % 2:
            continue
        else:
            out.append(i)
    while True:
        n -= 1
        if n < 0:
            break
    else:
        pass
    try:
        try:
            1 / 0
        except ZeroDivisionError as e:
            out.append(-1)
        finally:
            out.append(-2)
        raise KeyError(
            'x')
    except KeyError:
        pass
    with open('/dev/null') as f, \\
            open('/dev/null') as g:
        out.append(len(f.read()))
    got = {k: v
           for k, v in zip('ab', out)
           if v >= 0}
    total = sum(x
                for x in out)
    fn = lambda q: (
        q + 1)
    assert fn(1) == 2, \\
        'no'
    return [
        *out,
        total,
        got,
    ]

def gen(n):
    for i in range(n):
        yield i
    return 'done'

async def later(x):
    async def inner():
        return x
    return await inner()

def bad(x):
    if x:
        try:
            raise ValueError(x)
        finally:
            y = 1
    return None

def matching(x):
    match x:
        case [a, b]:
            return a
        case {'k': v}:
            return v
        case _:
            return None

def lazy():
    from pkg import slow
    return slow.value()
""",
    "pkg/slow.py": """
def compute():
    return 5
VALUE = compute()
def value():
    return VALUE and compute()
""",
    "test_a.py": """
import asyncio, subprocess, threading, sys
import pytest
from pkg import core

@pytest.fixture(scope='session')
def thing():
    return core.Thing.make()

def test_thing(thing):
    assert thing.total == 3

def test_thing_again(thing):
    assert thing is not None

def test_many():
    assert core.many(4)

def test_gen():
    assert list(core.gen(3)) == [0, 1, 2]

def test_later():
    assert asyncio.run(core.later(3)) == 3

def test_bad():
    core.bad('why')

def test_match():
    assert core.matching([1, 2]) == 1
    assert core.matching({'k': 1}) == 1

def test_lazy():
    assert core.lazy() == 5

def test_lazy_again():
    assert core.lazy() == 5

def test_child():
    subprocess.run(['true'])

def test_thread():
    t = threading.Thread(target=core.doubled, args=(2,)); t.start(); t.join()
""",
}
