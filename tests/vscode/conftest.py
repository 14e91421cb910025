"""The extension as users get it, packed and installed in the real VS Code; all suites run once, in one go."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

HERE = Path(__file__).parent
REPOSITORY = HERE.parent.parent
NODE = REPOSITORY / ".cache/vscode/node/bin/node"
# In this order: a window of several folders that comes after others was once opened without any.
SOURCES = {
    "folders": ("harness/folders.js",),
    "host": tuple(f"harness/{part}.js" for part in ("solving", "reviewing", "explorer", "lifecycle")),
    "watch": ("harness/watch.js",),
    "saving": ("driver/trusting.mjs", "driver/saving.mjs"),
    "screen": tuple(f"driver/{part}.mjs" for part in ("looking", "choosing", "losing", "beginning")),
}
MOST_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Result:
    """What one check said."""

    error: str
    seconds: float


def checks(suite: str) -> list[str]:
    """The names of a suite's checks, as they stand in its source."""
    text = "\n".join((HERE / path).read_text() for path in SOURCES[suite])
    return re.findall(r'^  \["(.+)", (?:async|\(\) =>)', text, re.MULTILINE)


@pytest.fixture(scope="session")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy: whoever makes one beside this run begins by removing the last."""
    with (REPOSITORY / ".cache/vsix.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run([REPOSITORY / "scripts/vsix"], check=True, stdin=subprocess.DEVNULL)
        [path] = (REPOSITORY / "editors/vscode").glob("untilgreen-*.vsix")
        return Path(shutil.copy(path, tmp_path_factory.mktemp("vsix")))


@pytest.fixture(scope="session")
def results(
    vsix: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[Mapping[tuple[str, str], Result]]:
    """Of all suites that somebody asks for."""
    folder = tmp_path_factory.mktemp("vscode")
    asked = [item for item in request.session.items if "results" in getattr(item, "fixturenames", ())]
    wanted = {getattr(item, "callspec").params["suite"] for item in asked}  # noqa: B009
    suites = [suite for suite in SOURCES if suite in wanted]
    command: list[str | Path] = [NODE, HERE / "driver/main.mjs", folder, vsix, *suites]
    # A group of its own, so that nothing of it is left behind.
    driver = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        driver.wait(MOST_SECONDS)
        yield read(folder / "results.jsonl")
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(driver.pid, signal.SIGKILL)


def read(path: Path) -> Mapping[tuple[str, str], Result]:
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    return {(line["suite"], line["name"]): Result(line["error"], line["seconds"]) for line in lines}
