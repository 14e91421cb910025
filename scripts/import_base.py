"""Import a root file system into the Docker engine under a name, unless that name already has it.

usage: import_base.py TAR REPOSITORY:TAG KEY
"""

from __future__ import annotations

import contextlib
import json
import sys
import time

import docker
import docker.errors

LABEL = "untilgreen.base"


def import_base(tar: str, name: str, key: str) -> None:
    client = docker.from_env()
    try:
        old = client.images.get(name)
    except docker.errors.ImageNotFound:
        old = None
    if old is not None and old.labels.get(LABEL) == key:
        return
    started = time.monotonic()
    repository, tag = name.split(":")
    changes = [f"LABEL {LABEL}={key}", "ENV LANG=C.UTF-8", 'CMD ["python3"]']
    answer = client.api.import_image_from_file(tar, repository, tag, changes)
    for line in answer.splitlines():
        if "error" in (status := json.loads(line)):
            sys.exit(f"error: the engine refused the base image: {status['error']}")
    if old is not None:
        with contextlib.suppress(docker.errors.APIError):  # Somebody's container may still use it.
            old.remove()
    print(f"base image: imported as {name} in {time.monotonic() - started:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    import_base(*sys.argv[1:])
