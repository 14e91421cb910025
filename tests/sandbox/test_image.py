"""A project's packages are in its image, what was needed to get them is not, and nothing stays behind."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import io
import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import docker.errors
import pytest

from boxes import eventually, only, own_interpreter, put, run_one, spec_for
from containers import containers_of
from sandbox.package_index import PackageIndex
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.ground import _discover, _spec
from untilgreen.journal import Journal
from untilgreen.model import Goal
from untilgreen.settings import read
from untilgreen_sandbox.box import (
    BoxSpec,
    Building,
    Chosen,
    Interpreter,
    Packages,
    choose_backend,
    open_box,
)
from untilgreen_sandbox.build import OWNER_LABEL, PYTEST_LABEL
from untilgreen_sandbox.docker import reap
from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.image import Image, image_for

SECRET = "s3cr3t-of-the-index"
ONCE = f"{time.time_ns()}"
"""Makes an image of this run different from that of an earlier one."""
PROJECT = {
    "pyproject.toml": f"""\
[project]
name = "corner-shop"
version = "7.{ONCE}"
[project.entry-points.pytest11]
shop = "shop_plugin"
""",
    "requirements.txt": "six==1.17.0\npytest\nuntilgreen-private\n",
    "shop_plugin.py": "import pytest\n@pytest.fixture\ndef plugged():\n    return 42\n",
    "test_shop.py": f"""\
import os, shutil, subprocess, sys
from importlib.metadata import entry_points, version
import pytest

def test_packages():
    import six, untilgreen_private
    assert (six.__version__, untilgreen_private.ANSWER) == ("1.17.0", 42)
    assert six.__cached__ and os.path.exists(six.__cached__)

def test_itself(plugged):
    assert plugged == 42
    assert version("corner-shop") == "7.{ONCE}"

def test_python():
    assert pytest.__file__.startswith("/opt/untilgreen/env/")
    assert sys.prefix == os.environ["VIRTUAL_ENV"] == "/opt/untilgreen/env"
    assert shutil.which("python") == sys.executable
    subprocess.run(["pytest", "--version"], check=True)

def test_no_traces():
    assert not os.path.exists("/tmp/untilgreen-build")
    assert "{SECRET}" not in str(os.environ)
""",
}


@pytest.fixture(scope="module")
def engine() -> Iterator[docker.DockerClient]:
    client = docker.from_env()
    yield client
    client.close()


@dataclass
class Built:
    """What a user saw who ran the project's tests twice, and what it left in the engine."""

    outcomes: list[dict[str, str]]
    told: list[list[str]]
    seconds: list[float]
    image: str
    spec: BoxSpec
    used_password: bool


