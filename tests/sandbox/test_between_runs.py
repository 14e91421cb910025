"""Nothing of one run reaches the next: not its overlay, not its files, not its processes."""

from __future__ import annotations

import asyncio
import venv

import pytest

from boxes import HONEST, Rig, assert_honest, changes, environment_at, only, put, run, run_one
from untilgreen_sandbox.box import Box, Change, RunRequest
from untilgreen_sandbox.errors import BoxLost, SandboxError

pytestmark = pytest.mark.asyncio(loop_scope="module")

TREE = {
    "code.py": "VALUE = 1\n",
    "test_tree.py": """\
        import hashlib
        import os
        import stat

        from code_of import code

        def listed():
            found = []
            for folder, folders, files in os.walk("."):
                for name in {*folders, *files} - {"test_vandal.py"}:
                    path = os.path.join(folder, name)
                    info = os.lstat(path)
                    content = open(path, "rb").read() if stat.S_ISREG(info.st_mode) else b""
                    found.append((path, stat.S_IFMT(info.st_mode), content))
            return sorted(found)

        def test_tree():
            raise ValueError(hashlib.sha256(repr(listed()).encode()).hexdigest())
        """,
    "code_of.py": "import importlib\ncode = importlib.import_module('code')\n",
    "data/a/b.txt": "b\n",
    "data/a/c.txt": "c\n",
    "data/empty.txt": "",
    "data/large.bin": b"\0" * 3_000_000,
    "tool.sh": "#!/bin/sh\n",
}
VANDALS = {
    "writes": "open('data/a/b.txt', 'w').write('evil')",
    "appends": "open('data/empty.txt', 'a').write('evil')",
    "rewrites with the same size and time": """
    info = os.stat('data/a/b.txt')
    open('data/a/b.txt', 'r+').write('x')
    os.utime('data/a/b.txt', ns=(info.st_atime_ns, info.st_mtime_ns))""",
    "writes through a mapping": """
    import mmap
    with open('data/large.bin', 'r+b') as file, mmap.mmap(file.fileno(), 0) as mapped:
        before = os.stat('data/large.bin').st_ctime_ns
        assert mapped[2_999_999] == 0
        mapped[2_999_999] = 1
        assert os.stat('data/large.bin').st_ctime_ns == before, 'the trick this is about'""",
    "deletes": "shutil.rmtree('data'); os.unlink('code_of.py')",
    "changes modes": """
    os.chmod('data/a', 0)
    os.chmod('tool.sh', 0o777)
    os.chmod('code_of.py', 0)""",
    "hides a folder": "os.makedirs('data/x/y/z'); open('data/x/y/f', 'w'); os.chmod('data/x/y', 0); os.chmod('data', 0)",
    "replaces folders by links": """
    shutil.rmtree('data')
    os.symlink('/usr', 'data')
    os.unlink('tool.sh')
    os.symlink('/etc/passwd', 'tool.sh')""",
    "replaces files by folders": "os.unlink('tool.sh'); os.makedirs('tool.sh/deep'); open('tool.sh/deep/f', 'w')",
    "swaps files": "os.rename('data/a/b.txt', 'x'); os.rename('data/a/c.txt', 'data/a/b.txt'); os.rename('x', 'data/a/c.txt')",
    "moves a folder away": "os.rename('data/a', 'data/z')",
    "litters": """
    os.mkfifo('data/fifo')
    os.symlink('loop', 'loop')
    os.symlink('/', 'data/root')
    os.link('code.py', 'data/hard')
    socket.socket(socket.AF_UNIX).bind('data/socket')
    os.mkdir('.git')
    open('conftest.py', 'w').write('raise SystemExit')
    open('data/\\udcff\\n', 'w').close()""",
    "poisons bytecode": """
    import py_compile
    open('/tmp/evil.py', 'w').write('VALUE = 2')
    import importlib.util
    py_compile.compile('/tmp/evil.py', importlib.util.cache_from_source('code.py'),
                       invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)""",
}


async def digest(box: Box, vandal: str = "pass") -> str:
    """What the tree looks like at the start of a run, at whose end the vandal acts."""
    source = f"import os, shutil, socket\ndef test_vandal():\n    {vandal.strip()}\n"
    report = await run(box, {"test_vandal.py": source})
    tree, acted = report.cases
    assert acted.outcome == "passed", acted.message
    assert tree.failure is not None and tree.failure.type == "ValueError"
    return tree.message


async def test_the_tree_is_pristine_after_every_vandal(shared_rig: Rig) -> None:
    async with shared_rig.box(TREE) as box:
        before = await digest(box)
        await put(box, {"gone/deep/file.txt": "x", "data/gone.txt": "x"})
        assert await digest(box) != before
        await put(box, {"gone/deep/file.txt": None, "data/gone.txt": None})
        last = "nobody"
        for name, vandal in VANDALS.items():
            assert await digest(box, vandal) == before, last
            last = name
        assert await digest(box) == before, last
        mode = "import os\ndef test_it():\n    assert oct(os.stat('tool.sh').st_mode) == '0o100644'\n"
        assert only(await run_one(box, mode)).outcome == "passed"


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
                    found += [os.path.join(place, name) for name in files + folders if name in ("left", "me.txt")]
            assert found == []
            assert os.listdir(os.path.expanduser("~")) == []
        """
    assert only(await run_one(box, leave)).outcome == "passed"
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
            commands = {open(f"/proc/{pid}/comm").read().strip() for pid in os.listdir("/proc") if pid.isdigit()}
            assert "sleep" not in commands
            assert len([pid for pid in os.listdir("/proc") if pid.isdigit()]) <= 3
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
