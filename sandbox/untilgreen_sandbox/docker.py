"""The box for machines with a Docker engine: one container whose first process is the program inside.

Nothing is mounted from the host, nothing is published, and there is no volume: the tree goes through the
container's own standard input into a tmpfs. When that input ends, for whatever reason, the container ends and
the engine removes it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import docker
import docker.errors

from untilgreen_sandbox.box import BoxSpec, Change, Limits, RunRequest
from untilgreen_sandbox.build import ENGINE_ERRORS, OWNER_LABEL, remove
from untilgreen_sandbox.bundle import INSIDE
from untilgreen_sandbox.channel import Channel, Demultiplexed
from untilgreen_sandbox.editable import WORKSPACE
from untilgreen_sandbox.errors import BoxLost, NoSandbox, SandboxError
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.image import Image, image_for
from untilgreen_sandbox.owner import Owner, is_gone, this_process
from untilgreen_sandbox.program import ENVIRONMENT, Program
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.sources import BOOT
from untilgreen_sandbox.text import clean
from untilgreen_sandbox.trace import TraceReport
from untilgreen_sandbox.users import unused_uid

OLDEST_API = "1.24"
CONNECT_SECONDS = 10
ENGINE_SECONDS = 60
OWN_DESCRIPTORS = 64
IPV6 = Path("/proc/sys/net/ipv6/conf/lo")
USUAL_SHARES, LOW_SHARES = 1024, 335
"""Of the processor, beside others: as much as a process has, and one whose niceness is 5."""
PATH = "/usr/local/bin:/usr/bin:/bin"


class DockerBox:
    """One container, alive from open to close."""

    backend = "docker"

    def __init__(self, client: docker.DockerClient, container: str) -> None:
        self._client = client
        self._container = container
        self._stream: asyncio.StreamWriter | None = None
        self._program: Program | None = None
        self._low = False
        self.description = ""

    @classmethod
    async def open(cls, spec: BoxSpec, progress: Callable[[str], None]) -> DockerBox:
        client = await asyncio.to_thread(connect)
        image = await image_for(client, spec, progress)
        try:
            container, raw = await _created(client, spec, image)
        except docker.errors.ImageNotFound:
            # Somebody cleaned up just now; whoever wants to work here has it made again.
            image = await image_for(client, spec, progress)
            container, raw = await _created(client, spec, image)
        box = cls(client, container)
        try:
            await box._converse(raw, spec, image)
        except BaseException:
            await box.close()
            raise
        return box

    async def _converse(self, raw: socket.socket, spec: BoxSpec, image: Image) -> None:
        raw.setblocking(False)
        reader, self._stream = await asyncio.open_connection(sock=raw)
        stream = Demultiplexed(reader)
        program = Program(Channel(stream, self._stream), spec, WORKSPACE, INSIDE)
        await _engine_call(self._client.api.start, self._container)
        try:
            await program.start(
                python=image.python,
                uid=unused_uid(),
                environment={**ENVIRONMENT, "PATH": PATH, **image.environment},
                # The engine makes one for each container, or has refused to make the container.
                grouped=True,
            )
        except BoxLost as error:
            raise NoSandbox(f"the container did not start: {stream.error_text.strip() or error}") from error
        self._program = program
        version = await _engine_call(self._client.version)
        self.description = (
            f"docker, engine {version.get('Version', '?')}, {spec.image or spec.base_image or 'slim'}"
        )

    async def put(self, changes: AsyncIterator[Change]) -> None:
        await self._running().put(changes)

    async def plan(self, request: RunRequest) -> Report:
        return await self._running().execute(request, list_only=True)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        return await self._running().execute(request, changes, list_only=False)

    async def trace(
        self, request: RunRequest, changes: tuple[Change, ...] = (), values: tuple[str, ...] = ()
    ) -> TraceReport:
        return await self._running().trace(request, changes, values)

    async def evaluate(
        self, request: RunRequest, wanted: EvaluationRequest, changes: tuple[Change, ...] = ()
    ) -> Evaluation:
        return await self._running().evaluate(request, wanted, changes)

    async def rank(self, *, low: bool) -> bool:
        if low == self._low:
            return True
        self._low = low
        shares = LOW_SHARES if low else USUAL_SHARES
        # An engine that cannot do it gives everybody the same.
        with contextlib.suppress(*ENGINE_ERRORS):
            await asyncio.to_thread(self._client.api.update_container, self._container, cpu_shares=shares)
        return True

    async def close(self) -> None:
        await asyncio.shield(self._end())

    async def _end(self) -> None:
        if self._stream is not None:
            self._stream.close()
        # An engine that is gone cannot remove anything; its container ended with our end of the stream, and
        # the next start looks for what is left.
        with contextlib.suppress(*ENGINE_ERRORS):
            await asyncio.to_thread(remove, self._client, self._container)
        self._client.close()

    def _running(self) -> Program:
        if self._program is None:
            raise BoxLost("The sandbox is closed.")
        return self._program


async def problem(
    spec: BoxSpec, progress: Callable[[str], None] = lambda _text: None, *, remember: bool = False
) -> str | None:
    """Why docker cannot be used for this project, with the way out; None when it can.

    With `remember`, an image that could not be had just now is not tried again, see `failed.py`.
    """
    try:
        client = await asyncio.to_thread(connect)
    except NoSandbox as error:
        return str(error)
    try:
        await asyncio.to_thread(reap, client)
        await image_for(client, spec, progress, remember=remember)
    except NoSandbox as error:
        return str(error)
    except ENGINE_ERRORS as error:
        return f"the engine answered with an error: {error}"
    finally:
        client.close()
    return None


def reap(client: docker.DockerClient) -> tuple[str, ...]:
    """Remove containers whose owner, a process of this machine, is certainly gone."""
    removed = []
    for container in client.containers.list(all=True, filters={"label": OWNER_LABEL}, ignore_removed=True):
        owner = Owner.parse(container.labels.get(OWNER_LABEL, ""))
        if owner is not None and is_gone(owner):
            remove(client, str(container.id))
            removed.append(str(container.id))
    return tuple(removed)


def connect() -> docker.DockerClient:
    """A client whose engine has answered; the error names the cause and the way out."""
    try:
        # A client that asks for the version while it is made leaks its connection when there is no answer.
        asking = docker.from_env(version=OLDEST_API, timeout=CONNECT_SECONDS)
        try:
            version = asking.version(api_version=False)["ApiVersion"]
        finally:
            asking.close()
        return docker.from_env(version=version, timeout=ENGINE_SECONDS)
    except (*ENGINE_ERRORS, ValueError, TypeError, LookupError) as error:
        raise NoSandbox(_why_not(str(error))) from error


def _why_not(error: str) -> str:
    where = os.environ.get("DOCKER_HOST") or "the default socket"
    if "Permission denied" in error:
        return "the engine's socket is not open to you; join the `docker` group and log in again."
    if "No such file" in error:
        return f"no engine answers at {where}; start Docker, or set DOCKER_HOST."
    if "refused" in error:
        return f"nobody answers at {where}, though an engine did once; start Docker, or set DOCKER_HOST."
    if "timed out" in error:
        return f"the engine at {where} does not answer within {CONNECT_SECONDS} seconds; restart Docker."
    said = clean(error.strip().splitlines()[0])[:200] if error.strip() else "no reason was given"
    return f"what answers at {where} is no Docker engine that we know ({said}); check DOCKER_HOST."


async def _created(client: docker.DockerClient, spec: BoxSpec, image: Image) -> tuple[str, socket.socket]:
    """The engine may hold something of ours from here on, so even a cancelled opening is seen to its end."""
    creating = asyncio.ensure_future(asyncio.to_thread(_create, client, spec, image))
    try:
        return await asyncio.shield(creating)
    except asyncio.CancelledError:
        with contextlib.suppress(SandboxError, docker.errors.ImageNotFound):
            container, raw = await creating
            raw.close()
            await asyncio.to_thread(remove, client, container)
        raise


def _create(client: docker.DockerClient, spec: BoxSpec, image: Image) -> tuple[str, socket.socket]:
    """Create the container and attach to it before it starts, so that no byte of its output is missed.

    Raises ImageNotFound when the image is gone since it was looked for.
    """
    container = ""
    try:
        container = client.api.create_container(
            image.name,
            ["python3", "-I", "-S", "-c", BOOT],
            entrypoint=[],
            user="0",
            hostname="untilgreen",
            working_dir="/",
            stdin_open=True,
            environment={},
            # The client's own configuration may name a proxy with a password.
            use_config_proxy=False,
            labels={OWNER_LABEL: this_process().text()},
            host_config=_host_config(client, spec.limits),
        )["Id"]
        attached = client.api.attach_socket(
            container, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
        )
        raw = getattr(attached, "_sock", attached)
        if not isinstance(raw, socket.socket):
            raise NoSandbox(
                "only engines on a unix socket or plain TCP are supported yet; unset DOCKER_TLS_VERIFY."
            )
        # The pieces of docker-py around the socket close it when they are collected; this one is ours.
        ours = raw.dup()
        raw.close()
        attached.close()
        return container, ours
    except (*ENGINE_ERRORS, NoSandbox) as error:
        if container:
            remove(client, container)
        if isinstance(error, NoSandbox | docker.errors.ImageNotFound):
            raise
        raise NoSandbox(f"the engine could not make a container: {error}") from error


def _host_config(client: docker.DockerClient, limits: Limits) -> Any:
    # Files of a tmpfs are memory to the engine.
    memory = f"{limits.memory_mb + limits.disk_mb}m"
    scratch = f"rw,nosuid,nodev,exec,size={limits.disk_mb}m,nr_inodes={limits.n_files}"
    return client.api.create_host_config(
        auto_remove=True,
        network_mode="none",
        read_only=True,
        cap_drop=["ALL"],
        cap_add=["SETUID", "SETGID", "KILL"],
        security_opt=["no-new-privileges"],
        pids_limit=limits.processes + 8,
        mem_limit=memory,
        memswap_limit=memory,
        ipc_mode="private",
        log_config=docker.types.LogConfig(type="none"),
        # The engine writes ::1 into /etc/hosts, but switches it off.
        sysctls={"net.ipv6.conf.lo.disable_ipv6": "0"} if IPV6.exists() else {},
        nano_cpus=_nano_cpus(client, limits),
        ulimits=[
            _ulimit("core", 0),
            # Of the program inside: what tests get is lower still.
            _ulimit("nofile", max(limits.open_files, 256) + OWN_DESCRIPTORS),
            # The pristine copy is one file in memory, with room for what was put again.
            _ulimit("fsize", max(limits.file_mb, 2 * limits.disk_mb) << 20),
        ],
        tmpfs={
            WORKSPACE: f"{scratch},mode=0777",
            "/tmp": f"{scratch},mode=1777",
            "/var/tmp": f"{scratch},mode=1777",
        },
    )


def _ulimit(name: str, value: int) -> docker.types.Ulimit:
    return docker.types.Ulimit(name=name, soft=value, hard=value)


def _nano_cpus(client: docker.DockerClient, limits: Limits) -> int | None:
    """None for all; an engine refuses to give more than it has."""
    if not limits.cpus:
        return None
    return int(min(limits.cpus, client.info()["NCPU"]) * 1e9)


async def _engine_call(call: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return await asyncio.to_thread(call, *arguments)
    except ENGINE_ERRORS as error:
        raise BoxLost(f"The Docker engine did not do it: {error}") from error
