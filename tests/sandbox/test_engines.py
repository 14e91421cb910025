"""Engines elsewhere, engines that go away, engines that are none."""

from __future__ import annotations

import asyncio
import gc
import os
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import docker
import pytest

from boxes import HONEST, Rig, assert_honest, eventually, processes_with, run, run_one, spec_for
from containers import containers_of
from sandbox.opens_a_box import LONG
from sandbox.test_leftovers import N_PROCESSES, engine
from untilgreen.model import Patch
from untilgreen_sandbox import docker as backend_module
from untilgreen_sandbox.box import choose_backend
from untilgreen_sandbox.errors import BoxLost, NoSandbox
from untilgreen_sandbox.users import unused_uid

__all__ = ["engine"]

on_docker = pytest.mark.parametrize("backend", ["docker"], indirect=True)
on_bubblewrap = pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)


class Way:
    """A port of the loopback that leads to the engine's socket, until it is cut."""

    def __init__(self) -> None:
        address = os.environ["DOCKER_HOST"]
        assert address.startswith("unix://"), "the engine of these tests is on a socket"
        self._path = address.removeprefix("unix://")
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = [self._listener]
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            far = socket.socket(socket.AF_UNIX)
            far.connect(self._path)
            self._open += [near, far]
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._carry, args=(source, target), daemon=True).start()

    @staticmethod
    def _carry(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(1 << 16):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def cut(self) -> None:
        for one in self._open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            finally:
                one.close()


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> Iterator[Way]:
    way = Way()
    monkeypatch.setenv("DOCKER_HOST", way.address)
    for name in ("http_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    yield way
    way.cut()


@on_docker
async def test_an_engine_on_tcp(rig: Rig, way: Way) -> None:
    async with rig.box(HONEST) as box:
        await assert_honest(box)
        await assert_honest(box)


async def long_run(box: Any, marker: str) -> asyncio.Task[Any]:
    task = asyncio.create_task(run_one(box, LONG.format(marker=marker)))
    while len(processes_with(marker)) < N_PROCESSES:
        assert not task.done(), task
        await asyncio.sleep(0.05)
    return task


@on_docker
async def test_an_engine_that_goes_away_is_a_lost_box(
    engine: docker.DockerClient, rig: Rig, way: Way
) -> None:
    mine = set(containers_of(os.getpid(), engine))
    marker = f"marker-{uuid.uuid4().hex}"
    async with rig.box() as box:
        task = await long_run(box, marker)
        way.cut()
        with pytest.raises(BoxLost):
            await task
        with pytest.raises(BoxLost):
            await run(box)
    # Leaving the box said nothing, though the engine could not be asked to remove it: it ended by itself.
    eventually(lambda: not processes_with(marker))
    eventually(lambda: set(containers_of(os.getpid(), engine)) <= mine)
    with pytest.raises(NoSandbox, match="nobody answers at tcp://127"):
        backend_module.connect()


@on_docker
async def test_a_container_that_is_removed_under_a_run_is_run_again(
    engine: docker.DockerClient, rig: Rig
) -> None:
    mine = set(containers_of(os.getpid(), engine))

    marker = f"marker-{uuid.uuid4().hex}"
    slow = f"""\
        import subprocess, sys
        def test_slow():
            subprocess.run([sys.executable, "-c", "import time; time.sleep(2)", "{marker}"])
            assert 1 == 2
        """

    async def removed_under(running: asyncio.Task[Any], others: set[str]) -> str:
        await asyncio.to_thread(eventually, lambda: processes_with(marker))
        (container,) = set(containers_of(os.getpid(), engine)) - others
        engine.api.remove_container(container, force=True)
        assert not running.done()
        await asyncio.to_thread(eventually, lambda: not processes_with(marker))
        report = await running
        assert report.outcomes() == {"test_slow.py::test_slow": "failed"}
        return container

    async with rig.bench({"test_slow.py": slow}) as bench:
        first = await removed_under(asyncio.create_task(bench.run(Patch())), mine)
        (second,) = set(containers_of(os.getpid(), engine)) - mine
        assert second != first
        fresh = asyncio.create_task(bench.run_fresh(Patch()))
        await removed_under(fresh, mine | {second})
        assert (await fresh).rung == "fresh"


@on_docker
async def test_limits_of_the_container(engine: docker.DockerClient, rig: Rig) -> None:
    mine = set(containers_of(os.getpid(), engine))
    has = engine.info()["NCPU"]
    for wanted, given in ((0.0, 0), (0.5, 500_000_000), (1000.0, has * 10**9)):
        async with rig.box(HONEST, cpus=wanted, open_files=300, file_mb=7, disk_mb=20) as box:
            (container,) = set(containers_of(os.getpid(), engine)) - mine
            config = engine.api.inspect_container(container)["HostConfig"]
            assert config["NanoCpus"] == given
            limits = {one["Name"]: one["Hard"] for one in config["Ulimits"]}
            assert limits == {"core": 0, "nofile": 364, "fsize": 40 << 20}
            await assert_honest(box)


@contextmanager
def listening(answer: Callable[[socket.socket], None], mode: int = 0o666) -> Iterator[str]:
    """The address of something that is no engine."""
    with TemporaryDirectory(prefix="for-a-test-") as folder, socket.socket(socket.AF_UNIX) as listener:
        Path(folder).chmod(0o755)
        path = Path(folder) / "engine"
        listener.bind(str(path))
        path.chmod(mode)
        listener.listen()

        def serve() -> None:
            while True:
                try:
                    one, _ = listener.accept()
                except OSError:
                    return
                with one:
                    answer(one)

        threading.Thread(target=serve, daemon=True).start()
        yield f"unix://{path}"
        listener.shutdown(socket.SHUT_RDWR)


def says(text: bytes) -> Callable[[socket.socket], None]:
    def answer(one: socket.socket) -> None:
        one.recv(1 << 16)
        one.sendall(text)

    return answer


def http(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body)


GARBAGE = {
    "no HTTP": b"220 mail.example ESMTP\r\n",
    "no JSON": http(b"<html>It works!</html>"),
    "no version": http(b"{}"),
    "a list": http(b"[1, 2]"),
    "an odd version": http(b'{"ApiVersion": "green"}'),
    "an old version": http(b'{"ApiVersion": "1.12"}'),
    "nothing": b"",
}


@on_bubblewrap
@pytest.mark.parametrize("name", GARBAGE)
async def test_something_that_is_no_engine(rig: Rig, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = spec_for("bubblewrap", rig.root, rig.interpreter)
    with listening(says(GARBAGE[name])) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        with pytest.raises(
            NoSandbox, match=r"no Docker engine that we know .*; check DOCKER_HOST"
        ) as refused:
            await choose_backend("docker", spec)
        assert address in str(refused.value)


@on_bubblewrap
async def test_an_engine_that_is_silent(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend_module, "CONNECT_SECONDS", 1)
    with listening(lambda _one: time.sleep(2)) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        with pytest.raises(NoSandbox, match="does not answer within 1 seconds; restart Docker"):
            await choose_backend("docker", spec_for("bubblewrap", rig.root, rig.interpreter))


# docker-py forgets to close a socket that could not be connected; it goes when the error goes.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@on_bubblewrap
async def test_a_socket_without_an_engine(rig: Rig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    spec = spec_for("bubblewrap", rig.root, rig.interpreter)
    with TemporaryDirectory() as folder:
        for path, cause in (("dead", "nobody answers at unix://"), ("none", "no engine answers at unix://")):
            if path == "dead":
                with socket.socket(socket.AF_UNIX) as one:
                    one.bind(f"{folder}/dead")
            monkeypatch.setenv("DOCKER_HOST", f"unix://{folder}/{path}")
            with pytest.raises(NoSandbox, match=f"{cause}.*start Docker, or set DOCKER_HOST"):
                await choose_backend("docker", spec)
    monkeypatch.setenv("DOCKER_HOST", "rubbish://nowhere")
    with pytest.raises(NoSandbox, match="check DOCKER_HOST"):
        await choose_backend("docker", spec)
    gc.collect()


def test_a_socket_that_is_not_open_to_us(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoSandbox), listening(says(http(b"{}"))) as address:
        # Once as ourselves, so that everything is imported that another user might not be able to read.
        monkeypatch.setenv("DOCKER_HOST", address)
        backend_module.connect()
    with listening(says(http(b"{}")), mode=0o600) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        said = as_another_user(why_not)
    assert said == "the engine's socket is not open to you; join the `docker` group and log in again."


def why_not() -> str:
    with pytest.raises(NoSandbox) as refused:
        backend_module.connect()
    return str(refused.value)


def as_another_user(ask: Callable[[], str]) -> str:
    assert os.getuid() == 0, "only root can become somebody else"
    uid, (reading, writing) = unused_uid(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            os.write(writing, ask().encode())
        except BaseException as error:
            os.write(writing, repr(error).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said
