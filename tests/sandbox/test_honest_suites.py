"""What honest test suites do must work: both boxes, one run, one outcome for each thing."""

from __future__ import annotations

import pytest
import pytest_asyncio

from boxes import Rig, only, run
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.report import Report

pytestmark = pytest.mark.asyncio(loop_scope="module")

SOURCE = """\
    import asyncio
    import concurrent.futures
    import getpass
    import http.server
    import multiprocessing
    import os
    import pathlib
    import shutil
    import signal
    import socket
    import sqlite3
    import ssl
    import subprocess
    import sys
    import tempfile
    import threading
    import time
    import urllib.request
    import zoneinfo
    from multiprocessing import shared_memory

    import pytest


    def square(n):
        return n * n


    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1"])
    def test_loopback(host):
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        if ":" in host and not pathlib.Path("/proc/net/if_inet6").exists():
            return  # This kernel has no IPv6 at all.
        with socket.socket(family) as server:
            server.bind((host, 0))
            server.listen()
            with socket.create_connection(server.getsockname()[:2], timeout=5) as client:
                client.sendall(b"hello")
                with server.accept()[0] as peer:
                    assert peer.recv(5) == b"hello"


    def test_http():
        handler = http.server.SimpleHTTPRequestHandler
        with http.server.ThreadingHTTPServer(("localhost", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://localhost:{server.server_port}/test_it.py"
            with urllib.request.urlopen(address, timeout=5) as reply:
                assert b"def test_http" in reply.read()
            server.shutdown()


    def test_unix_socket(tmp_path):
        with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
            server.bind(str(tmp_path / "s"))
            server.listen()
            client.connect(str(tmp_path / "s"))


    def test_asyncio():
        async def both():
            server = await asyncio.start_server(lambda r, w: w.close(), "localhost", 0)
            async with server:
                port = server.sockets[0].getsockname()[1]
                reader, writer = await asyncio.open_connection("localhost", port)
                assert await reader.read() == b""
                writer.close()
            process = await asyncio.create_subprocess_exec(sys.executable, "-c", "print(6*7)", stdout=-1)
            assert (await process.communicate())[0] == b"42\\n"
        asyncio.run(both())


    @pytest.mark.parametrize("place", [":memory:", "file"])
    def test_sqlite(place, tmp_path):
        with sqlite3.connect(place if place == ":memory:" else tmp_path / "db") as db:
            db.execute("create table t (n)")
            db.execute("insert into t values (42)")
            assert db.execute("select n from t").fetchall() == [(42,)]
        db.close()


    def test_child():
        out = subprocess.run([sys.executable, "-c", "import sys; print(sys.prefix)"],
                             capture_output=True, text=True, check=True)
        assert out.stdout.strip() == sys.prefix


    def test_shell():
        assert subprocess.check_output("echo $((6 * 7)) | cat", shell=True) == b"42\\n"


    def test_pool():
        with multiprocessing.Pool(2) as pool:
            assert pool.map(square, [1, 2, 3]) == [1, 4, 9]


    def test_spawn():
        with concurrent.futures.ProcessPoolExecutor(
            1, mp_context=multiprocessing.get_context("spawn")
        ) as pool:
            assert pool.submit(square, 4).result(timeout=30) == 16


    def test_manager_and_locks():
        with multiprocessing.Manager() as manager:
            assert list(manager.list([1])) == [1]
        assert multiprocessing.Lock().acquire(timeout=1)


    def test_shared_memory():
        memory = shared_memory.SharedMemory(create=True, size=100)
        memory.buf[0] = 7
        memory.close()
        memory.unlink()


    def test_threads():
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            assert sum(pool.map(square, range(100))) == 328350


    def test_tmp_path(tmp_path):
        (tmp_path / "a" / "b").mkdir(parents=True)
        (tmp_path / "link").symlink_to("a")
        assert (tmp_path / "link" / "b").is_dir()
        assert not tmp_path.is_relative_to(pathlib.Path.cwd())


    def test_program_in_tmp(tmp_path):
        program = tmp_path / "program"
        program.write_text("#!/bin/sh\\nexit 3\\n")
        program.chmod(0o755)
        assert subprocess.run([program]).returncode == 3


    def test_tempfile():
        with tempfile.NamedTemporaryFile() as file:
            file.write(b"x")
        shutil.rmtree(tempfile.mkdtemp())


    def test_write_beside_the_code():
        pathlib.Path("made").mkdir()
        pathlib.Path("made/file").write_text("x")
        pathlib.Path("test_it.py").touch()


    def test_home_is_empty_and_writable():
        home = pathlib.Path.home()
        assert list(home.iterdir()) == []
        (home / ".config").mkdir()


    def test_user():
        assert getpass.getuser() == "untilgreen"


    def test_signals_and_alarm():
        seen = []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        deadline = time.monotonic() + 5
        while not seen:
            assert time.monotonic() < deadline
        os.kill(os.getpid(), 0)


    def test_zone_and_certificates():
        assert zoneinfo.ZoneInfo("UTC").key == "UTC"
        ssl.create_default_context()


    def test_utf8():
        assert sys.getfilesystemencoding() == "utf-8"
        pathlib.Path("ä 日本.txt").write_text("ß", encoding="utf-8")
        assert "ä 日本.txt" in os.listdir()


    def test_devices():
        assert open("/dev/null").read() == ""
        assert len(open("/dev/urandom", "rb").read(4)) == 4
        with open("/dev/zero", "rb") as zero:
            assert zero.read(1) == b"\\0"


    def test_terminal():
        import pty
        leader, follower = pty.openpty()
        os.write(follower, b"x")
        assert os.read(leader, 1) == b"x"


    def test_stdin_is_empty():
        assert os.read(0, 1) == b""
    """
