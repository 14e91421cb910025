"""Containers on the engine, and whose they are: other runs of tests may use the same engine meanwhile."""

from __future__ import annotations

import docker

from untilgreen_sandbox.docker import OWNER_LABEL
from untilgreen_sandbox.owner import Owner, is_gone


def containers_of(pid: int, engine: docker.DockerClient | None = None) -> list[str]:
    """Those that this process owns, on this engine or on the one that the environment names."""
    return [name for name, owner in _owned(engine) if owner.pid == pid]


def containers_left() -> list[str]:
    """Those whose owner has ended."""
    return [name for name, owner in _owned(None) if is_gone(owner)]


def _owned(engine: docker.DockerClient | None) -> list[tuple[str, Owner]]:
    client = engine or docker.from_env()
    try:
        found = client.containers.list(all=True, filters={"label": OWNER_LABEL}, ignore_removed=True)
        owners = [(str(one.id), Owner.parse(one.labels[OWNER_LABEL])) for one in found]
    finally:
        if engine is None:
            client.close()
    return [(name, owner) for name, owner in owners if owner is not None]
