"""What an engine holds of ours, and how to give it back."""

from __future__ import annotations

import os
from dataclasses import dataclass

import docker
import docker.errors

from untilgreen_sandbox.docker import connect, reap
from untilgreen_sandbox.failed import FailedImages
from untilgreen_sandbox.image import LABEL


@dataclass(frozen=True, slots=True)
class ImageSize:
    name: str
    megabytes: int


@dataclass(frozen=True, slots=True)
class Inventory:
    engine: str
    """Version of the engine that answers."""
    images: tuple[ImageSize, ...]


def take_inventory() -> Inventory:
    """Raises NoSandbox when no engine answers. Blocking.

    Whoever looks has perhaps put something right: images that could not be had may be tried again.
    """
    FailedImages.of_the_user(os.environ).forget_all()
    client = connect()
    try:
        found = client.images.list(filters={"label": LABEL})
        sizes = [ImageSize(_name(image.tags), int(image.attrs.get("Size", 0)) >> 20) for image in found]
        return Inventory(
            str(client.version().get("Version", "?")), tuple(sorted(sizes, key=lambda one: one.name))
        )
    finally:
        client.close()


def remove_images() -> tuple[str, ...]:
    """Remove containers whose owner is gone and every image we built; those in use stay. Blocking."""
    FailedImages.of_the_user(os.environ).forget_all()
    client = connect()
    try:
        reap(client)
        removed = []
        for image in client.images.list(filters={"label": LABEL}):
            try:
                client.images.remove(image.id or "", force=True)
            except docker.errors.APIError as error:
                if error.status_code != 409:
                    raise
            else:
                removed.append(_name(image.tags))
        return tuple(sorted(removed))
    finally:
        client.close()


def _name(tags: list[str]) -> str:
    return tags[0] if tags else "(no name)"
