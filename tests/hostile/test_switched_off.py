"""Each protection switched off once: a hostile test must then notice. Run by `make soak` only.

Nothing in the product can be switched off, so the pieces that build a box are replaced here. Every probe is
run with the protection first; and whatever is open then, a probe looks and leaves it alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from boxes import HONEST, Rig, run
from hostile.test_memory import BOMBS, LIMITS
from hostile.test_probes import FILES
from hostile.unprivileged import opened
from untilgreen_sandbox import bubblewrap, docker, program, sources
from untilgreen_sandbox.errors import SandboxError

Edit = tuple[str, str, str]
"""Module inside, what stands there, what stands there instead."""


@dataclass(frozen=True)
class Off:
    """One protection, how it is switched off, and who notices."""

    probe: str
    """The id of a test of `hostile/probes`, or the source of one."""
    edits: tuple[Edit, ...] = ()
    without: tuple[str, ...] = ()
    """Words of bubblewrap's command."""
    host_config: Mapping[str, Any] = field(default_factory=dict)
    patches: Mapping[str, Any] = field(default_factory=dict)
    before: str = ""
    """What an earlier run does, for protections between runs."""
    limits: Mapping[str, int] = field(default_factory=dict)
    forked: bool = False
    """Whether the probe is a candidate that is forked from a template."""
    backends: tuple[str, ...] = ("bubblewrap", "docker")


def test(body: str, imports: str = "import os") -> str:
    return f"{imports}\ndef test_it():\n" + "".join(f"    {line}\n" for line in body.splitlines())


test.__test__ = False  # type: ignore[attr-defined]

