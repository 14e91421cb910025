"""Images: found, or built once from a base and kept under a name that says what went in."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import docker
import docker.errors

from untilgreen_sandbox.box import BoxSpec
from untilgreen_sandbox.bundle import INSIDE, bundled_packages
from untilgreen_sandbox.errors import NoSandbox

REPOSITORY = "untilgreen"
LABEL = "untilgreen.image"
DOCKERFILE = f"""\
FROM {{base}}
COPY packages/ {INSIDE}/
LABEL {LABEL}={{key}}
"""


def ensure_image(client: docker.DockerClient, spec: BoxSpec, progress: Callable[[str], None]) -> str:
    """The name of an image that can run this project's tests. Blocking; a pull takes minutes."""
    if spec.image:
        _require(client, spec.image, progress)
        return spec.image
    base = spec.base_image or f"python:{'.'.join(map(str, spec.interpreter.version))}-slim"
    _require(client, base, progress)
    packages = bundled_packages(spec.interpreter)
    key = _key(client.images.get(base).id or base, packages)
    name = f"{REPOSITORY}:{key}"
    if not _present(client, name):
        progress(f"building the sandbox image from {base}")
        _build(client, name, DOCKERFILE.format(base=base, key=key), packages)
    return name


def _require(client: docker.DockerClient, name: str, progress: Callable[[str], None]) -> None:
    if _present(client, name):
        return
    progress(f"pulling {name}")
    repository, _, tag = name.rpartition(":") if ":" in name.rsplit("/", 1)[-1] else (name, "", "latest")
    try:
        client.images.pull(repository, tag=tag)
    except docker.errors.APIError as error:
        raise NoSandbox(
            f"the image {name} is not here and cannot be pulled ({_first_line(error)}). "
            "Pull it by hand, or set `sandbox_base` to an image you have."
        ) from error


def _present(client: docker.DockerClient, name: str) -> bool:
    try:
        client.images.get(name)
    except docker.errors.ImageNotFound:
        return False
    return True


def _build(client: docker.DockerClient, name: str, dockerfile: str, packages: tuple[Path, ...]) -> None:
    try:
        client.images.build(
            fileobj=_context(dockerfile, packages), custom_context=True, tag=name, rm=True, forcerm=True
        )
    except (docker.errors.BuildError, docker.errors.APIError) as error:
        raise NoSandbox(f"the sandbox image could not be built: {_first_line(error)}") from error


def _context(dockerfile: str, packages: tuple[Path, ...]) -> io.BytesIO:
    """A build context with nothing in it but what the image needs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as context:
        _add(context, "Dockerfile", dockerfile.encode())
        folder = tarfile.TarInfo("packages")
        folder.type, folder.mode = tarfile.DIRTYPE, 0o755
        context.addfile(folder)
        for path, name in _files(packages):
            _add(context, f"packages/{name}", path.read_bytes())
    buffer.seek(0)
    return buffer


def _add(context: tarfile.TarFile, name: str, content: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    context.addfile(info, io.BytesIO(content))


def _files(packages: tuple[Path, ...]) -> list[tuple[Path, str]]:
    found: list[tuple[Path, str]] = []
    for package in packages:
        paths = (
            [package]
            if package.is_file()
            else sorted(
                path for path in package.rglob("*") if path.is_file() and "__pycache__" not in path.parts
            )
        )
        found += [(path, path.relative_to(package.parent).as_posix()) for path in paths]
    return found


def _key(base: str, packages: tuple[Path, ...]) -> str:
    digest = hashlib.blake2b(f"{base}\n{DOCKERFILE}\n".encode(), digest_size=8)
    for path, name in _files(packages):
        digest.update(f"{name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def _first_line(error: Any) -> str:
    text = getattr(error, "explanation", None) or str(error)
    return (str(text).strip().splitlines() or ["no reason was given"])[0]
