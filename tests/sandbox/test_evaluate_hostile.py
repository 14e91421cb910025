"""Candidates may do anything: it ends them, and neither the evaluation nor the box, and convinces nobody."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from boxes import Files, Rig
from untilgreen_sandbox.box import Box, RunRequest
from untilgreen_sandbox.evaluation import Candidate, Evaluation, EvaluationRequest

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt, pytest.mark.timeout(180)]

CODE = """\
import os

SEEN = []
TABLE = {}

def plain(n):
    return n - 1

def remembered(n):
    if n not in TABLE:
        TABLE[n] = n * n + 1
    return TABLE[n]
"""
TESTS = """\
import code_too

def test_plain():
    assert code_too.plain(1) == 2

def test_good():
    assert code_too.SEEN == []

def test_remembered():
    assert code_too.remembered(3) == 9
"""
FILES: Files = {"code_too.py": CODE, "test_it.py": TESTS}
FAILING, PASSING = ("test_it.py::test_plain",), ("test_it.py::test_good",)
RIGHT = Candidate("code_too.py", "plain", 6, "def plain(n):\n    return n + 1\n")

WRONG = {
    "exits": ("crashed", "os._exit(0)"),
    "leaves": ("failed", "raise SystemExit(0)"),
    "is killed": ("crashed", "os.kill(os.getpid(), 9)"),
    "is killed with its group": ("crashed", "os.kill(0, 9)"),
    "breaks the interpreter": ("crashed", "import ctypes; ctypes.string_at(0)"),
    "never ends": ("timeout", "while True: pass"),
    "never ends and catches all": (
        "timeout",
        "while True:\n        try:\n            while True: pass\n        except BaseException: pass",
    ),
    "switches the clock off": (
        "timeout",
        "import signal; signal.setitimer(signal.ITIMER_PROF, 0)\n    while True: pass",
    ),
    "never ends in C": ("timeout", "return sum(range(10 ** 12))"),
    "sleeps": ("timeout", "import time; time.sleep(600)"),
    "calls itself": ("failed", "return plain(n)"),
    "calls itself for long": ("failed", "import sys; sys.setrecursionlimit(3000)\n    return plain(n)"),
    "takes memory at once": ("failed", "return [0] * 10 ** 10"),
    "forks": ("failed", "os.fork()\n    return n + 1"),
    "forks behind our back": ("failed", "import ctypes; ctypes.CDLL(None).fork()\n    return n - 1"),
    "starts a program": ("failed", "import subprocess; subprocess.run(['true'])\n    return n + 1"),
    "leaves a thread": (
        "failed",
        "import threading, time; threading.Thread(target=time.sleep, args=(600,)).start()\n    return n + 1",
    ),
    "writes into the tree": ("failed", "open('left.txt', 'w').close()\n    return n + 1"),
    "rewrites the tests": ("failed", "open('test_it.py', 'w').close()\n    return n + 1"),
    "removes the tests": ("failed", "os.remove('test_it.py')\n    return n + 1"),
    "skips the test": ("failed", "import pytest; pytest.skip('no')"),
    "ends the session": ("failed", "import pytest; pytest.exit('no')"),
    "interrupts": ("failed", "raise KeyboardInterrupt"),
    "prints": ("failed", "print('x' * 10 ** 6); os.write(1, b'x' * 10 ** 5); os.write(2, b'y')"),
    "closes everything": ("failed", "os.closerange(0, 1000)"),
    "leaves what another test sees": ("failed", "SEEN.append(n)\n    return n + 1"),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def code(shared_rig: Rig) -> AsyncIterator[Box]:
    async with shared_rig.box(FILES) as box:
        yield box


def plain(body: str) -> Candidate:
    return Candidate("code_too.py", "plain", 6, f"def plain(n):\n    {body}\n")


async def evaluated(box: Box, *candidates: Candidate, **more: float) -> Evaluation:
    request = RunRequest(("test_it.py",))
    wanted = EvaluationRequest(candidates, FAILING, PASSING, **more)  # type: ignore[arg-type]
    return await box.evaluate(request, wanted)


async def assert_honest(box: Box) -> None:
    report = await box.run(RunRequest(("test_it.py",)))
    assert report.ended == "finished"
    assert [case.outcome for case in report.cases] == ["failed", "passed", "failed"]


async def test_whatever_a_candidate_does_it_is_alone(code: Box) -> None:
    rest = [plain(body) for _, body in WRONG.values()]
    # Between good ones, so that what one leaves behind would be seen in the next.
    told = await evaluated(code, RIGHT, *rest, plain("return 1 + n"), seconds=60)
    assert told.problems == ()
    hows = {name: one.how for name, one in zip(WRONG, told.tried[1:-1], strict=True)}
    assert hows == {name: how for name, (how, _) in WRONG.items()}
    assert (told.tried[0].how, told.tried[-1].how) == ("plausible", "plausible")
    await assert_honest(code)


async def test_memory_that_grows_ends_the_candidate_alone(code: Box) -> None:
    eats = plain("found = []\n    while True: found.append(bytearray(1 << 22))")
    told = await evaluated(code, eats, RIGHT, seconds=30, test_seconds=2.0)
    assert told.tried[0].how in ("failed", "timeout", "crashed")
    assert told.tried[1].how == "plausible"
    await assert_honest(code)


async def test_what_is_left_in_memory_is_seen_and_undone(code: Box) -> None:
    """Each candidate fills a table that the next one would believe."""
    line = CODE.splitlines().index("def remembered(n):") + 1
    source = "".join(CODE.splitlines(keepends=True)[line - 1 :])
    bodies = ["n * n - 1", "n * n + 2", "n + n", "n * n", "n ** 3", "n ** 2", "n * n * 1 + 0 * n"]
    candidates = tuple(
        Candidate("code_too.py", "remembered", line, source.replace("n * n + 1", body)) for body in bodies
    )
    wanted = EvaluationRequest(candidates, ("test_it.py::test_remembered",), PASSING)
    told = await code.evaluate(RunRequest(("test_it.py",)), wanted)
    hows = [one.how for one in told.tried]
    assert hows == ["failed", "failed", "failed", "plausible", "failed", "plausible", "plausible"]


FORGED = """\
import json
    line = json.dumps({"ev": "tried", "results": [[0, "plausible", 1, None, "", "", 0]]}) + "\\n"
    for fd in range(3, 1000):
        try: os.write(fd, %s)
        except OSError: pass
    for fd in range(3, 64):
        try:
            with open("/proc/%%d/fd/%%d" %% (os.getppid(), fd), "wb") as file: file.write(%s)
        except OSError: pass
    %s
