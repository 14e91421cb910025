"""One container in which an image is made.

It is committed, not built by a Dockerfile: what a step has in its environment, or in files that are gone
before the end, is then in no layer and in no history.
"""

from __future__ import annotations

import contextlib
import io
import os
import tarfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

import docker
import docker.errors
from docker.utils.socket import frames_iter
from requests.exceptions import RequestException

from untilgreen_sandbox import recipe
from untilgreen_sandbox.box import BoxSpec
from untilgreen_sandbox.bundle import INSIDE
from untilgreen_sandbox.editable import PYTHON, installed_project
from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.index import certificates, hidden, index_environment
from untilgreen_sandbox.owner import this_process
from untilgreen_sandbox.text import clean

OWNER_LABEL = "untilgreen.owner"
PYTHON_LABEL = "untilgreen.python"
"""The Python of the project's packages; an image without this label has only python3."""
PYTEST_LABEL = "untilgreen.pytest"
"""Whose pytest the image has: the project's own, or the one that we bring."""
BUILD_SECONDS = 1800
PROGRESS_SECONDS = 0.3
WATCH_SECONDS = 0.2
REMOVE_SECONDS = 20
KEPT_LINES = 200
ENGINE_ERRORS = (docker.errors.DockerException, RequestException, OSError)

Progress = Callable[[str], None]