@pytest.fixture(scope="module")
def built(engine: docker.DockerClient, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    folder = tmp_path_factory.mktemp("built")
    root = folder / "project"
    root.mkdir()
    for name, text in PROJECT.items():
        (root / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch, PackageIndex(password=SECRET) as index:
        # The distribution's own Python is the one that the base image holds, too.
        patch.setenv("PATH", "/usr/bin:/bin")
        patch.delenv("VIRTUAL_ENV", raising=False)
        patch.setenv("PIP_EXTRA_INDEX_URL", index.address)
        base = os.environ["UNTILGREEN_SANDBOX_BASE"]
        settings, problems = read(
            {"sandbox": "docker", "sandbox_base": base, "sandbox_build_network": "host"}
        )
        assert problems == ()
        spec = _spec(_discover(root, settings)[1], settings)
        outcomes, told, seconds = [], [], []
        for turn in (1, 2):
            begun = time.monotonic()
            server = Engine(settings, Journal(folder / f"state{turn}"))
            job, events = asyncio.run(_test(server, root, folder))
            assert job.verdict is not None, (job.error, events)
            seconds.append(time.monotonic() - begun)
            outcomes.append(job.verdict.after.outcomes())
            told.append([getattr(event, "text", "") for event in events])
        image = asyncio.run(image_for(engine, spec, lambda _text: None)).name
    # Whoever cleans the engine meanwhile leaves what is in use.
    keeper = engine.containers.run(image, ["sleep", "1000"], network_mode="none", detach=True)
    yield Built(outcomes, told, seconds, image, spec, index.n_authorized > 0)
    keeper.remove(force=True)
    with contextlib.suppress(docker.errors.ImageNotFound):
        engine.images.remove(image, force=True)


async def _test(server: Engine, root: Path, folder: Path) -> tuple[Any, list[Any]]:
    async with server:
        job = server.test(Goal(root, ()), DiskDesk(root, folder / "intents"), "a test")
        return job, [event async for event in job.events()]


def test_the_projects_tests_find_their_packages_and_the_project_itself(built: Built) -> None:
    names = ("test_packages", "test_itself", "test_python", "test_no_traces")
    assert built.outcomes[0] == {f"test_shop.py::{name}": "passed" for name in names}
    assert built.outcomes[1] == built.outcomes[0]


def test_the_image_is_made_once_and_every_step_is_told(built: Built) -> None:
    first, second = ("\n".join(told) for told in built.told)
    for step in ("building the sandbox image", "getting the installer", "installing the packages", "compil"):
        assert step in first
        assert step not in second
    assert SECRET not in first
    assert built.seconds[1] < built.seconds[0] / 2


def test_no_password_and_no_certificate_is_in_the_image(built: Built, engine: docker.DockerClient) -> None:
    assert built.used_password
    image = engine.images.get(built.image)
    said = json.dumps([image.history(), image.attrs, engine.api.inspect_image(built.image)], default=str)
    assert SECRET not in said
    assert image.labels[OWNER_LABEL] == ""
    assert image.labels[PYTEST_LABEL] == "own"
    container = engine.api.create_container(built.image, ["true"])["Id"]
    try:
        content = b"".join(engine.api.export(container))
    finally:
        engine.api.remove_container(container)
    assert SECRET.encode() not in content
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        names = archive.getnames()
    assert any(name.endswith("site-packages/six.py") for name in names)
    left = [name for name in names if "untilgreen-build" in name or name.startswith(("root/.c", "tmp/"))]
    assert left == []
    assert not any(name.endswith("bin/uv") for name in names)
    # Nothing that was installed has been started while the image was made.
    assert "opt/untilgreen/env/started" not in names


async def test_another_requirement_is_another_image(built: Built, engine: docker.DockerClient) -> None:
    def with_packages(**changed: Any) -> BoxSpec:
        packages = dataclasses.replace(built.spec.packages, **changed)
        # A network that does not exist, so that a build would fail at once.
        return dataclasses.replace(built.spec, packages=packages, building=Building("no-such-network"))

    assert (await image_for(engine, with_packages(), lambda _text: None)).name == built.image
    for changed in ({"requirements": ("six",)}, {"constraints": ("six<2",)}, {"version": "8"}):
        with pytest.raises(NoSandbox, match="no-such-network"):
            await image_for(engine, with_packages(**changed), lambda _text: None)


def spec_with(root: Path, interpreter: Interpreter, *requirements: str, name: str = "") -> BoxSpec:
    packages = Packages(requirements, name=name, version=f"1.{ONCE}" if name else "")
    spec = spec_for("docker", root, interpreter)
    return dataclasses.replace(spec, packages=packages, building=Building("host"))


async def test_a_project_without_requirements_needs_no_network(
    tmp_path: Path, engine: docker.DockerClient
) -> None:
    spec = spec_with(tmp_path, own_interpreter(), name="lonely")
    spec = dataclasses.replace(spec, building=Building("no-such-network"))
    source = "from importlib.metadata import version\ndef test():\n    assert version('lonely') == '1.%s'\n"
    async with open_box(Chosen("docker", "for a test"), spec) as box:
        await put(box, {})
        report = await run_one(box, source % ONCE)
        assert only(report).outcome == "passed", only(report).message
    image = (await image_for(engine, spec, lambda _text: None)).name
    assert engine.images.get(image).labels[PYTEST_LABEL] == "bundled"
    engine.images.remove(image, force=True)


async def test_an_image_that_is_cleaned_away_under_us_is_made_again(
    tmp_path: Path, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []

    async def removed_at_once(*arguments: Any, **named: Any) -> Image:
        image = await image_for(*arguments, **named)
        if not made:
            engine.images.remove(image.name, force=True)
        made.append(image.name)
        return image

    monkeypatch.setattr("untilgreen_sandbox.docker.image_for", removed_at_once)
    spec = spec_with(tmp_path, own_interpreter(), name="cleaned")
    async with open_box(Chosen("docker", "for a test"), spec) as box:
        await put(box, {})
        assert only(await run_one(box, "def test():\n    pass\n")).outcome == "passed"
    assert len(made) == 2 and made[0] == made[1]
    engine.images.remove(made[0], force=True)


async def test_an_environment_without_declared_packages_is_used_as_it_is(
    tmp_path: Path, bare_environment: Interpreter
) -> None:
    chosen = await choose_backend("auto", spec_with(tmp_path, bare_environment))
    assert (chosen.backend, "declares no dependencies" in chosen.why) == ("bubblewrap", True)


async def test_an_unreachable_index_names_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", f"http://me:{SECRET}@127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "1")
    with pytest.raises(NoSandbox) as caught:
        async with open_box(Chosen("docker", ""), spec_with(tmp_path, own_interpreter(), "six", "attrs")):
            pass
    assert "sandbox_build_network" in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("requirements", [("six",), ()], ids=["packages", "none"])
async def test_a_base_of_another_version_is_refused_with_the_way_out(
    tmp_path: Path, requirements: tuple[str, ...]
) -> None:
    spec = spec_with(tmp_path, own_interpreter(), *requirements)
    older = dataclasses.replace(spec.interpreter, version=(3, 39))
    with pytest.raises(
        NoSandbox, match=r"has Python 3\.\d+, but the project uses 3\.39\. Set `sandbox_base`"
    ):
        async with open_box(Chosen("docker", ""), dataclasses.replace(spec, interpreter=older)):
            pass


async def test_a_cancelled_build_ends_at_once_and_leaves_nothing(
    tmp_path: Path, engine: docker.DockerClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set(containers_of(os.getpid()))
    with PackageIndex(silent=True) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.address)
        task = asyncio.create_task(choose_backend("docker", spec_with(tmp_path, own_interpreter(), "hangs")))
        while not index.n_requests:
            assert not task.done(), task
            await asyncio.sleep(0.05)
        assert len(set(containers_of(os.getpid())) - before) == 1
        begun = time.monotonic()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert time.monotonic() - begun < 5
    assert set(containers_of(os.getpid())) == before


KILLED = """\
import asyncio, sys
from pathlib import Path
from boxes import own_interpreter
from sandbox.test_image import spec_with
from untilgreen_sandbox.box import choose_backend
asyncio.run(choose_backend("docker", spec_with(Path(sys.argv[1]), own_interpreter(), "hangs")))
"""


def test_a_killed_build_is_taken_away_at_the_next_start(tmp_path: Path, engine: docker.DockerClient) -> None:
    places = [*sys.path, str(Path(__file__).parent.parent)]
    with PackageIndex(silent=True) as index:
        process = subprocess.Popen(
            [sys.executable, "-c", KILLED, tmp_path],
            env={
                **os.environ,
                "PIP_INDEX_URL": index.address,
                "PYTHONPATH": os.pathsep.join(filter(None, places)),
            },
        )
        try:
            eventually(lambda: index.n_requests, 40)
        finally:
            process.send_signal(signal.SIGKILL)
            process.wait()
    assert len(containers_of(process.pid)) == 1
    reap(engine)
    eventually(lambda: not containers_of(process.pid))
