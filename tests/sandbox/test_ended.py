"""How a run ended, and what is kept of its output."""

from __future__ import annotations

import pytest

from boxes import Rig, assert_honest, only, run, run_one
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.report import Ended

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

ENDINGS: dict[str, tuple[str, Ended, str]] = {
    "exit 0 in a test": (
        """\
        import os
        def test_a():
            pass
        def test_b():
            os._exit(0)
        """,
        "crashed",
        "the test process exited with code 0 before the session was finished"
        " while test_it.py::test_b was running",
    ),
    "exit 0 at import": (
        "import os\nos._exit(0)\n",
        "crashed",
        "the test process exited with code 0 before the session was finished",
    ),
    "exit 0 after the session": (
        "import atexit, os\natexit.register(os._exit, 0)\ndef test_a(): assert False\n",
        "crashed",
        "the session finished with 1, but the process exited with 0",
    ),
    "exit 0 at the end of the session": (
        """\
        import os, threading
        def test_a():
            main = threading.main_thread()
            threading.Thread(target=lambda: (main.join(), os._exit(0))).start()
            assert False
        """,
        "crashed",
        "the session finished with 1, but the process exited with 0",
    ),
    "pytest.exit": (
        "import pytest\ndef test_a(): pytest.exit('enough', returncode=0)\ndef test_b(): assert False\n",
        "finished",
        "",
    ),
    "keyboard interrupt": (
        "def test_a(): raise KeyboardInterrupt\n",
        "crashed",
        "pytest stopped with exit code 2",
    ),
    "segmentation fault": (
        "import ctypes\ndef test_a(): ctypes.string_at(0)\n",
        "crashed",
        "the test process was ended by SIGSEGV while test_it.py::test_a was running",
    ),
    "abort": (
        "import os\ndef test_a(): os.abort()\n",
        "crashed",
        "the test process was ended by SIGABRT while test_it.py::test_a was running",
    ),
    "kill": (
        "import os\ndef test_a(): os.kill(os.getpid(), 9)\n",
        "killed",
        "the test process was ended by SIGKILL while test_it.py::test_a was running",
    ),
    "terminate": (
        "import os\ndef test_a(): os.kill(os.getpid(), 15)\n",
        "killed",
        "the test process was ended by SIGTERM while test_it.py::test_a was running",
    ),
    "another program": (
        "import os\ndef test_a(): os.execv('/bin/true', ['true'])\n",
        "crashed",
        "the test process exited with code 0 before the session was finished"
        " while test_it.py::test_a was running",
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
async def test_ended(box: Box, name: str) -> None:
    source, ended, detail = ENDINGS[name]
    report = await run_one(box, source)
    assert (report.ended, report.detail) == (ended, detail)
    assert report.faults(["test_it.py::test_a", "test_it.py::test_b"]), "none of them is green"


async def test_tests_before_the_end_are_kept(box: Box) -> None:
    report = await run_one(box, ENDINGS["exit 0 in a test"][0])
    assert report.outcomes() == {"test_it.py::test_a": "passed"}
    assert report.planned == ("test_it.py::test_a", "test_it.py::test_b")


@pytest.mark.parametrize(
    "source",
    [
        "def test_a():\n    while True: pass\n",
        "import time\nwhile True: time.sleep(9)\n",
        # Deaf to everything that can be ignored, and its child as well.
        """\
        import os, signal, time
        def test_a():
            for number in range(1, 65):
                try: signal.signal(number, signal.SIG_IGN)
                except (OSError, ValueError): pass
            os.fork()
            while True: time.sleep(9)
        """,
        # The first thread leaves, another one stays.
        """\
        import ctypes, threading, time
        def test_a():
            threading.Thread(target=time.sleep, args=(600,)).start()
            ctypes.CDLL(None).syscall(60, 0)
        """,
    ],
    ids=["in a test", "at import", "deaf", "first thread gone"],
)
async def test_timeout(box: Box, source: str) -> None:
    report = await run_one(box, source, seconds=1)
    assert report.ended == "timeout"
    assert report.detail.startswith("the time limit was reached")
    assert 1 <= report.seconds < 6
    assert report.faults(["test_it.py::test_a"])


MANY_AND_ONE_ENDLESS = """\
import time

time.sleep(2)  # No test yet.


def test_a(): time.sleep(1)
def test_b(): time.sleep(1)
def test_c(): time.sleep(1)
def test_d():
    while True: pass
"""


async def test_one_test_may_not_take_all_the_time(box: Box) -> None:
    report = await run_one(box, MANY_AND_ONE_ENDLESS, seconds=100, one_test=1.8)
    assert report.ended == "timeout"
    assert report.detail.endswith("while test_it.py::test_d was running")
    assert [case.id.rpartition("::")[2] for case in report.cases] == ["test_a", "test_b", "test_c"]
    assert report.seconds < 60


async def test_no_test_at_all_is_finished_and_not_green(box: Box) -> None:
    report = await run(box, {"test_honest.py": "x = 1\n"})
    assert (report.ended, report.cases, report.planned) == ("finished", (), ())
    assert report.faults([]) == ("no test was run",)


async def test_output_is_capped_with_a_flag_and_the_run_goes_on(box: Box) -> None:
    source = """\
        import os, sys
        def test_a():
            os.write(1, b"first %d\\n" % 1)
            for _ in range(3000): os.write(1, b"x" * 999 + b"\\n")
            sys.stderr.write("last %d\\n" % 1)
            raise ValueError("reached")
        """
    report = await run_one(box, source, arguments=("-s",))
    assert only(report).message == "reached"
    output = report.output
    assert output.capped
    assert "first 1" in output.head and "first 1" not in output.tail
    assert "last 1" in output.tail
    assert len(output.head) == len(output.tail) == 128 << 10
    assert output.dropped + (256 << 10) > 3_000_000


async def test_output_may_be_larger_than_a_frame(rig: Rig) -> None:
    source = """\
        import os
        def test_a():
            for n in range(14 << 10): os.write(1, b"%9d" % n + b"\\xff" * 1014 + b"\\n")
        """
    async with rig.box(output_kb=20 << 10) as box:
        report = await run_one(box, source, arguments=("-s",))
        assert only(report).outcome == "passed"
        assert report.output.dropped == 0
        assert (report.output.head + report.output.tail).count("\ufffd") == (14 << 10) * 1014


async def test_little_output_is_whole(box: Box) -> None:
    report = await run_one(box, "def test_a(): print('näh')\n", arguments=("-s",))
    assert "näh" in report.output.head
    assert (report.output.tail, report.output.capped) == ("", False)


async def test_output_and_messages_are_cleaned(box: Box) -> None:
    source = r"""
        import os
        def test_a():
            os.write(1, b"\x1b]52;c;ZXZpbA==\x07\x1b[31mred\x1b[0m\xff\x00 " + "\u202eback\u200b".encode())
            raise ValueError("\x1b]0;title\x07 \u202e \x9b31m \ud800 end")
        """
    report = await run_one(box, source, arguments=("-s",))
    assert "red\ufffd\\x00 \\u202eback\\u200b" in report.output.head
    assert only(report).message == " \\u202e  \\ud800 end"
    for text in (report.output.head, only(report).message):
        assert not set(text) & set("\x1b\x9b\x07\x00\u202e\u200b")
        text.encode("utf-8")


async def test_the_box_is_still_right(box: Box) -> None:
    await assert_honest(box)


async def test_memory(rig: Rig) -> None:
    # Pages shared with a child are not the process's own data.
    source = """\
        import mmap
        def test_a():
            held = []
            while True:
                held.append(mmap.mmap(-1, 1 << 24))
                held[-1].write(b"x" * (1 << 24))
        """
    own_data = "def test_a():\n    held = bytearray(1 << 30)\n"
    async with rig.box(memory_mb=150, disk_mb=50) as box:
        report = await run_one(box, own_data)
        assert only(report).message == "MemoryError"
        report = await run_one(box, source, seconds=30)
        assert report.ended == "oom"
        assert report.detail == "the memory limit was reached while test_it.py::test_a was running"
        report = await run_one(box, "def test_a(): pass\n")
        assert only(report).outcome == "passed"