NO_FILTER = (
    ("confine", "        # Files without a name", "        return  # Files without a name"),
    ("runner", "    seccomp.install()\n", ""),
)
READ_ONLY = "for path in {}:\n    assert os.statvfs(path).f_flag & os.ST_RDONLY, path"
# Neither a template nor what an earlier run left has this user.
ALONE = test(
    "own = [pid for pid in os.listdir('/proc') if pid.isdigit()"
    " and os.stat(f'/proc/{pid}').st_uid == os.getuid()]\nassert own == [str(os.getpid())]"
)
OFF = {
    "network": Off(
        # Only looks at the names of the interfaces: nothing is sent anywhere.
        "test_network.py::test_only_the_loopback",
        without=("--unshare-net",),
        host_config={"NetworkMode": "host", "Sysctls": {}},
    ),
    "read-only root": Off(
        test(READ_ONLY.format(["/"])),
        without=("--remount-ro /",),
        host_config={"ReadonlyRootfs": False},
    ),
    "read-only /proc/sys": Off(
        test(READ_ONLY.format(["/proc/sys"])),
        without=("--ro-bind /proc/sys /proc/sys",),
        host_config={"ReadonlyPaths": []},
    ),
    "system call filter": Off("test_kernel.py::test_socket_families", edits=NO_FILTER),
    "no new privileges": Off(
        "test_identity.py::test_no_new_privileges_and_a_filter",
        edits=NO_FILTER,
        host_config={"SecurityOpt": []},
    ),
    "user of its own": Off(
        test("assert os.getuid() > 1 << 20, os.getuid()"),
        patches={"unused_uid": lambda: 65_534},
    ),
    "number of processes": Off(
        test(
            "made = []\ntry:\n    for _ in range(70):\n        made.append(os.fork())\n"
            "        if made[-1] == 0: time.sleep(5); os._exit(0)\n"
            "except BlockingIOError: pass\nassert len(made) < 60, len(made)",
            "import os, time",
        ),
        edits=(("confine", "user.\n        _limit(resource.RLIMIT_NPROC, self.processes)", "user."),),
        host_config={"PidsLimit": 0},
        patches={"make_group": lambda limits: None},
        limits={"processes": 40},
    ),
    "memory": Off(
        BOMBS["shared pages"],
        edits=(("meter", 'return ("memory" if exact > self._memory else ""), 1.0', 'return "", 1.0'),),
        host_config={"Memory": 0, "MemorySwap": 0},
        patches={"make_group": lambda limits: None},
        limits=LIMITS,
    ),
    "data of a process": Off(
        test("try: bytearray(250 << 20)\nexcept MemoryError: return\nassert False"),
        edits=(("confine", "_limit(resource.RLIMIT_DATA, self.memory)", "pass"),),
        limits={"memory_mb": 200},
    ),
    "number of files": Off(
        test("for n in range(4000): os.mkdir(f'/tmp/{n}')\nimport time; time.sleep(0.5)"),
        edits=(("meter", "if n_files > self._files:", "if False:"),),
        limits={"n_files": 2000},
        backends=("bubblewrap",),
    ),
    "size of a file": Off(
        test(
            "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nwith open('/tmp/sparse', 'wb') as file:\n"
            "    try: file.truncate(9 << 20)\n    except OSError: return\nassert False",
            "import signal",
        ),
        edits=(("confine", "_limit(resource.RLIMIT_FSIZE, self.file_size)", "pass"),),
        host_config={"Ulimits": []},
        limits={"file_mb": 8},
    ),
    "environment": Off(
        "test_secrets.py::test_environment",
        patches={
            "_environment": lambda spec: {"HOME": "/tmp/home", "UNTILGREEN_FAKE_SECRET": "x"},
            "ENVIRONMENT": {**program.ENVIRONMENT, "UNTILGREEN_FAKE_SECRET": "x"},
        },
    ),
    "pristine tree": Off(
        test("assert not os.path.exists('left.py')"),
        edits=(("workplace", "self.tree.restore(touched)", "pass"),),
        before=test("open('left.py', 'w').close()"),
    ),
    "what a run touched": Off(
        test("assert not os.path.exists('left.py')"),
        edits=(("workplace", "self._vigil.take() if known else None", "Touched(frozenset(), False)"),),
        before=test("open('left.py', 'w').close()"),
    ),
    "a user for the template": Off(
        ALONE,
        edits=(("confine", "uid = self.template_uid if template else self.uid", "uid = self.uid"),),
        forked=True,
    ),
    "one user that a template may become": Off(
        test("assert 'ROOT' not in os.environ"),
        edits=(("confine", "only_user=self.uid if changes_user else None", "only_user=None"),),
        forked=True,
    ),
    "capabilities of a fork": Off(
        test("assert 'CapPrm:\\t0000000000000000' in open('/proc/self/status').read()"),
        edits=(("checkpoint", "if _LIBC.capset(", "if False and _LIBC.capset("),),
        forked=True,
    ),
    "empty scratch": Off(
        test("assert not os.path.exists('/tmp/left')"),
        edits=(("workplace", "empty(folder, self._mounted)", "pass"),),
        before=test("open('/tmp/left', 'w').close()"),
    ),
    "shared memory removed": Off(
        test("assert ctypes.CDLL(None).shmget(77, 0, 0) == -1", "import ctypes"),
        edits=(("workplace", "ipc.remove_all()", "pass"),),
        before=test("assert ctypes.CDLL(None).shmget(77, 4096, 0o1666) >= 0", "import ctypes"),
    ),
    "leftovers ended": Off(
        ALONE,
        edits=(("ending", "left_over = end_all_others(keep)", "left_over = False"),),
        before=test(
            "subprocess.Popen(['sleep', '30'], start_new_session=True, stdout=-3, stderr=-3)",
            "import subprocess",
        ),
    ),
}
CASES = [
    (name, backend, rung)
    for name, off in OFF.items()
    for backend in off.backends
    for rung in ("cold", "forked")
    if rung == "forked" or not off.forked
]


async def noticed(rig: Rig, off: Off) -> bool:
    """Whether the probe fails, or is stopped."""
    own = "::" not in off.probe
    files = {"test_it.py": off.probe} if own else FILES
    if off.forked:
        return await noticed_in_a_fork(rig, off.probe)
    async with rig.box(HONEST, **off.limits) as box:
        if off.before:
            first = await run(box, {"test_it.py": off.before}, "test_it.py")
            assert not first.faults(["test_it.py::test_it"]), first
        report = await run(box, files, "test_it.py" if own else off.probe, seconds=30)
    assert report.planned, "the probe ran"
    return bool(report.faults(report.planned))


