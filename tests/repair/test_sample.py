"""The sets are what they claim to be, and what the command line says about a sample of them is true.

Sampled by the seed: of a fifth of the bugs it is seen that tests show them and that the suite ends; four go
through the whole command line and are judged. A soak sees all of the first and 24 of the second.
"""

from __future__ import annotations

import dataclasses
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from boxes import SEED, eventually, processes_with
from repair.bug import Bug, Project
from repair.injecting import injections
from repair.judge import judge, observed, same_code
from repair.metered import metered
from repair.native import run_suite, shown
from repair.own import own_bugs, programs
from repair.page import write
from repair.solving import Result, solve
from repair.table import not_repaired, share, summary, wrong

SOAK = bool(os.environ.get("UNTILGREEN_SOAK"))
CHANCE = random.Random(SEED)
CHECKED = list(own_bugs()) if SOAK else CHANCE.sample(own_bugs(), -(-len(own_bugs()) // 5))
SOLVED = CHANCE.sample(own_bugs(), 24 if SOAK else 4)
FLOOR = 1 / 3
SECONDS = (60.0 if SOAK else 30.0) * min(3.0, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))
"""For a solver; they are counted by the clock, so a machine that has much else to do gets more of them."""


def test_there_is_enough_of_everything() -> None:
    bugs = own_bugs()
    assert len(programs()) >= 8
    assert len(bugs) >= 70
    assert len({bug.kind for bug in bugs}) >= 25
    n_removed = sum(bug.family == "removed" for bug in bugs)
    assert len(bugs) / 3 <= n_removed <= 2 * len(bugs) / 3
    assert len({(bug.project.name, bug.broken) for bug in bugs}) == len(bugs)
    assert not [bug.name for bug in bugs if same_code(bug.broken, bug.original)]


@pytest.mark.parametrize("program", programs(), ids=lambda program: program.name)
def test_the_original_is_green_and_always_does_the_same(program: Project, tmp_path: Path) -> None:
    folder = program.write(tmp_path / program.name)
    ran = run_suite(program, folder)
    assert ran.is_green, ran.output
    assert len(ran.outcomes) >= 15
    lines = observed(program, folder, SEED)
    assert len(lines) > 100 and lines[-1] != "broke down"
    assert lines == observed(program, folder, SEED)


@pytest.mark.timeout(600)
def test_bugs_show_and_their_suites_end(tmp_path: Path) -> None:
    original = dataclasses.replace(CHECKED[0], broken=CHECKED[0].original)
    green, *ended = shown([original, *CHECKED], tmp_path)
    assert green == "0"
    assert {bug.name: how for bug, how in zip(CHECKED, ended, strict=True) if how != "1"} == {}


@pytest.mark.timeout(900)
def test_what_is_said_about_a_repair_is_true(capsys: pytest.CaptureFixture[str]) -> None:
    results = [solve(bug, "offline", SECONDS, SEED) for bug in SOLVED]
    with capsys.disabled():
        for result in results:
            said = f"{result.verdict}, {result.opinion.rightness}, {result.cpu:.1f} s"
            print(f"\n{result.bug.name}: {said}", end="")
    assert [result.dishonest for result in results if result.dishonest] == []
    assert sum(result.repaired for result in results) >= FLOOR * len(results), [
        (result.bug.name, result.reason) for result in results
    ]


@pytest.fixture(scope="module")
def bug() -> Bug:
    """One in a program where much else can go wrong."""
    named = [bug for bug in own_bugs() if bug.project.name == "stats"]
    return next(bug for bug in named if bug.kind == "missing call around")


def scripted(bug: Bug, text: str, folder: Path) -> Result:
    script = folder / "script.json"
    script.write_text(json.dumps({"proposals": [{"files": {bug.path: text}}]}))
    return solve(bug, f"scripted:{script}", SECONDS, SEED)


def test_the_original_is_right(bug: Bug, tmp_path: Path) -> None:
    result = scripted(bug, bug.original.decode() + "\n# a remark\n", tmp_path)
    assert (result.verdict, result.opinion.rightness, result.dishonest) == ("green", "same", "")
    assert result.right and result.cpu > 0.2


def test_the_same_in_other_words_is_right(bug: Bug, tmp_path: Path) -> None:
    text = bug.original.decode().replace("in counted.items() if", "in list(counted.items()) if")
    assert not same_code(text.encode(), bug.original)
    result = scripted(bug, text, tmp_path)
    assert (result.verdict, result.opinion.rightness, result.dishonest) == ("green", "equal", "")


def test_what_only_satisfies_the_tests_is_wrong(bug: Bug, tmp_path: Path) -> None:
    text = bug.original.decode().replace("[n] == 0:", "[n] == 0 or len(rows) > 3:")
    assert text != bug.original.decode()
    result = scripted(bug, text, tmp_path)
    assert (result.verdict, result.opinion.rightness, result.dishonest) == ("green", "different", "")
    assert not result.right
    assert "observation" in wrong([result])[2]
    assert "1 of 1 (100 %)" in summary([result])[2]


def test_no_repair_is_told_as_such(bug: Bug, tmp_path: Path) -> None:
    result = scripted(bug, bug.broken.decode() + "\n", tmp_path)
    assert (result.verdict, result.repaired, result.dishonest) == ("stuck", False, "")
    assert bug.kind in not_repaired([result])[2]
    assert share(0, 0) == "–"


def test_a_crash_is_never_a_result(bug: Bug, tmp_path: Path) -> None:
    result = solve(bug, f"scripted:{tmp_path}/nowhere.json", SECONDS, SEED)
    assert not result.repaired and "exit code 2" in result.dishonest


BURN = "import time\nwhile time.process_time() < {}: pass\n"


def test_the_time_of_orphans_is_counted(tmp_path: Path) -> None:
    command = ["sh", "-c", f"{sys.executable} -c '{BURN.format(0.4)}' & exit 3"]
    cost = metered(command, tmp_path, dict(os.environ), tmp_path, 60)
    assert cost.code == 3
    assert 0.4 <= cost.cpu < 2


def test_what_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        metered(["sh", "-c", "sleep 987.125 & sleep 987.125"], tmp_path, dict(os.environ), tmp_path, 3)
    eventually(lambda: not processes_with("987.125"))


def test_the_time_of_boxes_is_counted(tmp_path: Path) -> None:
    """The suite runs before, with the proposal, and for the verdict in a box of its own."""
    good, broken = "def two():\n    return 2\n", "def two():\n    return 1\n"
    suite = f"{BURN.format(0.7)}\nfrom code_under import two\n\ndef test_two():\n    assert two() == 2\n"
    project = Project("small", {"code_under.py": good.encode(), "test_it.py": suite.encode()})
    bug = Bug(project, "wrong constant", "changed", "code_under.py", broken.encode(), 2)
    result = scripted(bug, good, tmp_path)
    assert (result.verdict, result.opinion.rightness) == ("green", "same")
    assert result.cpu >= 2 * 0.7


SOURCE = '''\
def f(values, limit, name="x"):
    """Says something."""
    total = 0
    for value in values:
        if value is None or value < 0:
            continue
        total += int(value)
        if total > limit and not name.startswith("a"):
            break
    else:
        total = -1
    try:
        return sorted(values[1:limit], key=len), total if total else max(values, default=3)
    except (TypeError, ValueError):
        return None
'''


@pytest.mark.parametrize(
    ("was", "now", "rightness"),
    [
        ("middle = len(ordered) // 2", "middle = len(ordered) >> 1", "equal"),
        ("if len(ordered) % 2:", "if len(ordered) % 2 or ordered[0] < 0:", "different"),
        ("class Matrix:", "WIDTH = 3\n\n\nclass Matrix:", "not judged"),
    ],
)
def test_packages_are_compared_by_calls(bug: Bug, was: str, now: str, rightness: str, tmp_path: Path) -> None:
    program = dataclasses.replace(bug.project, hidden=None)
    text = bug.original.decode().replace(was, now).encode()
    folder = program.write(tmp_path / "repaired", {bug.path: text})
    other = dataclasses.replace(bug, project=program)
    assert judge(other, folder, (bug.path,), SEED).rightness == rightness


def test_injected_mistakes_are_single_and_of_many_kinds() -> None:
    every = list(injections(SOURCE, frozenset(range(1, 99))))
    texts = [injection.make() for injection in every]
    for text in texts:
        compile(text, "made", "exec")
        assert text != SOURCE
    assert len({injection.kind for injection in every}) >= 18
    assert {injection.family for injection in every} == {"changed", "removed"}
    lines = SOURCE.splitlines()
    for text in texts:
        kept = [line for line in text.splitlines() if line in lines]
        assert len(kept) >= len(lines) - 3, text


def test_mistakes_are_made_only_where_tests_come() -> None:
    assert {injection.line for injection in injections(SOURCE, frozenset({7}))} == {7}
    assert list(injections(SOURCE, frozenset())) == []


def test_a_section_of_the_page_takes_the_place_of_its_own_only(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    for text in ("## own, seed 1\n\none\n", "## own, seed 2\n\ntwo\n", "## own, seed 1\n\nthree\n"):
        write(page, ["a machine"], text)
    assert page.read_text().endswith("- a machine\n\n## own, seed 1\n\nthree\n\n## own, seed 2\n\ntwo\n")
