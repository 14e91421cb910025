"""Nothing of one run reaches the next: not its overlay, not its files, not its processes."""

from __future__ import annotations

import asyncio
import venv

import pytest

from boxes import HONEST, Rig, assert_honest, changes, environment_at, only, put, run, run_one
from untilgreen_sandbox.box import Box, Change, RunRequest
from untilgreen_sandbox.errors import BoxLost, SandboxError

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]


async def test_a_file_can_be_put_again(rig: Rig) -> None:
    async with rig.box(HONEST) as box:
        await put(box, {"honest.py": "def double(n):\n    return 5\n", "new/file.txt": "x"})
        outcomes = (await run(box)).outcomes()
        assert (outcomes["test_honest.py::test_right"], outcomes["test_honest.py::test_wrong"]) == (
            "failed",
            "passed",
        )
        await put(box, {"honest.py": HONEST["honest.py"], "new/file.txt": None})
        outcomes = (await run(box)).outcomes()
        assert (outcomes["test_honest.py::test_right"], outcomes["test_honest.py::test_wrong"]) == (
            "passed",
            "failed",
        )


async def test_a_file_can_be_put_any_number_of_times(rig: Rig) -> None:
    """What it was before is not kept: 400 MB go through a box that holds 200."""
    async with rig.box(HONEST, memory_mb=150, disk_mb=50) as box:
        for n in range(40):
            await put(box, {"large.bin": bytes([n]) * (10 << 20)})
        source = "def test_a():\n    assert set(open('large.bin', 'rb').read()) == {39}\n"
        assert only(await run_one(box, source)).message == ""


async def test_an_overlay_is_for_one_run(box: Box) -> None:
    files = {
        "honest.py": "def double(n):\n    return 5\n",
        "added/deep/file.txt": "x",
        "test_added.py": "def test_added():\n    assert open('added/deep/file.txt').read() == 'x'\n",
        "test_honest.py": None,
    }
    report = await run(box, files)
    assert report.outcomes() == {"test_added.py::test_added": "passed"}
    await assert_honest(box)


async def test_an_overlay_may_turn_a_file_into_a_folder(box: Box) -> None:
    report = await run(box, {"honest.py": None, "honest/__init__.py": "def double(n):\n    return 4\n"})
    assert report.outcomes()["test_honest.py::test_right"] == "passed"
    report = await run(
        box, {"honest.py/x": "", "test_it.py": "def test_a():\n    open('honest.py/x')\n"}, "test_it.py"
    )
    assert only(report).outcome == "passed"
    await assert_honest(box)


async def test_modes(box: Box) -> None:
    script = Change("script", b"#!/bin/sh\nexit 7\n", 0o755)
    source = "import subprocess\ndef test_a():\n    assert subprocess.run(['./script']).returncode == 7\n"
    report = await box.run(RunRequest(ids=("test_it.py",)), (script, *changes({"test_it.py": source})))
    assert only(report).outcome == "passed"


@pytest.mark.parametrize("path", ["../x", "/tmp/x"])
async def test_paths_outside_are_refused_and_nothing_is_half_done(rig: Rig, path: str) -> None:
    async with rig.box(HONEST) as box:
        with pytest.raises(SandboxError, match="not a path inside the workspace"):
            await run(box, {"honest.py": "def double(n):\n    return 5\n", path: "x"})
        # The first change may have been made, so no answer may come from this box again.
        with pytest.raises(BoxLost):
            await run(box)


async def test_a_cancelled_run_cannot_answer_for_a_later_one(rig: Rig) -> None:
    async with rig.box(HONEST) as box:
        task = asyncio.ensure_future(run(box))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        with pytest.raises(BoxLost):
            await run(box, {"honest.py": "def double(n):\n    return 5\n"})


async def test_two_runs_at_a_time_are_refused(rig: Rig) -> None:
    async with rig.box(HONEST) as box:
        first = asyncio.ensure_future(run(box))
        await asyncio.sleep(0)
        with pytest.raises(BoxLost):
            await run(box)
        assert (await first).ended == "finished"
        await assert_honest(box)


async def test_scratch_folders_are_empty_at_the_next_run(box: Box) -> None:
    leave = """\
        import os, tempfile
        def test_a():
            for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
                os.makedirs(folder + "/left/by/me")
                open(folder + "/left/by/me.txt", "w").write("x")
                os.chmod(folder + "/left/by", 0)
        """
    look = """\
        import os
        def test_a():
            found = []
            for folder in ("/tmp", "/var/tmp", "/dev/shm"):
                for place, folders, files in os.walk(folder):
                    found += [f"{place}/{name}" for name in files + folders if name in ("left", "me.txt")]
            assert found == []
            assert os.listdir(os.path.expanduser("~")) == []
        """
    assert only(await run_one(box, leave)).outcome == "passed"
    assert only(await run_one(box, look)).message == ""


