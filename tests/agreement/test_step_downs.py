"""What a fork cannot share comes after the checkpoint, or there is no checkpoint and the reason is told."""

from __future__ import annotations

import pytest

from agreement.compared import difference, facts_of
from boxes import Files, Rig, run
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.report import Report

CODE = {"code_under.py": "N = 1\n", "size.txt": "1"}
CHANGED = {"code_under.py": "N = 2\n"}
TEST = """\
    import conftest, code_under

    def test_found():
        assert (conftest.FOUND, code_under.N) == 0
"""
LIBC = "import ctypes\nlibc = ctypes.CDLL(None)\n"
# Done where the interpreter does not see it, and found before the fork.
REFUSED = {
    "threads are running": LIBC
    + "libc.pthread_create(ctypes.byref(ctypes.c_ulong()), None, libc.pause, None)\nFOUND = 1\n",
    "a socket is open": "import socket\nKEPT = socket.socketpair()\nFOUND = len(KEPT)\n",
    "memory is shared": LIBC
    + "libc.mmap.restype = ctypes.c_void_p\nFOUND = libc.mmap(None, 4096, 3, 0x21, -1, 0) is not None\n",
    "a child process is running": LIBC + "if libc.fork() == 0:\n    libc.pause()\nFOUND = 1\n",
    "gevent is imported": "import gevent\nFOUND = gevent.HERE\n",
}
# Told by an event, so that the process waits before it.
EARLIER = {
    "write ": "FOUND = open('made.txt', 'w').write('text')\n",
    "tempfile.mkdtemp": "import os, tempfile\nFOUND = os.listdir(tempfile.mkdtemp())\n",
    "socket.__new__": "import socket\nKEPT = socket.socket()\nFOUND = KEPT.type\n",
    "subprocess.Popen": "import subprocess\nFOUND = subprocess.check_output(['echo', 'said'])\n",
    "mmap.__new__": "import mmap\nKEPT = mmap.mmap(-1, 4096)\nKEPT[:2] = b'ab'\nFOUND = KEPT[:2]\n",
    "": "import multiprocessing\nKEPT = multiprocessing.Value('i', 3)\nFOUND = KEPT.value\n",
    "sqlite3.connect": """
        import sqlite3
        KEPT = sqlite3.connect(":memory:")
        FOUND = KEPT.execute("select 5").fetchone()
    """,
    "write /tmp/said.log": """
        import logging
        logging.basicConfig(filename="/tmp/said.log")
        logging.error("said")
        FOUND = open("/tmp/said.log").read()
    """,
}


def project(conftest: str) -> Files:
    return {**CODE, "conftest.py": conftest, "gevent.py": "HERE = 5\n", "test_it.py": TEST}


async def both(box: Box, files: Files, **request: float) -> tuple[Report, Report]:
    cold = await run(box, files, rung="cold")
    return cold, await run(box, files, rung="checkpoint", **request)


def assert_same(cold: Report, warm: Report) -> None:
    assert facts_of(cold) == facts_of(warm), difference(facts_of(cold), facts_of(warm))
    assert [case.outcome for case in cold.cases] == ["failed"], cold.output.head


@pytest.mark.dealt
@pytest.mark.parametrize("reason", REFUSED)
async def test_refused(rig: Rig, reason: str) -> None:
    async with rig.box(project(REFUSED[reason])) as box:
        for _ in range(2):
            cold, warm = await both(box, CHANGED)
            assert (warm.rung, warm.rung_reason) == ("cold", reason)
            assert_same(cold, warm)


@pytest.mark.dealt
@pytest.mark.parametrize("where", EARLIER)
async def test_earlier(rig: Rig, where: str) -> None:
    async with rig.box(project(EARLIER[where])) as box:
        for _ in range(2):
            cold, warm = await both(box, CHANGED)
            assert warm.rung == "checkpoint"
            assert warm.rung_reason.startswith(where) and "code_under" not in warm.rung_reason
            assert_same(cold, warm)


@pytest.mark.dealt
@pytest.mark.parametrize("stays", [False, True])
async def test_threads(rig: Rig, stays: bool) -> None:
    """Newer versions of Python tell of a thread before it starts; with older ones it is there, or gone."""
    target = "threading.Event().wait" if stays else "int"
    start = f"T = threading.Thread(target={target}, daemon=True)\nT.start()\n"
    end = "" if stays else "T.join()\n"
    async with rig.box(project(f"import threading\n{start}{end}FOUND = T.name\n")) as box:
        cold, warm = await both(box, CHANGED)
        seen = ("cold", "threads are running") if stays else ("checkpoint", "import code_under")
        told = ("checkpoint", "_thread.start_new_thread"), ("checkpoint", "_thread.start_joinable_thread")
        assert (warm.rung, warm.rung_reason) in (seen, *told)
        assert_same(cold, warm)


@pytest.mark.dealt
@pytest.mark.parametrize(
    ("does", "reason"),
    [
        ("time.sleep(1000)", "it did not come so far in time"),
        ("os.abort()", "it ended on its way"),
        ("os._exit(0)", "it ended on its way"),
        ("raise OSError", "it ended on its way"),
    ],
)
async def test_a_template_that_does_not_arrive(rig: Rig, does: str, reason: str) -> None:
    """Only with the user's own files, whose size it asks for; the candidate's make it go on."""
    conftest = f"import os, time\nFOUND = os.path.getsize('size.txt')\nif FOUND < 2:\n    {does}\n"
    async with rig.box(project(conftest)) as box:
        cold, warm = await both(box, {**CHANGED, "size.txt": "more"}, seconds=4.0)
        assert (warm.rung, warm.rung_reason) == ("cold", reason)
        assert_same(cold, warm)


@pytest.mark.dealt
async def test_a_pytest_that_is_made_in_another_way(rig: Rig) -> None:
    """What is prepared with the help of its inner parts is left to each run; the checkpoint needs none."""
    conftest = """
        import sys
        for one in sys.meta_path:
            if type(one).__name__ == "AssertionRewritingHook":
                type(one).__name__ = "Other"
        FOUND = 1
    """
    async with rig.box(project(conftest)) as box:
        for _ in range(2):
            cold, warm = await both(box, CHANGED)
            assert (warm.rung, warm.rung_reason) == ("checkpoint", "import code_under")
            assert_same(cold, warm)


async def test_a_test_cannot_end_the_template(rig: Rig) -> None:
    code = (
        "import os\nN = 1\ntry:\n    os.kill(os.getppid(), 9)\nexcept PermissionError:\n    N = 'refused'\n"
    )
    async with rig.box(project("FOUND = 1\n")) as box:
        for _ in range(3):
            warm = await run(box, {"code_under.py": code}, rung="checkpoint")
            assert (warm.rung, warm.ended) == ("checkpoint", "finished")
            assert "(1, 'refused')" in warm.cases[0].message


async def test_a_crowd_takes_the_template_with_it(rig: Rig) -> None:
    """More processes than can be ended one by one: the next run is cold, the one after it is warm again."""
    crowd = "import os\nN = 2\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    async with rig.box(project("FOUND = 1\n"), processes=60) as box:
        assert (await run(box, CHANGED, rung="checkpoint")).rung == "checkpoint"
        await run(box, {"code_under.py": crowd}, rung="cold", seconds=2.0)
        rungs = []
        for _ in range(2):
            cold, warm = await both(box, CHANGED)
            assert_same(cold, warm)
            rungs.append((warm.rung, warm.rung_reason))
        assert rungs[0] in (("cold", "the process to fork from was lost"), rungs[1])
        assert rungs[1] == ("checkpoint", "import code_under")
