"""Images: found, or made once from a base and kept under a name that says what went in."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import docker.errors

from untilgreen_sandbox.box import BoxSpec
from untilgreen_sandbox.build import ENGINE_ERRORS, PYTHON_LABEL, WATCH_SECONDS, Build, Progress
from untilgreen_sandbox.bundle import bundled_packages
from untilgreen_sandbox.errors import NoSandbox, SandboxError
from untilgreen_sandbox.failed import FailedImages
from untilgreen_sandbox.index import index_environment
from untilgreen_sandbox.recipe import image_key

REPOSITORY = "untilgreen"
LABEL = "untilgreen.image"


@dataclass(frozen=True, slots=True)
class Image:
    """One that can run a project's tests."""

    name: str
    python: str = "python3"

    @property
    def environment(self) -> dict[str, str]:
        """What tests find in their environment because of the Python they run with."""
        if self.python == "python3":
            return {}
        folder = self.python.removesuffix("/bin/python")
        return {"PATH": f"{folder}/bin:/usr/local/bin:/usr/bin:/bin", "VIRTUAL_ENV": folder}


async def image_for(
    client: docker.DockerClient, spec: BoxSpec, progress: Progress, *, remember: bool = False
) -> Image:
    """The image for this project, made when it is not there; being cancelled ends what is under way.

    With `remember`, what failed a short time ago is not tried again, and the reason is told once more.
    """
    stop = threading.Event()
    attempt = _Attempt(client, spec, progress, stop, remember)
    working = asyncio.ensure_future(asyncio.to_thread(attempt.ensure))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        stop.set()
        with contextlib.suppress(SandboxError):
            await working
        raise


@dataclass(frozen=True, slots=True)
class _Attempt:
    """All that is at hand while one image is found or made."""

    client: docker.DockerClient
    spec: BoxSpec
    progress: Progress
    stop: threading.Event
    remember: bool

    def ensure(self) -> Image:
        client, spec, stop = self.client, self.spec, self.stop
        try:
            if spec.image:
                labels = self._had(spec.image, lambda: _require(client, spec.image, self.progress, stop))
                return Image(spec.image, labels.get(PYTHON_LABEL, "python3"))
            base = spec.base_image or f"python:{'.'.join(map(str, spec.interpreter.version))}-slim"
            self._had(base, lambda: _require(client, base, self.progress, stop))
            found = client.images.get(base)
            bundled = _bundled(spec)
            key = image_key(str(found.id), str(found.attrs.get("Architecture")), spec, bundled.items())
            name = f"{REPOSITORY}:{key}"
            made = _labels(client, name)
            if made is None:
                made = self._had(name, lambda: self._build(base, name, bundled))
            return Image(name, made.get(PYTHON_LABEL) or "python3")
        except ENGINE_ERRORS as error:
            raise NoSandbox(f"the sandbox image could not be had: {_first_line(error)}.") from error

    def _build(self, base: str, name: str, bundled: Mapping[str, bytes]) -> Mapping[str, str]:
        self.progress(f"building the sandbox image from {base}")
        with Build(self.client, self.spec, base, self.progress, self.stop) as build:
            labels = build.make(bundled) | {LABEL: name.partition(":")[2]}
            build.commit(name, labels)
        return labels

    def _had(self, name: str, get: Callable[[], Mapping[str, str]]) -> Mapping[str, str]:
        """What `get` brings; a failure is noted, unless somebody stopped it."""
        failed = FailedImages.of_the_user(os.environ)
        key = json.dumps(
            [name, dataclasses.asdict(self.spec.building), sorted(index_environment(os.environ).items())]
        )
        # What is here already is looked for all the same: somebody may have pulled it by hand.
        if self.remember and (reason := failed.reason(key)) and _labels(self.client, name) is None:
            raise NoSandbox(reason)
        try:
            labels = get()
        except (*ENGINE_ERRORS, NoSandbox) as error:
            if self.stop.is_set():
                raise NoSandbox("the sandbox image could not be had: it was stopped.") from error
            said = _first_line(error)
            reason = (
                str(error) if isinstance(error, NoSandbox) else f"the sandbox image could not be had: {said}."
            )
            if self.remember:
                failed.note(key, reason)
            raise NoSandbox(reason) from error
        failed.forget(key)
        return labels


def _require(
    client: docker.DockerClient, name: str, progress: Progress, stop: threading.Event
) -> Mapping[str, str]:
    """The labels of an image that is here, or is pulled."""
    if (labels := _labels(client, name)) is not None:
        return labels
    progress(f"pulling {name}")
    repository, _, tag = name.rpartition(":") if ":" in name.rsplit("/", 1)[-1] else (name, "", "latest")
    said = _pulled(client, repository, tag, stop)
    if (labels := _labels(client, name)) is None:
        raise NoSandbox(
            f"the image {name} is not here and cannot be pulled ({said or 'it was stopped'}). "
            "Pull it by hand, or set `sandbox_base` to an image you have."
        )
    return labels


def _pulled(client: docker.DockerClient, repository: str, tag: str, stop: threading.Event) -> str:
    """What was wrong; empty when nothing was, or somebody stopped it."""
    wrong: list[str] = []

    def pull() -> None:
        try:
            for line in client.api.pull(repository, tag=tag, stream=True, decode=True):
                if stop.is_set():
                    return
                wrong.extend(filter(None, [str(line.get("error", ""))]))
        except ENGINE_ERRORS as error:
            wrong.append(_first_line(error))

    # A registry that says nothing is waited for in a read that nothing else ends: then nobody waits for it.
    pulling = threading.Thread(target=pull, daemon=True)
    pulling.start()
    while pulling.is_alive() and not stop.is_set():
        pulling.join(WATCH_SECONDS)
    return "".join(wrong[:1])


def _labels(client: docker.DockerClient, name: str) -> Mapping[str, str] | None:
    """None when there is no such image."""
    try:
        return client.images.get(name).labels
    except docker.errors.ImageNotFound:
        return None


def _bundled(spec: BoxSpec) -> dict[str, bytes]:
    """Our pytest, by path; nothing when the Python is too old for it and the project declares packages."""
    try:
        packages = bundled_packages(dataclasses.replace(spec.interpreter, has_pytest=False))
    except SandboxError as error:
        if spec.packages.requirements:
            return {}
        raise NoSandbox("the project declares no pytest, and ours needs Python 3.11; declare it.") from error
    return {name: path.read_bytes() for path, name in _files(packages)}


def _files(packages: tuple[Path, ...]) -> Iterator[tuple[Path, str]]:
    for package in packages:
        for path in [package] if package.is_file() else sorted(package.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path, path.relative_to(package.parent).as_posix()


def _first_line(error: Any) -> str:
    text = getattr(error, "explanation", None) or str(error)
    return (str(text).strip().splitlines() or ["no reason was given"])[0]