async def test_shared_memory_semaphores_and_queues_are_gone(box: Box) -> None:
    leave = """\
        import ctypes, os
        def test_a():
            libc = ctypes.CDLL(None)
            made = libc.shmget(77, 4096, 0o1666), libc.semget(77, 1, 0o1666), libc.msgget(77, 0o1666)
            assert min(made) >= 0
            mq_open = {"x86_64": 240, "aarch64": 180}[os.uname().machine]
            assert libc.syscall(mq_open, b"left", 0o102, 0o666, 0) == -1
            if os.path.isdir("/dev/mqueue"):
                open("/dev/mqueue/left", "w").close()
        """
    look = """\
        import ctypes, os
        def test_a():
            libc = ctypes.CDLL(None)
            assert libc.shmget(77, 0, 0) == libc.semget(77, 0, 0) == libc.msgget(77, 0) == -1
            assert not os.path.exists("/dev/mqueue/left")
        """
    assert only(await run_one(box, leave)).message == ""
    assert only(await run_one(box, look)).message == ""


async def test_a_daemon_does_not_outlive_the_run(box: Box) -> None:
    daemon = """\
        import os, subprocess, sys, time
        def test_a():
            r, w = os.pipe()
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    os.write(w, b"x")
                    while True:
                        for path in ("/tmp/alive", "honest.py", "test_honest.py"):
                            open(path, "a").write("\\nraise SystemExit\\n")
                        time.sleep(0.001)
                os._exit(0)
            os.read(r, 1)
            subprocess.Popen(["sleep", "600"], start_new_session=True)
        """
    look = """\
        import os
        def test_a():
            assert not os.path.exists("/tmp/alive")
            pids = [pid for pid in os.listdir("/proc") if pid.isdigit()]
            assert "sleep" not in {open(f"/proc/{pid}/comm").read().strip() for pid in pids}
            # Processes that wait to be forked have a user of their own.
            mine = [pid for pid in pids if os.stat(f"/proc/{pid}").st_uid == os.getuid()]
            assert mine == [str(os.getpid())]
        """
    report = await run_one(box, daemon)
    assert only(report).outcome == "passed"
    assert report.seconds < 10, "the run does not wait for the pipes that the daemon holds"
    assert only(await run_one(box, look)).message == ""
    await assert_honest(box)


async def test_closing_twice_is_safe_and_a_closed_box_says_so(rig: Rig) -> None:
    async with rig.box(HONEST) as box:
        await box.close()
        with pytest.raises(BoxLost):
            await run(box)
        await box.close()


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_an_environment_in_the_workspace(rig: Rig) -> None:
    """Bubblewrap shows it where it is; in a container there is only the image's Python."""
    folder = rig.root / ".venv"
    venv.create(folder, symlinks=True, with_pip=False)
    site = next(folder.glob("lib/python*/site-packages"))
    (site / "tiny").mkdir()
    (site / "tiny" / "__init__.py").write_text("VALUE = 42\n")
    source = """\
        import os, sys, tiny
        import pytest
        def test_prefix():
            assert sys.prefix == os.path.abspath(".venv") == os.environ["VIRTUAL_ENV"]
            assert sys.executable == os.path.abspath(".venv/bin/python")
            assert tiny.VALUE == 42
        def test_read_only():
            for path in (tiny.__file__, tiny.__file__ + "x", ".venv/x", ".venv/pyvenv.cfg"):
                with pytest.raises(OSError):
                    open(path, "w")
            with pytest.raises(OSError):
                os.rename(".venv", ".gone")
        def test_write_beside():
            open("beside.txt", "w").close()
        """
    files = {"test_it.py": source, "code.py": "x = 1\n"}
    inside = Rig(rig.backend, rig.root, environment_at(folder))
    async with inside.box(files) as box:
        for _ in range(2):
            report = await run(box)
            assert report.ended == "finished"
            assert not report.red, [case.message for case in report.red]
            assert len(report.cases) == 3
    assert (site / "tiny" / "__init__.py").read_text() == "VALUE = 42\n"
    assert sorted(path.name for path in rig.root.iterdir()) == [".venv"]