NAMES = [line.split("def ")[1].split("(")[0] for line in SOURCE.splitlines() if "    def test_" in line]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(box: Box) -> Report:
    return await run(box, {"test_it.py": SOURCE}, "test_it.py", arguments=("-p", "no:faulthandler"))


@pytest.mark.parametrize("name", NAMES)
async def test_works(report: Report, name: str) -> None:
    assert report.ended == "finished", report.detail
    cases = [case for case in report.cases if case.id.split("::")[1].split("[")[0] == name]
    assert cases
    assert not [(case.id, case.message) for case in cases if case.outcome != "passed"]


LAYOUT = {
    "src/shop/__init__.py": "from shop.cart import total\n",
    "src/shop/cart.py": "def total(prices):\n    return sum(prices)\n",
    "lib/extra.py": "VALUE = 5\n",
    "tests/test_shop.py": """\
        import extra
        from helpers import three
        from shop import total

        def test_total():
            assert total([1, 2]) == three() == extra.VALUE - 2
        """,
    "tests/helpers.py": "def three():\n    return 3\n",
}


async def test_import_roots(shared_rig: Rig) -> None:
    async with shared_rig.box(LAYOUT, import_roots=("src", "lib", "")) as box:
        assert only(await run(box)).outcome == "passed"


async def test_the_configuration_file_is_read_and_named(box: Box) -> None:
    files = {
        "test_honest.py": None,
        "checks/check_it.py": "import os\ndef check_a(): pass\ndef test_b(): assert False\n",
        "pytest.ini": "[pytest]\npython_files = check_*.py\npython_functions = check_*\ntestpaths = checks\n",
    }
    report = await run(box, files)
    assert report.outcomes() == {"checks/check_it.py::check_a": "passed"}
    assert report.config_file == "pytest.ini"
    toml = '[tool.pytest.ini_options]\npython_functions = ["check_*"]\npython_files = ["check_*.py"]\n'
    files = {**files, "pytest.ini": None, "config/pyproject.toml": toml}
    report = await run(box, files, "checks/check_it.py", config_file="config/pyproject.toml")
    assert report.outcomes() == {"checks/check_it.py::check_a": "passed"}
    assert report.config_file == "config/pyproject.toml"
    assert (await run(box, {"test_it.py": "def test_a(): pass\n"}, "test_it.py")).config_file == ""


@pytest.mark.parametrize(
    "name", ["random.py", "typing.py", "pytest.py", "_pytest/__init__.py", "json/__init__.py", "pluggy.py"]
)
async def test_a_file_named_like_a_module_does_not_take_over(box: Box, name: str) -> None:
    stem = name.split("/")[0].removesuffix(".py")
    files = {
        name: "import os\nos._exit(0)\n",
        "test_it.py": f"import {stem}\ndef test_a():\n    assert 'project' not in {stem}.__file__ and 0\n",
    }
    report = await run(box, files, "test_it.py")
    assert only(report).outcome == "failed"
    assert "and 0)" in only(report).message


async def test_a_file_does_not_hide_the_standard_library(box: Box) -> None:
    """pytest itself puts a test's own folder first, as it does everywhere; other folders come after."""
    files = {
        "colorsys.py": "import os\nos._exit(0)\n",
        "checks/test_it.py": "import colorsys, honest\n\ndef test_a():\n    assert colorsys.rgb_to_hsv\n",
    }
    assert only(await run(box, files, "checks/test_it.py")).outcome == "passed"


async def test_files_that_python_runs_at_its_start_are_not_run(box: Box) -> None:
    evil = "import os\nos._exit(0)\n"
    files = {
        "sitecustomize.py": evil,
        "usercustomize.py": evil,
        "evil.pth": "import os; os._exit(0)\n",
        "test_it.py": "def test_a(): assert 0\n",
    }
    assert only(await run(box, files, "test_it.py")).outcome == "failed"
