"""Bugs that a seed puts into the programs of our own: each seed gives other ones, which nobody has looked at.

Which ones a seed gives is kept in `.cache/`, because finding out takes several runs of a suite for each.
"""

from __future__ import annotations

import hashlib
import json
import random
from pathlib import Path

from agreement.project import CACHE
from repair.bug import Bug, Project, first_difference
from repair.injecting import Injection, injections
from repair.own import own_bugs, programs
from repair.packages import bug_of, covered, shows
from repair.solving import is_test

SUITE = 6.0
"""What takes longer than this does not come to an end."""
Waiting = dict[str, list[tuple[str, Injection]]]


def injected_bugs(most: int, seed: int) -> tuple[Bug, ...]:
    """So many, programs taking turns; none that was put in by hand."""
    made_by = "".join((Path(__file__).parent / name).read_text() for name in ("injecting.py", "mistakes.py"))
    key = hashlib.blake2b(f"{most} {seed} {made_by}".encode(), digest_size=6).hexdigest()
    kept = CACHE / "bugs" / f"own-{key}.json"
    if not kept.exists():
        found = _found(most, seed)
        kept.parent.mkdir(parents=True, exist_ok=True)
        rows = [[bug.project.name, bug.kind, bug.family, bug.path, bug.broken.decode()] for bug in found]
        kept.write_text(json.dumps(rows))
    named = {program.name: program for program in programs()}
    return tuple(
        Bug(named[name], kind, family, path, text.encode(), _line(named[name], path, text))
        for name, kind, family, path, text in json.loads(kept.read_text())
    )


def _found(most: int, seed: int) -> list[Bug]:
    """Kinds are chosen before places, so that small constants do not crowd out the rest."""
    chance = random.Random(f"fresh {seed}")
    waiting = {program.name: _by_kind(program, chance) for program in programs()}
    known = {(bug.project.name, bug.path, bug.broken) for bug in own_bugs()}
    found: list[Bug] = []
    while len(found) < most:
        program = programs()[len(found) % len(programs())]
        left = waiting[program.name]
        path, injection = left[chance.choice(sorted(kind for kind in left if left[kind]))].pop()
        bug = bug_of(program, path, injection)
        if bug is not None and (program.name, path, bug.broken) not in known and shows(bug, SUITE):
            found.append(bug)
            print(f"bench-repair: {bug.name}", flush=True)
    return found


def _by_kind(program: Project, chance: random.Random) -> Waiting:
    waiting: Waiting = {}
    lines = covered(program)
    for path in sorted(lines):
        if not is_test(path):
            for injection in injections(program.files[path].decode(), lines[path]):
                waiting.setdefault(injection.kind, []).append((path, injection))
    for kind in sorted(waiting):
        chance.shuffle(waiting[kind])
    return waiting


def _line(program: Project, path: str, text: str) -> int:
    return first_difference(program.files[path], text.encode())
