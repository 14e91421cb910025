"""Published packages with suites of their own, and bugs that are put into them by chance.

Their sources are downloaded when they are needed, and kept in `.cache/`; which bugs a seed gives is kept
there, too, because finding out takes several runs of a suite for each.
"""

from __future__ import annotations

import functools
import hashlib
import json
import random
import tempfile
from dataclasses import dataclass
from pathlib import Path

from agreement.project import CACHE, published
from repair.bug import Bug, Project, first_difference
from repair.injecting import Injection, injections
from repair.native import run_suite
from repair.solving import is_test

SUITE = 120.0
MOST_FAILING = 25
TRIES = 12
"""For each bug that is wanted: many mistakes change nothing that a test sees."""


@dataclass(frozen=True, slots=True)
class Package:
    """A release with tests in its source archive."""

    requirement: str
    code: tuple[str, ...]
    """Where its own code is: files, or folders that end with a slash."""
    tests: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Configuration that only asks for plugins which measure coverage."""


@functools.cache
def project_of(package: Package) -> Project:
    name = package.requirement.partition("==")[0]
    every = published(package.requirement, everything=True)
    files = {path: content for path, content in every.items() if path not in package.left_out}
    return Project(name, files, published=package.requirement, tests=package.tests)


# Not isodate: its tests are made from sets, and are called otherwise in each run.
PACKAGES = (
    Package("parse==1.22.4", ("parse/",), ("tests",), ("pyproject.toml",)),
    Package("semver==3.1.1", ("src/semver/",), ("tests",), (".pytest.ini",)),
    Package("tabulate==0.10.0", ("tabulate/",), ("test",)),
    Package("toolz==1.2.0", ("toolz/",), ("toolz/tests",)),
    Package("voluptuous==0.16.0", ("voluptuous/",), ("voluptuous/tests",)),
)


def package_bugs(each: int, seed: int, limit: int = 0) -> tuple[Bug, ...]:
    """So many of each package; no more are looked for than the limit can use."""
    if limit:
        each = min(each, -(-limit // len(PACKAGES)))
    return tuple(bug for package in PACKAGES for bug in bugs_of(package, each, seed))


def bugs_of(package: Package, each: int, seed: int) -> list[Bug]:
    project = project_of(package)
    made_by = "".join((Path(__file__).parent / name).read_text() for name in ("injecting.py", "mistakes.py"))
    key = hashlib.blake2b(f"{package} {each} {seed} {made_by}".encode(), digest_size=6).hexdigest()
    kept = CACHE / "bugs" / f"{project.name}-{key}.json"
    if not kept.exists():
        found = _found(package, each, seed)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps([[bug.kind, bug.family, bug.path, bug.broken.decode()] for bug in found]))
    return [
        Bug(project, kind, family, path, text.encode(), first_difference(project.files[path], text.encode()))
        for kind, family, path, text in json.loads(kept.read_text())
    ]


def _found(package: Package, each: int, seed: int) -> list[Bug]:
    """Kinds take turns, so that the many small constants of a program do not crowd out the rest."""
    project = project_of(package)
    chance = random.Random(f"{seed} {package.requirement}")
    waiting = _by_kind(package, covered(project))
    kinds = sorted(waiting)
    assert kinds, f"{package.code} of {package.requirement} is not what its tests reach"
    for kind in kinds:
        chance.shuffle(waiting[kind])
    found: list[Bug] = []
    for _ in range(each * TRIES):
        if len(found) == each or not kinds:
            break
        kind = chance.choice(kinds)
        path, injection = waiting[kind].pop()
        if not waiting[kind]:
            kinds.remove(kind)
        bug = bug_of(project, path, injection)
        if bug is not None and shows(bug):
            found.append(bug)
            print(f"bench-repair: {bug.name}", flush=True)
    return found


def _by_kind(package: Package, lines: dict[str, frozenset[int]]) -> dict[str, list[tuple[str, Injection]]]:
    project = project_of(package)
    waiting: dict[str, list[tuple[str, Injection]]] = {}
    for path in sorted(lines):
        if not path.startswith(package.code) or is_test(path):
            continue
        for injection in injections(project.files[path].decode(), lines[path]):
            waiting.setdefault(injection.kind, []).append((path, injection))
    return waiting


def bug_of(project: Project, path: str, injection: Injection) -> Bug | None:
    text = injection.make()
    try:
        compile(text, path, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    broken = text.encode()
    line = first_difference(project.files[path], broken)
    return Bug(project, injection.kind, injection.family, path, broken, line)


def shows(bug: Bug, seconds: float = SUITE) -> bool:
    """A few tests fail, the same ones each time, and the suite comes to its end."""
    with tempfile.TemporaryDirectory(prefix="bug-") as scratch:
        folder = bug.write(Path(scratch))
        first = run_suite(bug.project, folder, seconds)
        if not first.ended or not 1 <= len(first.failing) <= MOST_FAILING:
            return False
        return run_suite(bug.project, folder, seconds).failing == first.failing


def covered(project: Project) -> dict[str, frozenset[int]]:
    """Which lines the tests reach; the suite must be green, or nothing can be learned from it."""
    with tempfile.TemporaryDirectory(prefix="covered-") as scratch:
        folder = project.write(Path(scratch) / project.name)
        more = {"COVERED_LINES": str(folder.parent / "covered.json")}
        ran = run_suite(project, folder, 4 * SUITE, plugin="repair.covering", more=more)
        assert ran.is_green, f"{project.name}: {ran.failing[:5]} {ran.output[-1500:]}"
        told = json.loads((folder.parent / "covered.json").read_text())
    return {path: frozenset(lines) for path, lines in told.items() if path in project.files}
