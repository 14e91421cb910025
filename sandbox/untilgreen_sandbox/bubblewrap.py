"""The box for machines without an engine: bubblewrap, from the machine's own files, read-only.

As root no user namespace is made, because it would map to the host's root: root makes the mounts, keeps three
capabilities for the program inside, and every test runs as a user that nobody else has. Without root
everything is in a user namespace that cannot be nested.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from untilgreen_sandbox.box import BoxSpec, Change, RunRequest
from untilgreen_sandbox.bundle import INSIDE, bundled_packages
from untilgreen_sandbox.channel import Channel
from untilgreen_sandbox.errors import NoSandbox, SandboxError
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.groups import Group, make_group, reap
from untilgreen_sandbox.mounts import Mounts
from untilgreen_sandbox.priority import goes_by_session, rank, rank_sessions
from untilgreen_sandbox.program import ENVIRONMENT, Program
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.sources import BOOT
from untilgreen_sandbox.trace import TraceReport
from untilgreen_sandbox.users import unused_uid

CLOSE_SECONDS = 3.0
LOOK_SECONDS = 0.2
"""How often a box that lets others go first is looked at while something runs in it."""


class BubblewrapBox:
    """One bubblewrap process, alive from open to close."""

    backend = "bubblewrap"

    def __init__(self, process: asyncio.subprocess.Process, program: Program, group: Group | None) -> None:
        self._process = process
        self._program = program
        self._group = group
        self._low = False
        self.description = ""

    @classmethod
    async def open(cls, spec: BoxSpec, progress: Callable[[str], None]) -> BubblewrapBox:
        del progress  # It opens in milliseconds.
        command, mounts = _command(spec)
        group = make_group(spec.limits)
        # Killed while it sets up, bubblewrap can leave a child behind: a cancelled start is seen to its end.
        starting = asyncio.ensure_future(_start(command, group))
        try:
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:
            process = await starting
            assert process.stdin
            process.stdin.close()
            await process.communicate()
            if group is not None:
                group.remove()
            raise
        except BaseException:
            if group is not None:
                group.remove()
            raise
        assert process.stdin and process.stdout
        oom_kills = (lambda: 0) if group is None else group.oom_kills
        program = Program(
            Channel(process.stdout, process.stdin), spec, str(spec.root), INSIDE, oom_kills=oom_kills
        )
        box = cls(process, program, group)
        try:
            hello = await program.start(
                python=str(spec.interpreter.executable),
                uid=unused_uid() if os.getuid() == 0 else os.getuid(),
                environment=_environment(spec),
                mounts=mounts.inside(spec.root),
                grouped=group is not None,
            )
        except BaseException as error:
            text = await box._abandon()
            if isinstance(error, SandboxError):
                raise NoSandbox(f"bubblewrap did not start: {text or error}") from error
            raise
        who = "root makes the mounts, tests run as their own user" if hello["uid"] == 0 else "user namespace"
        held = "" if group is None else ", control group"
        box.description = f"bubblewrap, {who}{held}"
        return box

    async def put(self, changes: AsyncIterator[Change]) -> None:
        await self._program.put(changes)

    async def plan(self, request: RunRequest) -> Report:
        async with self._in_its_place():
            return await self._program.execute(request, list_only=True)

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        async with self._in_its_place():
            return await self._program.execute(request, changes, list_only=False)

    async def trace(
        self, request: RunRequest, changes: tuple[Change, ...] = (), values: tuple[str, ...] = ()
    ) -> TraceReport:
        async with self._in_its_place():
            return await self._program.trace(request, changes, values)

    async def evaluate(
        self, request: RunRequest, wanted: EvaluationRequest, changes: tuple[Change, ...] = ()
    ) -> Evaluation:
        async with self._in_its_place():
            return await self._program.evaluate(request, wanted, changes)

    async def rank(self, *, low: bool) -> bool:
        if low == self._low:
            return True
        done = await asyncio.to_thread(rank, self._process.pid, low=low)
        self._low = low if done else self._low
        return done

    @asynccontextmanager
    async def _in_its_place(self) -> AsyncIterator[None]:
        """Test processes have sessions of their own, which begin at the front: they are sent back, too."""
        keeping = asyncio.ensure_future(self._keep_behind()) if self._low and goes_by_session() else None
        try:
            yield
        finally:
            if keeping is not None:
                keeping.cancel()

    async def _keep_behind(self) -> None:
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await asyncio.to_thread(rank_sessions, self._process.pid, low=True)

    async def close(self) -> None:
        """The end of its input ends the program inside, and with it all processes of the box."""
        await asyncio.shield(self._end())

    async def _end(self) -> None:
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        # A process whose output nobody reads is never said to have ended.
        discarding = asyncio.ensure_future(_discard(self._process.stdout))
        try:
            async with asyncio.timeout(CLOSE_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        discarding.cancel()
        if self._group is not None:
            await asyncio.to_thread(self._group.remove)

    async def _abandon(self) -> str:
        await self._end()
        assert self._process.stderr
        return (await self._process.stderr.read(4000)).decode("utf-8", "replace").strip()


async def problem(spec: BoxSpec) -> str | None:
    """Why bubblewrap cannot be used here, with the way out; None when it can."""
    if sys.platform != "linux":
        return "it exists for Linux only; start Docker."
    if shutil.which("bwrap") is None:
        return "it is not installed; on Debian or Ubuntu: sudo apt-get install bubblewrap."
    await asyncio.to_thread(reap)
    try:
        box = await BubblewrapBox.open(spec, lambda _text: None)
    except SandboxError as error:
        return f"{error}{_apparmor_hint()}"
    await box.close()
    return None


async def _discard(stream: asyncio.StreamReader) -> None:
    # Somebody else may still be waiting for an answer; then that one reads.
    with contextlib.suppress(RuntimeError):
        while await stream.read(1 << 16):
            pass


async def _start(command: list[str], group: Group | None) -> asyncio.subprocess.Process:
    joining = () if group is None else group.joining()

    def join() -> None:
        for descriptor in joining:
            os.write(descriptor, b"0")

    try:
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            # A Ctrl-C in the terminal is for us alone; we then close the box in order.
            start_new_session=True,
            env={"PATH": os.defpath},
            # Before bubblewrap starts anything, so that all of the box is in the group.
            preexec_fn=join if joining else None,
        )
    except subprocess.SubprocessError as error:
        raise NoSandbox("bubblewrap could not be put into its control group.") from error
    finally:
        for descriptor in joining:
            os.close(descriptor)


def _apparmor_hint() -> str:
    restricted = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
    if restricted.exists() and restricted.read_text().strip() == "1":
        return " AppArmor forbids user namespaces here: start Docker, or allow bwrap in AppArmor."
    return ""


def _command(spec: BoxSpec) -> tuple[list[str], Mounts]:
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise NoSandbox("bubblewrap is not installed; on Debian or Ubuntu: sudo apt-get install bubblewrap.")
    if not spec.interpreter.here:
        version = ".".join(map(str, spec.interpreter.version))
        raise NoSandbox(
            f"the project asks for Python {version}, which this machine does not have; install it and make "
            "a .venv with it, or set `python` to one that will do, or use Docker."
        )
    runner = Path(getattr(sys, "_base_executable", sys.executable)).resolve()
    mounts = Mounts(spec.limits)
    for folder in (Path(sys.base_prefix), spec.interpreter.base_prefix, spec.interpreter.prefix):
        mounts.show_interpreter(folder, spec.root)
    for package in bundled_packages(spec.interpreter):
        mounts.show(package, Path(INSIDE) / package.name)
    mounts.workspace(spec.root)
    # Our program is the first process: nothing in the box can signal it, and no helper holds its channel.
    command = [bwrap, "--die-with-parent", "--as-pid-1", "--new-session", "--clearenv"]
    command += ["--hostname", "untilgreen"]
    command += ["--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    if os.getuid() == 0:
        command += ["--cap-drop", "ALL"]
        for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
            command += ["--cap-add", capability]
    else:
        command += ["--unshare-user", "--disable-userns", "--cap-drop", "ALL"]
    command += mounts.arguments()
    return [*command, "--chdir", "/", "--", str(runner), "-I", "-S", "-c", BOOT], mounts


def _environment(spec: BoxSpec) -> dict[str, str]:
    """All that tests find in their environment; nothing of ours passes through."""
    prefix, base = spec.interpreter.prefix, spec.interpreter.base_prefix
    path = os.pathsep.join([str(prefix / "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
    environment = {**ENVIRONMENT, "PATH": path}
    if prefix != base:
        environment["VIRTUAL_ENV"] = str(prefix)
    return environment