class Build:
    """One container from its creation to its removal, whatever happens in between."""

    def __init__(
        self, client: docker.DockerClient, spec: BoxSpec, base: str, progress: Progress, stop: threading.Event
    ) -> None:
        self._api: Any = client.api
        self._client, self._spec, self._base = client, spec, base
        self._progress, self._stop = progress, stop
        self._index = index_environment(os.environ)
        self._told = 0.0
        self._done = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._container = ""

    def __enter__(self) -> Build:
        packages = self._spec.packages
        self._container = self._api.create_container(
            self._base,
            ["python3", "-I", "-S", "-c", f"import time; time.sleep({2 * BUILD_SECONDS})"],
            entrypoint=[],
            user="0",
            labels={OWNER_LABEL: this_process().text()},
            # The client's own configuration may name a proxy with a password, and this would stay.
            use_config_proxy=False,
            host_config=self._api.create_host_config(
                auto_remove=True,
                init=True,
                network_mode=self._spec.building.network if packages.requirements else "none",
                cap_drop=["ALL"],
                security_opt=["no-new-privileges"],
                pids_limit=1024,
                log_config=docker.types.LogConfig(type="none"),
            ),
        )["Id"]
        self._watcher.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._watcher.join()
        remove(self._client, self._container)
        with contextlib.suppress(docker.errors.NotFound):
            self._api.wait(self._container, timeout=REMOVE_SECONDS, condition="removed")

    def make(self, bundled: Mapping[str, bytes]) -> dict[str, str]:
        """Put everything in; returns what the image's labels must say."""
        spec = self._spec
        labels = {PYTEST_LABEL: "bundled"}
        self._api.start(self._container)
        self._probe()
        if spec.packages.requirements or spec.packages.name:
            trusted = certificates(spec.building.ca, os.environ) if spec.packages.requirements else b""
            self._put(recipe.work_files(spec.packages, trusted))
            for step in recipe.steps(spec):
                self._run(step, trusted)
            self._put(installed_project(spec))
            if spec.packages.entry_points:
                self._run(recipe.COMMANDS, trusted)
            has_pytest = self._exec(recipe.HAS_PYTEST, {})[1][-1:] not in ([], ["0"])
            labels = {PYTHON_LABEL: PYTHON, PYTEST_LABEL: "own" if has_pytest else "bundled"}
        if labels[PYTEST_LABEL] == "bundled":
            if not bundled:
                raise NoSandbox(
                    "the project's dependencies hold no pytest, and ours needs Python 3.11; declare it."
                )
            self._put({f"{INSIDE[1:]}/{name}": content for name, content in bundled.items()})
        for step in recipe.LAST_STEPS:
            self._run(step, b"")
        return labels

    def commit(self, name: str, labels: Mapping[str, str]) -> None:
        repository, _, tag = name.partition(":")
        # A label of the container can be emptied here, but not be left out.
        said = {**labels, OWNER_LABEL: ""}
        changes = ['CMD ["python3"]', *(f'LABEL {key}="{value}"' for key, value in said.items())]
        self._api.commit(self._container, repository=repository, tag=tag, changes=changes)

    def _probe(self) -> None:
        status, lines = self._exec(recipe.PROBE, {})
        version = ".".join(map(str, self._spec.interpreter.version))
        words = lines[-1].split() if lines and status == 0 else [""]
        if status != 0:
            raise NoSandbox(
                f"the base image {self._base} has no python3; set `sandbox_base` to one that has."
            )
        if words[0] != version:
            raise NoSandbox(
                f"the base image {self._base} has Python {words[0]}, but the project uses {version}. "
                "Set `sandbox_base` to an image with that Python, or `python` to the interpreter you mean."
            )
        packages = self._spec.packages
        needed = ("venv", "ensurepip") if packages.requirements else ("venv",) if packages.name else ()
        if missing := [module for module in needed if module not in words]:
            raise NoSandbox(
                f"the Python of the base image {self._base} has no {' and no '.join(missing)}, so nothing "
                "can be installed; add it (Debian: python3-venv), or set `sandbox_base` to another image."
            )

    def _run(self, step: recipe.Step, trusted: bytes) -> None:
        self._progress(f"sandbox image: {step.text}")
        environment = recipe.step_environment(self._index, bool(trusted), online=step.online)

        def tell(line: str) -> None:
            if line.strip() and time.monotonic() - self._told > PROGRESS_SECONDS:
                self._told = time.monotonic()
                self._progress(f"sandbox image: {step.text}: {clean(line.strip())[:120]}")

        status, lines = self._exec(step.command, environment, tell)
        if status != 0 and not step.may_fail:
            raise NoSandbox(recipe.why_it_failed(step, lines, self._spec))

    def _exec(
        self, command: tuple[str, ...], environment: Mapping[str, str], tell: Progress = lambda _line: None
    ) -> tuple[int, list[str]]:
        """The exit status and the last lines; no line holds a password."""
        name = self._api.exec_create(
            self._container, list(command), environment=dict(environment), user="0", workdir="/"
        )["Id"]
        lines: list[str] = []
        stream = self._api.exec_start(name, socket=True)
        # Closing what docker-py gives leaves the socket in it to the collector.
        with contextlib.closing(getattr(stream, "_sock", stream)), contextlib.closing(stream):
            frames = frames_iter(stream, tty=False)  # type: ignore[no-untyped-call]
            for line in _lines(data for _, data in frames):
                lines = [*lines[-KEPT_LINES:], hidden(line, self._index)]
                tell(lines[-1])
        if self._stop.is_set():
            raise NoSandbox("the building of the image was stopped.")
        return int(self._api.exec_inspect(name)["ExitCode"] or 0), lines

    def _put(self, files: Mapping[str, bytes]) -> None:
        if files and not self._api.put_archive(self._container, "/", _archive(files)):
            raise NoSandbox("the engine did not take the files for the image.")

    def _watch(self) -> None:
        """A silent installer is waited for in a read that nothing else ends."""
        deadline = time.monotonic() + BUILD_SECONDS
        while not self._done.wait(WATCH_SECONDS):
            if self._stop.is_set() or time.monotonic() > deadline:
                self._stop.set()
                with contextlib.suppress(*ENGINE_ERRORS):
                    remove(self._client, self._container)
                return


def remove(client: docker.DockerClient, container: str) -> None:
    # Gone already, or just going by itself: both are what we want.
    with contextlib.suppress(docker.errors.NotFound):
        try:
            client.api.remove_container(container, force=True, v=True)
        except docker.errors.APIError as error:
            if error.status_code != 409:
                raise


def _archive(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        # The engine would make folders that anybody can write; those of the base are not ours to change.
        parents = {
            parent for name in files for parent in PurePosixPath(name).parents if len(parent.parts) > 1
        }
        for parent in sorted(parents):
            info = tarfile.TarInfo(str(parent))
            info.type, info.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(info)
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(content), 0o644
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def _lines(chunks: Iterator[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *whole, rest = (rest + chunk).replace(b"\r", b"\n").split(b"\n")
        yield from (line.decode("utf-8", "replace") for line in whole)
        rest = rest[-65_536:]
    if rest:
        yield rest.decode("utf-8", "replace")
