"""Virtual environments with packages in them, made once and kept in `.cache/` under a name for their list."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

from boxes import environment_at
from untilgreen_sandbox.box import Interpreter

CACHE = Path(__file__).parent.parent.parent / ".cache" / "environments"


def environment_with(*packages: str) -> Interpreter:
    """An environment with these packages. One that cannot be made is an error, never a skip."""
    key = hashlib.blake2b(" ".join((sys.version, sys.base_prefix, *packages)).encode(), digest_size=6)
    folder = CACHE / key.hexdigest()
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        # The mark is made last: an environment without it was left by a run that did not get to its end.
        if not (folder / "complete").exists():
            venv.create(folder, clear=True, symlinks=True, with_pip=False)
            _pip(folder, packages)
            (folder / "complete").write_text(" ".join(packages))
    return environment_at(folder, has_pytest=any(name.startswith("pytest") for name in packages))


def install_editable(project: Path, environment: Path) -> None:
    """As `pip install -e .` does it, in an environment that has neither pip nor setuptools itself."""
    needed = "a C compiler and Python.h are needed (Debian: gcc, libc6-dev and python3-dev)"
    assert shutil.which("cc") and Path(sysconfig.get_path("include"), "Python.h").exists(), needed
    (setuptools,) = environment_with("setuptools").prefix.glob("lib/python*/site-packages")
    options = ("--no-build-isolation", "--no-deps", "--no-index", "--editable")
    _pip(environment, (*options, str(project)), PYTHONPATH=str(setuptools))


def _pip(environment: Path, words: tuple[str, ...], **variables: str) -> None:
    command = [sys.executable, "-m", "pip", "--python", str(environment / "bin/python"), "install", "--quiet"]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PIP_NO_INPUT": "1", **variables},
    )
    assert done.returncode == 0, done.stdout + done.stderr
