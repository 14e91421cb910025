"""What figures depend on: the machine, the versions, the commit, and what else was going on."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

from bench.projects import HEAVY
from bench.surroundings import surroundings_of

REPOSITORY = Path(__file__).parent.parent.parent


def machine() -> list[str]:
    """One fact per line; nothing that names this machine."""
    surroundings = surroundings_of(HEAVY)
    packages = dict(package.split("==") for package in surroundings.packages)
    named = ", ".join(f"{name} {packages[name]}" for name in ("pytest", "numpy", "pandas"))
    engine = _said("docker", "version", "--format", "{{.Server.Version}}")
    client = _said("docker", "version", "--format", "{{.Client.Version}}")
    return [
        hardware(),
        f"tests run with Python {surroundings.version}, {named}; ourselves with Python "
        f"{platform.python_version()}",
        f"Docker engine {engine}, its command line {client}; {_said('bwrap', '--version')}; "
        f"{_said('git', '--version')}",
    ]


def hardware() -> str:
    cpu = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    memory = re.search(r"^MemTotal:\s+(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    return (
        f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} processors, "
        f"{int(memory[1]) / (1 << 20) if memory else 0:.0f} GB of memory, Linux {platform.release()}"
    )


def commit() -> str:
    known = _said("git", "-C", str(REPOSITORY), "rev-parse", "--short=12", "HEAD")
    # The pages themselves are written by the measurements.
    pages = (":!docs/benchmarks.md", ":!docs/repair.md")
    words = ("git", "-C", str(REPOSITORY), "status", "--porcelain", "--", ".", *pages)
    return known + (" with changes" if _said(*words) else "")


def date() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


def load() -> str:
    return f"{os.getloadavg()[0]:.2f}"


def _said(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
