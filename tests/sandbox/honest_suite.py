"""What honest test suites do: one test for each thing."""

from __future__ import annotations

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


    def test_sqlite_of_two_processes(tmp_path):
        db = sqlite3.connect(tmp_path / "db")
        db.execute("pragma journal_mode = wal")
        db.execute("create table t (n)")
        db.commit()
        code = "import sqlite3; d = sqlite3.connect('db'); d.execute('insert into t values (7)'); d.commit()"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
        assert db.execute("select n from t").fetchall() == [(7,)]
        db.close()


    def test_server_in_a_child(tmp_path):
        (tmp_path / "page").write_text("hello")
        command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
            port = server.stdout.readline().split(" port ")[1].split()[0]
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/page", timeout=5) as reply:
                assert reply.read() == b"hello"
            server.terminate()


    def test_child():
        out = subprocess.run([sys.executable, "-c", "import sys; print(sys.prefix)"],
                             capture_output=True, text=True, check=True)
        assert out.stdout.strip() == sys.prefix


    def test_shell():
        assert subprocess.check_output("echo $((6 * 7)) | cat", shell=True) == b"42\\n"


    WAYS = ["fork", "spawn", "forkserver"]


    @pytest.mark.parametrize("way", WAYS)
    def test_pool(way):
        with multiprocessing.get_context(way).Pool(2) as pool:
            assert pool.map(square, [1, 2, 3]) == [1, 4, 9]


    @pytest.mark.parametrize("way", WAYS)
    def test_executor(way):
        context = multiprocessing.get_context(way)
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            assert pool.submit(square, 4).result(timeout=30) == 16


    def put_square(queue, n):
        queue.put(square(n))


    @pytest.mark.parametrize("way", WAYS)
    def test_process_and_queue(way):
        context = multiprocessing.get_context(way)
        queue = context.Queue()
        process = context.Process(target=put_square, args=(queue, 5))
        process.start()
        assert queue.get(timeout=30) == 25
        process.join(30)
        assert process.exitcode == 0


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
