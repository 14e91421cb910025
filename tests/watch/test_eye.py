"""Which files really changed: by contents, in a real folder."""

from __future__ import annotations

import codecs
import os
from collections.abc import Iterator

import pytest

from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.settings import Settings
from untilgreen.watching.eye import Eye
from untilgreen.watching.steps import Looked
from watch.project import BUGS, CALC, Project


@pytest.fixture
def eye(project: Project) -> Iterator[Eye]:
    (project.root / ".gitignore").write_text("made.py\n*.log\n")
    eye = Eye(Engine(Settings(), Journal(project.state)), project.root)
    eye.begin()
    yield eye


def test_only_other_contents_count(eye: Eye, project: Project) -> None:
    os.utime(project.root / "calc.py")
    project.write({"test_calc.py": project.read("test_calc.py")})
    assert eye.look(None).changed == ()
    project.write({"calc.py": BUGS["add"], "new/part.py": "N = 1\n"})
    assert eye.look(frozenset({"calc.py", "new"})).changed == ("calc.py", "new/part.py")
    assert eye.look(None).changed == ()
    (project.root / "new/part.py").unlink()
    assert eye.look(frozenset({"new/part.py"})).changed == ("new/part.py",)


def test_ignored_files_and_leftovers_do_not_count(eye: Eye, project: Project) -> None:
    project.write({"made.py": "X = 1\n", "run.log": "", ".calc.py.swp": "", "__pycache__/a.pyc": ""})
    assert eye.look(None).changed == ()


def test_what_counts_is_decided_anew_when_the_project_says_so(eye: Eye, project: Project) -> None:
    project.write({"pyproject.toml": '[tool.untilgreen]\nexclude = ["extra.py"]\n'})
    assert eye.look(frozenset({"pyproject.toml"})).changed == ("pyproject.toml",)
    project.write({"extra.py": "X = 1\n"})
    assert eye.look(frozenset({"extra.py"})).changed == ()
    project.write({"pyproject.toml": ""})
    assert eye.look(frozenset({"pyproject.toml"})).changed == ("extra.py", "pyproject.toml")


def test_what_counts_is_decided_anew_when_the_user_says_so(project: Project) -> None:
    engine = Engine(Settings(exclude=("extra.py",)), Journal(project.state))
    eye = Eye(engine, project.root)
    eye.begin()
    project.write({"extra.py": "X = 1\n"})
    assert eye.look(frozenset({"extra.py"})).changed == ()
    engine.configure(Settings())
    assert eye.look(frozenset({"calc.py"})).changed == ("extra.py",)


def test_our_own_write_is_no_change_but_only_once(eye: Eye, project: Project) -> None:
    eye.expect({"calc.py": BUGS["add"].encode()})
    assert eye.expects("calc.py", BUGS["add"].encode())
    assert eye.look(frozenset({"calc.py"})).changed == (), "not yet written"
    project.write({"calc.py": BUGS["add"]})
    assert eye.look(frozenset({"calc.py"})).changed == ()
    project.write({"calc.py": CALC})
    assert eye.look(frozenset({"calc.py"})).changed == ("calc.py",)
    project.write({"calc.py": BUGS["add"]})
    assert eye.look(frozenset({"calc.py"})).changed == ("calc.py",), "now it is the user's"


def test_a_write_that_never_was_is_not_waited_for(eye: Eye, project: Project) -> None:
    eye.expect({"calc.py": BUGS["add"].encode()})
    assert eye.awaits("calc.py") and not eye.awaits("test_calc.py")
    eye.unexpect(["calc.py", "test_calc.py"])
    assert not eye.awaits("calc.py")
    project.write({"calc.py": BUGS["add"]})
    assert eye.look(frozenset({"calc.py"})).changed == ("calc.py",), "the user wrote the same by hand"


@pytest.mark.parametrize("paths", [None, frozenset({"calc.py"})], ids=["all", "one"])
def test_who_changes_our_write_back_before_anybody_looked_is_seen(
    eye: Eye, project: Project, paths: frozenset[str] | None
) -> None:
    eye.expect({"calc.py": BUGS["add"].encode()})
    eye.landed(["calc.py", "gone.py"])
    assert eye.look(paths).changed == (), "it is not written yet"
    project.write({"calc.py": BUGS["add"]})
    eye.landed(["calc.py"])
    project.write({"calc.py": CALC})
    assert eye.look(frozenset({"test_calc.py"})).changed == ()
    assert eye.look(paths).changed == ("calc.py",)
    assert eye.look(paths).changed == () and not eye.awaits("calc.py")


