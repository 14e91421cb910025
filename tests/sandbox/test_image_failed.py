"""An image that could not be made is not tried again by every job, and the reason is told each time."""

from __future__ import annotations

import asyncio
import dataclasses
import os
import time
from pathlib import Path

import pytest

from containers import containers_of
from sandbox.package_index import PackageIndex
from sandbox.test_image import spec_with
from untilgreen_sandbox.box import Backend, BoxSpec, Building, Interpreter, choose_backend
from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.failed import REMEMBERED_SECONDS, FailedImages
from untilgreen_sandbox.inventory import take_inventory


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))


@pytest.fixture
def spec(tmp_path: Path, bare_environment: Interpreter) -> BoxSpec:
    """An image that cannot be made, which the engine says at once."""
    spec = spec_with(tmp_path / "project", bare_environment, "untilgreen-private")
    return dataclasses.replace(spec, building=Building("no-such-network"))


async def tried(spec: BoxSpec, wanted: Backend = "auto") -> tuple[bool, str]:
    """Whether an image was begun, and what a user is told in the end."""
    said: list[str] = []
    try:
        why = (await choose_backend(wanted, spec, said.append)).why
    except NoSandbox as error:
        why = str(error)
    return any(text.startswith(("building", "pulling")) for text in said), why


async def test_a_failed_build_shows_its_last_lines_and_bubblewrap_takes_over(
    tmp_path: Path, bare_environment: Interpreter
) -> None:
    before = set(containers_of(os.getpid()))
    spec = spec_with(tmp_path / "project", bare_environment, "six", "untilgreen-no-such-package>=3")
    chosen = await choose_backend("auto", spec)
    assert set(containers_of(os.getpid())) == before
    assert chosen.backend == "bubblewrap"
    assert "untilgreen-no-such-package was not found" in chosen.why
    assert "The index has no such package" in chosen.why
    lines = [line for line in chosen.why.splitlines() if line.startswith("  ")]
    assert 0 < len(lines) <= 10
    begun, again = await tried(spec)
    assert not begun
    assert again.startswith(chosen.why)


async def test_a_failure_is_remembered_until_something_is_different(
    spec: BoxSpec, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, first = await tried(spec)
    assert begun and "no-such-network" in first
    begun, again = await tried(spec)
    assert not begun
    assert again.startswith(first) and "`untilgreen doctor` lets it be tried" in again
    assert (await tried(spec))[1].count("seconds ago") == 1, "what is repeated does not grow"

    other = dataclasses.replace(spec.packages, requirements=("untilgreen-private==1.0",))
    assert (await tried(dataclasses.replace(spec, packages=other)))[0], "another requirement"
    assert (await tried(dataclasses.replace(spec, building=Building("no-such-one"))))[0], "another network"
    assert (await tried(spec, "docker"))[0], "somebody asks for this backend"
    assert not (await tried(spec))[0]
    take_inventory()
    assert (await tried(spec))[0], "somebody has looked for what is wrong"
    assert not (await tried(spec))[0]
    monkeypatch.setenv("PIP_TRUSTED_HOST", "somewhere.example")
    assert (await tried(spec))[0], "another way to the index"


async def test_an_image_that_cannot_be_pulled(spec: BoxSpec) -> None:
    spec = dataclasses.replace(spec, base_image="127.0.0.1:9/nobody/nothing:1")
    for turn in (1, 2):
        begun, why = await tried(spec)
        assert (begun, "is not here and cannot be pulled" in why) == (turn == 1, True)


async def test_without_a_setting_the_base_is_the_slim_image_of_the_version(spec: BoxSpec) -> None:
    newer = dataclasses.replace(spec.interpreter, version=(3, 38), here=False)
    begun, why = await tried(dataclasses.replace(spec, interpreter=newer, base_image=""))
    assert begun
    assert "the image python:3.38-slim is not here and cannot be pulled" in why
    assert "asks for Python 3.38, which this machine does not have" in why


async def test_a_build_that_was_stopped_did_not_fail(
    spec: BoxSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = dataclasses.replace(spec, building=Building("host"))
    with PackageIndex(silent=True) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.address)
        task = asyncio.create_task(tried(spec))
        while not index.n_requests:
            assert not task.done(), task
            await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert not (tmp_path / "state/failed-images").exists()


def test_it_is_forgotten_after_a_while(tmp_path: Path) -> None:
    failed = FailedImages.of_the_user({"UNTILGREEN_STATE": str(tmp_path)})
    failed.note("key", "no wheel")
    failed.note("other", "no index")
    assert "no wheel\nThis was 0 seconds ago" in (failed.reason("key") or "")
    assert failed.reason("unknown") is None
    files = list((tmp_path / "failed-images").iterdir())
    assert len(files) == 2 and not any("key" in file.name for file in files)
    for age in (REMEMBERED_SECONDS + 1, -60):
        for file in files:
            os.utime(file, (time.time() - age, time.time() - age))
        assert failed.reason("key") is None
    failed.note("key", "no network")
    assert "no network" in (failed.reason("key") or "")
    failed.forget("key")
    assert failed.reason("key") is None


def test_a_place_that_cannot_be_written_remembers_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    failed = FailedImages(tmp_path / "file" / "failed-images")
    failed.note("key", "no wheel")
    failed.forget("key")
    failed.forget_all()
    assert failed.reason("key") is None
    for environ in ({}, {"HOME": "/home/me"}, {"XDG_CACHE_HOME": "/caches", "HOME": "/home/me"}):
        assert FailedImages.of_the_user(environ).reason("key") is None