async def noticed_in_a_fork(rig: Rig, probe: str) -> bool:
    # The user's own code is not trusted, either: here it tries to become root in the template.
    greedy = "import os\ntry: os.setresuid(0, 0, 0); os.environ['ROOT'] = '1'\nexcept OSError: pass\n"
    pristine = {"conftest.py": greedy, "test_it.py": "from probe import *\n", "probe.py": ""}
    async with rig.box(pristine) as box:
        report = await run(box, {"probe.py": probe})
    assert (report.rung, report.planned) == ("checkpoint", ("test_it.py::test_it",)), report
    return bool(report.faults(report.planned))


# A bomb that is stopped is noticed while the limit is there; every other probe when it is not.
STOPPED = ("memory", "number of files")


@pytest.mark.parametrize(("name", "backend", "rung"), CASES, indirect=["backend", "rung"])
async def test_switched_off(rig: Rig, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    off = OFF[name]
    assert await noticed(rig, off) is (name in STOPPED)
    switch_off(off, rig.backend, monkeypatch)
    assert await noticed(rig, off) is (name not in STOPPED)


@pytest.mark.parametrize("backend", ["bubblewrap", "docker"], indirect=True)
async def test_output_without_a_cap(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    flood = test("for _ in range(40): os.write(1, b'x' * (1 << 16))")
    switch_off(Off("", edits=(("watchman", "limit // 2", "1 << 40"),)), rig.backend, monkeypatch)
    async with rig.box(HONEST) as box:
        with pytest.raises(SandboxError, match="more output than its limit"):
            await run(box, {"test_it.py": flood}, "test_it.py", arguments=("-s",))


def test_a_process_that_is_not_hidden() -> None:
    """Only where the program inside has the tests' own user is this all that closes it."""
    probe = {"test_secrets.py": FILES["test_secrets.py"]}
    with opened(edits=(("runner", "    hide_this_process()\n", ""),)) as unprivileged:
        (outcome,) = unprivileged(probe, files={})
    opened_up = {test_id for test_id, (how, _) in outcome.cases.items() if how == "failed"}
    assert "test_secrets.py::test_descriptors_of_every_other_process_do_not_open[0]" in opened_up


def switch_off(off: Off, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    source = sources.source
    monkeypatch.setattr(sources, "source", lambda name: edited(name, source(name), off.edits))
    monkeypatch.setattr(sources, "code", lambda name, file: compile(sources.source(name), file, "exec"))
    module = bubblewrap if backend == "bubblewrap" else docker
    for name, replacement in off.patches.items():
        if hasattr(module, name):
            monkeypatch.setattr(module, name, replacement)
    if backend == "bubblewrap" and off.without:
        monkeypatch.setattr(bubblewrap, "_command", shortened(bubblewrap._command, off.without))
    if backend == "docker" and off.host_config:
        config = docker._host_config
        monkeypatch.setattr(
            docker, "_host_config", lambda client, limits: {**config(client, limits), **off.host_config}
        )


def edited(name: str, source: str, edits: tuple[Edit, ...]) -> str:
    for module, old, new in edits:
        if module == name:
            assert source.count(old) == 1, f"{name} no longer says {old!r}"
            source = source.replace(old, new)
    return source


def shortened(command: Callable[[Any], Any], without: tuple[str, ...]) -> Callable[[Any], Any]:
    def build(spec: Any) -> Any:
        words, mounts = command(spec)
        for phrase in without:
            gone = phrase.split(" ")
            places = [at for at in range(len(words)) if words[at : at + len(gone)] == gone]
            assert len(places) == 1, (phrase, words)
            del words[places[0] : places[0] + len(gone)]
        return words, mounts

    return build


def test_every_edit_still_finds_its_line() -> None:
    for off in OFF.values():
        for module in {module for module, _, _ in off.edits}:
            assert re.search(r"\S", edited(module, sources.source(module), off.edits))
