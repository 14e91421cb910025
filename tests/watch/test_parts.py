"""The parts of watch mode that are values and small memories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from untilgreen.model import FileChange, Finding, Patch, Spent, Verdict
from untilgreen.settings import Settings
from untilgreen.solve.changed import Edit
from untilgreen.watching.causes import joined, saved
from untilgreen.watching.files import is_deaf
from untilgreen.watching.git_state import read_git
from untilgreen.watching.modes import Modes
from untilgreen.watching.noise import is_noise
from untilgreen.watching.quota import FixQuota, ModelBudget
from untilgreen.watching.solving import why_not
from untilgreen.watching.taken_back import TakenBack, signature, signature_of_patch
from untilgreen.watching.unfinished import unfinished
from watch.project import BUGS, CALC, Project

STUB = CALC + '\n\ndef mean(numbers):\n    """The middle."""\n    {}\n'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (CALC, CALC + "\ndef mean(", "a.py does not parse yet (line 16)"),
        (CALC, BUGS["add"], ""),
        (CALC, STUB.format("pass"), "mean in a.py has just been begun"),
        (CALC, STUB.format("..."), "mean in a.py has just been begun"),
        (CALC, STUB.format("raise NotImplementedError"), "mean in a.py has just been begun"),
        (CALC, STUB.format("raise NotImplementedError('later')"), "mean in a.py has just been begun"),
        (CALC, STUB.format("return sum(numbers)"), ""),
        (STUB.format("pass"), STUB.format("pass") + "# more\n", ""),
        (None, "class Shop:\n    def open(self):\n        ...\n", "Shop.open in a.py has just been begun"),
        (CALC, None, ""),
    ],
)
def test_what_is_obviously_unfinished(old: str | None, new: str | None, said: str) -> None:
    assert unfinished("a.py", Edit(old, new)) == said
    assert unfinished("a.txt", Edit(old, new)) == ""


def test_a_fix_is_known_again_wherever_its_lines_stand() -> None:
    fix = signature({"a.py": BUGS["add"].encode()}, {"a.py": CALC.encode()})
    later = f"# a line more\r\n{BUGS['add']}".encode()
    moved = signature_of_patch(
        Patch({"a.py": FileChange(f"# a line more\r\n{CALC}".encode())}), {"a.py": later}
    )
    assert moved == fix
    assert signature({"a.py": BUGS["sub"].encode()}, {"a.py": CALC.encode()}) != fix
    assert signature({"b.py": BUGS["add"].encode()}, {"b.py": CALC.encode()}) != fix
    memory = TakenBack()
    assert not memory.knows(fix, (), 0.0)
    memory.wrote(fix, "a job", 0.0)
    assert not memory.knows(fix, (), 3601.0), "long ago"
    assert memory.knows(fix, (), 3599.0)
    assert memory.knows(fix, (), 99999.0), "once refused, always refused"


def test_fixes_of_each_file_are_counted_for_ten_minutes() -> None:
    quota = FixQuota(2)
    quota.wrote(["a.py", "b.py"], 0.0)
    quota.wrote(["a.py"], 300.0)
    assert quota.exhausted(["b.py", "a.py"], 599.0) == "a.py"
    assert quota.exhausted(["b.py"], 599.0) == ""
    assert quota.exhausted(["a.py"], 600.0) == ""
    assert FixQuota(0).exhausted(["a.py"], 0.0) == "a.py", "none at all"


def test_models_have_an_hourly_budget() -> None:
    budget = ModelBudget(1000, 0.5)
    budget.settle(Spent(tokens=900, usd=0.1), 0.0)
    assert budget.left(10.0) == Spent(tokens=100, usd=0.4)
    budget.settle(Spent(tokens=200), 20.0)
    assert budget.exhausted(30.0) and not budget.exhausted(3600.0)


def test_no_model_is_asked_unless_the_user_wants_it(project: Project) -> None:
    from untilgreen.engine import Engine
    from untilgreen.journal import Journal
    from untilgreen.watching.solving import Solving

    def chosen(**settings: object) -> Settings:
        engine = Engine(Settings(**settings), Journal(project.state))  # type: ignore[arg-type]
        return Solving(engine, project.root, ModelBudget(0, 0.0)).settings(0.0)

    assert chosen().solver == "offline"
    assert chosen(solver="model").solver == "offline"
    assert chosen(solver="scripted:a.json").solver == "scripted:a.json"
    asked = chosen(watch_model=True, watch_tokens_per_hour=5000, max_usd=0.2)
    assert (asked.solver, asked.max_tokens, asked.max_usd) == ("auto", 5000, 0.2)
    assert chosen(watch_model=True, watch_usd_per_hour=0.0).solver == "offline"


def test_git_is_read_and_never_run(project: Project) -> None:
    assert read_git(project.root) == read_git(project.root / "none")
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    main = read_git(project.root)
    assert main.head == "ref: refs/heads/main" and len(main.commit) == 40 and not main.under_way
    below = project.root / "below"
    below.mkdir()
    assert read_git(below) == main, "also from inside"
    project.git("pack-refs", "--all")
    assert read_git(project.root) == main
    project.write({"calc.py": BUGS["add"]})
    assert read_git(project.root) == main, "what the user changes is nothing that git did"
    project.git("stash")
    assert read_git(project.root).stash and read_git(project.root).commit == main.commit
    project.git("checkout", "-q", "--detach")
    assert read_git(project.root).head == main.commit
    (project.root / ".git/MERGE_HEAD").write_text("1" * 40)
    assert read_git(project.root).under_way == "a merge is under way"


def test_the_mode_is_kept_in_the_users_folder(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    modes = Modes(tmp_path / "state")
    assert modes.of(root, "diagnose") == "diagnose"
    modes.choose(root, "fix")
    assert Modes(tmp_path / "state").of(root, "off") == "fix"
    assert modes.of(tmp_path, "off") == "off"
    [kept] = (tmp_path / "state/watch").iterdir()
    kept.write_text("{broken")
    assert modes.of(root, "suggest") == "suggest"
    assert list(root.iterdir()) == []


@pytest.mark.parametrize(
    "path", ["a/.calc.py.swp", "4913", "calc.py~", ".git/HEAD", "x/__pycache__/a.pyc", "#a.py#"]
)
def test_noise_does_not_count(path: str) -> None:
    assert is_noise(path)
    assert not is_noise("src/calc.py") and not is_noise("data/numbers.json")


def test_causes_name_what_was_saved() -> None:
    assert saved("", ("a.py",)) == "watch: saved a.py"
    assert saved("watch: saved a.py", ("b.py", "a.py")) == "watch: saved a.py, b.py"
    assert joined("watch: saved a.py", "watch: saved b.py") == "watch: saved a.py, b.py"
    many = saved("", [f"{n}.py" for n in range(30)])
    assert joined("watch: saved a.py", many) == "watch: saved a.py, 0.py, 1.py, 28 more"
    assert joined("watch: started", "") == "watch: started"
    assert joined("watch: saved a.py", "watch: git moved the branch") == "watch: git moved the branch"


def test_a_local_file_system_tells_of_changes_and_that_of_another_machine_does_not(tmp_path: Path) -> None:
    assert not is_deaf(tmp_path) and not is_deaf(Path("/"))
    shared = tmp_path / "my share"
    place = str(shared).replace(" ", "\\040")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/vda rw\n2 1 0:5 / {place} rw shared:1 - nfs4 there:/ rw\n"
        f"3 2 8:2 / {place}/local rw - ext4 /dev/vdb rw\n"
    )
    assert is_deaf(shared / "work", mounts)
    assert not is_deaf(tmp_path / "my shares", mounts) and not is_deaf(shared / "local/work", mounts)
    assert not is_deaf(shared, tmp_path / "no such file"), "what is not known is taken to tell"


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({}, ""),
        ({"kind": "better"}, "it fixes some of the tests only"),
        ({"findings": (Finding("a.py", 1, "eval", "it runs text"),)}, "something in it needs your eyes"),
        ({"scope": "affected"}, "it was verified with a part of the tests only"),
        ({"weak": ("test_a.py::test_a",)}, "the tests that it fixes prove little"),
        ({"confidence": "contested"}, "other changes make the tests pass, too"),
    ],
)
def test_what_is_not_written_without_asking(more: dict[str, Any], said: str) -> None:
    patch = Patch({"a.py": FileChange(b"x = 1\n")})
    verdict = Verdict(**{"kind": "green", "reason": "", "patch": patch, "confidence": "unique", **more})
    assert why_not(verdict, Settings()) == said
    assert why_not(verdict, Settings(apply="never"))
