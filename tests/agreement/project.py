"""The projects that candidates are made from: ours, beside this file, and published ones from the index."""

from __future__ import annotations

import dataclasses
import fcntl
import functools
import io
import os
import subprocess
import sys
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from boxes import Backend, put, spec_for
from shapes.environments import environment_with
from untilgreen_sandbox.box import Box, Building, Chosen, Packages, open_box

HERE = Path(__file__).parent
CACHE = HERE.parent.parent / ".cache" / "sources"


@dataclass(frozen=True, slots=True)
class Project:
    """A project whose tests pass, and the parts of it that candidates change."""

    name: str
    code: tuple[str, ...]
    """Modules to mutate; the one that is imported last stands first."""
    entry: tuple[str, str]
    """A module and a function in it that several tests call."""
    published: str = ""
    """A pinned requirement, for one whose source is downloaded."""
    packages: tuple[str, ...] = ("pytest",)
    import_roots: tuple[str, ...] = ("",)
    ids: tuple[str, ...] = ()

    def files(self) -> dict[str, str | bytes | None]:
        if self.published:
            return dict(published(self.published))
        root = HERE / "projects" / self.name
        found = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}

    def source(self, path: str) -> str:
        content = self.files()[path]
        assert isinstance(content, bytes)
        return content.decode()

    @asynccontextmanager
    async def box(self, backend: Backend, folder: Path) -> AsyncIterator[Box]:
        spec = spec_for(backend, folder / self.name, environment_with(*self.packages), self.import_roots)
        if backend == "docker" and self.packages != ("pytest",):
            # The engine of these tests has no other network.
            packages, building = Packages(self.packages), Building(network="host")
            spec = dataclasses.replace(spec, packages=packages, building=building)
        async with open_box(Chosen(backend, "for a test"), spec) as box:
            await put(box, self.files())
            yield box


SHOP = Project(
    "shop",
    ("shop/late.py", "shop/discounts.py", "shop/basket.py", "shop/rates.py", "shop/prices.py"),
    ("shop/prices.py", "parse"),
)
MAIL = Project(
    "mail",
    ("src/mail/outbox.py", "src/mail/encoding.py", "src/mail/address.py"),
    ("src/mail/address.py", "split"),
    packages=("pytest", "pytest-asyncio", "hypothesis"),
    import_roots=("src", ""),
)
LEDGER = Project(
    "ledger",
    ("ledger/work.py", "ledger/store.py", "ledger/numbers.py"),
    ("ledger/numbers.py", "balance"),
)
INFLECTION = Project(
    "inflection",
    ("inflection/__init__.py",),
    ("inflection/__init__.py", "camelize"),
    "inflection==0.5.1",
    ids=("test_inflection.py",),
)
TABULATE = Project(
    "tabulate",
    ("tabulate/__init__.py",),
    ("tabulate/__init__.py", "simple_separated_format"),
    "tabulate==0.10.0",
    ids=("test/test_api.py", "test/test_internal.py", "test/test_textwrapper.py", "test/test_regression.py"),
)
TOOLZ = Project(
    "toolz",
    ("toolz/recipes.py", "toolz/dicttoolz.py", "toolz/functoolz.py", "toolz/itertoolz.py"),
    ("toolz/itertoolz.py", "take"),
    "toolz==1.2.0",
    ids=tuple(f"toolz/tests/test_{name}.py" for name in ("dicttoolz", "functoolz", "itertoolz", "recipes")),
)
OURS = (SHOP, MAIL, LEDGER)
PUBLISHED = (INFLECTION, TABULATE, TOOLZ)


@functools.cache
def published(requirement: str, everything: bool = False) -> dict[str, bytes]:
    """The files of a source archive, which is kept in `.cache/`. One that cannot be had is an error.

    Of the many files of a release only the code and what configures its tests, unless everything is wanted.
    """
    folder = CACHE / requirement.replace("==", "-")
    CACHE.mkdir(parents=True, exist_ok=True)
    with (CACHE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.tar.gz")):
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
            done = subprocess.run(
                [*command, "--no-binary", ":all:", "--no-deps", "--dest", str(folder), requirement],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
                env={**os.environ, "PIP_NO_INPUT": "1"},
            )
            assert done.returncode == 0, done.stdout + done.stderr
        (archive,) = folder.glob("*.tar.gz")
    found: dict[str, bytes] = {}
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as members:
        for member in members:
            content = members.extractfile(member) if member.isfile() else None
            path = member.name.partition("/")[2]
            is_code = path.endswith((".py", ".toml", ".cfg", ".ini")) and path != "setup.py"
            if content is not None and (is_code or everything):
                found[path] = content.read()
    return found
