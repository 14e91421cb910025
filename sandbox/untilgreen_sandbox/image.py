"""Images: found, or made once from a base and kept under a name that says what went in."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import docker
import docker.errors

from untilgreen_sandbox.box import BoxSpec
from untilgreen_sandbox.build import ENGINE_ERRORS, PYTHON_LABEL, Build, Progress
from untilgreen_sandbox.bundle import bundled_packages
from untilgreen_sandbox.errors import NoSandbox, SandboxError
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


async def image_for(client: docker.DockerClient, spec: BoxSpec, progress: Progress) -> Image:
    """The image for this project, made when it is not there; being cancelled ends what is under way."""
    stop = threading.Event()
    working = asyncio.ensure_future(asyncio.to_thread(_ensure, client, spec, progress, stop))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        stop.set()
        with contextlib.suppress(SandboxError):
            await working
        raise


def _ensure(client: docker.DockerClient, spec: BoxSpec, progress: Progress, stop: threading.Event) -> Image:
    try:
        if spec.image:
            return Image(
                spec.image, _require(client, spec.image, progress, stop).get(PYTHON_LABEL, "python3")
            )
        base = spec.base_image or f"python:{'.'.join(map(str, spec.interpreter.version))}-slim"
        _require(client, base, progress, stop)
        found = client.images.get(base)
        bundled = _bundled(spec)
        key = image_key(str(found.id), str(found.attrs.get("Architecture")), spec, bundled.items())
        name = f"{REPOSITORY}:{key}"
        if (labels := _labels(client, name)) is None:
            progress(f"building the sandbox image from {base}")
            with Build(client, spec, base, progress, stop) as build:
                labels = build.make(bundled) | {LABEL: key}
                build.commit(name, labels)
        return Image(name, labels.get(PYTHON_LABEL) or "python3")
    except ENGINE_ERRORS as error:
        said = "it was stopped" if stop.is_set() else _first_line(error)
        raise NoSandbox(f"the sandbox image could not be had: {said}.") from error


def _require(
    client: docker.DockerClient, name: str, progress: Progress, stop: threading.Event
) -> Mapping[str, str]:
    """The labels of an image that is here, or is pulled."""
    if (labels := _labels(client, name)) is not None:
        return labels
    progress(f"pulling {name}")
    repository, _, tag = name.rpartition(":") if ":" in name.rsplit("/", 1)[-1] else (name, "", "latest")
    said = ""
    try:
        for line in client.api.pull(repository, tag=tag, stream=True, decode=True):
            said = str(line.get("error", ""))
            if said or stop.is_set():
                break
    except docker.errors.APIError as error:
        said = _first_line(error)
    if (labels := _labels(client, name)) is None:
        raise NoSandbox(
            f"the image {name} is not here and cannot be pulled ({said or 'it was stopped'}). "
            "Pull it by hand, or set `sandbox_base` to an image you have."
        )
    return labels


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
