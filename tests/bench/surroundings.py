"""One Python, one set of packages and one image for every method, so that only the way of running differs."""

from __future__ import annotations

import asyncio
import dataclasses
import fcntl
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import docker

from bench.projects import Project
from boxes import Backend
from shapes.environments import CACHE
from untilgreen.pool import Pool
from untilgreen.solve.bench import Bench
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.box import BoxSpec, Building, Chosen, Interpreter, Packages
from untilgreen_sandbox.image import Image, image_for
from untilgreen_sandbox.program import ENVIRONMENT

PYTHON = Path("/usr/bin/python3")
"""The distribution's own, which is what the base image holds, too."""
NATIVE_ENVIRONMENT = {
    "PATH": os.defpath,
    "HOME": "/tmp",
    **{name: ENVIRONMENT[name] for name in ENVIRONMENT if name.endswith("_THREADS") or name == "LANG"},
}
"""As in a box, but for bytecode: outside of boxes it is kept, and that is an advantage to the others."""
_TELL = """\
import json, sys
from importlib.metadata import distributions
own = [one for one in distributions() if str(one.locate_file("")).startswith(sys.prefix)]
found = sorted(f"{one.name}=={one.version}" for one in own)
print(json.dumps([list(sys.version_info[:3]), sys.base_prefix, found]))
"""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a project's tests run with, outside and inside of boxes."""

    interpreter: Interpreter
    version: str
    packages: tuple[str, ...]
    """All that is installed, pinned; the image gets just these."""

    @property
    def python(self) -> str:
        return str(self.interpreter.executable)

    def spec(self, backend: Backend, root: Path) -> BoxSpec:
        """As a project that declares its packages gets it, with the limits that everybody gets."""
        spec = BoxSpec(root, self.interpreter)
        if backend == "bubblewrap":
            return spec
        return dataclasses.replace(
            spec,
            base_image=os.environ["UNTILGREEN_SANDBOX_BASE"],
            packages=Packages(self.packages),
            # The engine of these measurements has no other network.
            building=Building(network="host"),
        )

    async def image(self) -> Image:
        """The one that our boxes use; made here when it is not there yet."""
        client = docker.from_env()
        try:
            return await image_for(client, self.spec("docker", Path("/w")), print)
        finally:
            client.close()

    @asynccontextmanager
    async def bench(self, backend: Backend, root: Path, lanes: int = 0) -> AsyncIterator[tuple[Bench, Pool]]:
        """What a job works with, after the run of the user's own code with which every job begins."""
        pool = Pool(Chosen(backend, "measured"), self.spec(backend, root), lanes=lanes)
        try:
            bench = Bench(pool, await asyncio.to_thread(take_snapshot, root), ())
            report = await bench.baseline()
            assert report.ended == "finished" and not report.red, (report.detail, report.output.head)
            yield bench, pool
        finally:
            await pool.close()


def surroundings_of(project: Project) -> Surroundings:
    """An environment with the project's packages, made once and kept in `.cache/`."""
    told = subprocess.run([PYTHON, "-V"], capture_output=True, text=True, check=True).stdout.split()[1]
    key = hashlib.blake2b(" ".join((told, *project.packages)).encode(), digest_size=6).hexdigest()
    folder = CACHE / f"bench-{key}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The mark is made last: an environment without it was left by a run that did not get to its end.
        if not (folder / "complete").exists():
            _run(PYTHON, "-m", "venv", "--clear", "--without-pip", str(folder))
            pip = (sys.executable, "-m", "pip", "--python", str(folder / "bin/python"), "install", "--quiet")
            _run(*pip, "--disable-pip-version-check", *project.packages)
            (folder / "complete").write_text(" ".join(project.packages))
    version, base, packages = json.loads(_run(folder / "bin/python", "-c", _TELL))
    interpreter = Interpreter(
        folder / "bin/python", (version[0], version[1]), folder, Path(base), has_pytest=True
    )
    return Surroundings(interpreter, told, tuple(packages))


def _run(*words: str | Path) -> str:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