def test_a_user_who_overtakes_our_write_is_seen(eye: Eye, project: Project) -> None:
    eye.expect({"calc.py": CALC.encode() + b"# ours\n"})
    project.write({"calc.py": BUGS["sub"]})
    assert eye.look(frozenset({"calc.py"})).changed == ("calc.py",)


def test_what_git_did_and_what_is_unfinished_is_told(eye: Eye, project: Project) -> None:
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    eye.look(frozenset({"calc.py"}))
    project.git("checkout", "-qb", "other")
    project.write({"calc.py": "def add("})
    # The first look saw no repository.
    eye.begin()
    project.git("commit", "-qam", "two")
    assert eye.look(frozenset({"calc.py"})).changed == (), "a commit changes no file"
    project.git("checkout", "-q", "main")
    seen = eye.look(frozenset({"calc.py"}))
    assert (seen.changed, seen.switched) == (("calc.py",), "another branch was checked out")
    project.write({"calc.py": "def add("})
    assert eye.look(frozenset({"calc.py"})).unfinished == {"calc.py": "calc.py does not parse yet (line 1)"}


def test_a_commit_and_a_new_branch_are_no_switch(eye: Eye, project: Project) -> None:
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    eye.begin()

    def saved(text: str, *commands: tuple[str, ...]) -> str:
        """What is said of a save that comes after these."""
        for command in commands:
            project.git(*command)
        project.write({"calc.py": text})
        seen = eye.look(frozenset({"calc.py"}))
        assert seen.changed == ("calc.py",)
        return seen.switched

    assert saved(BUGS["add"]) == ""
    assert saved(CALC, ("commit", "-qam", "two")) == ""
    assert saved(BUGS["sub"], ("commit", "-qam", "three"), ("commit", "-q", "--amend", "-m", "four")) == ""
    assert saved(CALC, ("switch", "-qc", "other"), ("commit", "-qam", "five")) == ""
    project.git("commit", "-qam", "six")
    project.git("reset", "-q", "--hard", "HEAD~3")
    assert eye.look(frozenset({"calc.py"})).switched == "git moved the branch"
    assert saved(CALC + "# more\n", ("commit", "-q", "--allow-empty", "-m", "seven")) == "", "as before"
    project.git("commit", "-qam", "eight")
    project.git("checkout", "-q", "main")
    assert eye.look(frozenset({"calc.py"})).switched == "another branch was checked out"
    project.write({"calc.py": CALC + "\n"})
    eye.look(frozenset({"calc.py"}))
    project.git("stash")
    assert eye.look(frozenset({"calc.py"})).switched == "git changed the stash"
    # Nothing that changes no file is held against the next save.
    project.git("stash", "drop")
    assert eye.look(frozenset({"test_calc.py"})).changed == ()
    assert saved(BUGS["add"]) == ""


def test_what_a_rebase_left_is_seen_when_it_is_over(eye: Eye, project: Project) -> None:
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "one")
    project.git("switch", "-qc", "other")
    project.write({"calc.py": BUGS["add"]})
    project.git("commit", "-qam", "two")
    project.git("switch", "-q", "main")
    eye.begin()
    under_way = project.root / ".git/rebase-merge"
    under_way.mkdir()
    project.git("reset", "-q", "--hard", "other")
    assert eye.look(frozenset()) == Looked(under_way="a rebase is under way"), "it is not looked at yet"
    under_way.rmdir()
    seen = eye.look(frozenset())
    assert (seen.changed, seen.switched) == (("calc.py",), "git moved the branch")
    assert eye.look(None) == Looked()


def test_a_byte_order_mark_is_the_editors_own(eye: Eye, project: Project) -> None:
    marked = codecs.BOM_UTF8 + CALC.encode()
    eye.expect({"calc.py": marked})
    assert eye.expects("calc.py", CALC.encode()), "an editor shows it without"
    (project.root / "calc.py").write_bytes(marked)
    assert eye.look(frozenset({"calc.py"})).changed == ()
    assert eye.saw("calc.py", CALC.encode()) and not eye.saw("calc.py", BUGS["add"].encode())