"""


@pytest.mark.parametrize(
    "said",
    [
        "line.encode()",
        'b\'{"ev": "tried", "results": [[10**9]]}\\n\'',
        "b'rubbish' * 100",
        "b'\\xff' * 3000000",
    ],
)
async def test_what_a_candidate_says_is_at_worst_a_wrong_hint(code: Box, said: str) -> None:
    for end in ("return 0", "os.kill(os.getppid(), 9)"):
        told = await evaluated(code, plain(FORGED % (said, said, end)), RIGHT, seconds=10)
        assert len(told.tried) == 2
        assert told.tried[1].how in ("plausible", "untried")
        if told.tried[1].how == "untried":
            assert told.problems
    await assert_honest(code)


async def test_one_that_ends_its_parent_leaves_the_rest_untried(code: Box) -> None:
    told = await evaluated(code, plain("os.kill(os.getppid(), 9)"), RIGHT)
    assert [one.how for one in told.tried] == ["untried", "untried"]
    assert "ended early (killed)" in told.problems[0]
    await assert_honest(code)


async def test_time_is_kept(code: Box) -> None:
    endless = [plain(f"while True: n = {k}") for k in range(200)]
    told = await evaluated(code, *endless, RIGHT, seconds=0.5)
    hows = {one.how for one in told.tried}
    assert hows == {"timeout", "untried"}
    assert told.tried[-1].how == "untried"
    assert told.cpu_seconds < 1.5
