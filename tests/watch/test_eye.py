"""Which files really changed: by contents, in a real folder."""

from __future__ import annotations

import asyncio
import codecs
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from watchfiles import Change, awatch

from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.settings import Settings
from untilgreen.watching import files
from untilgreen.watching.eye import Eye
from untilgreen.watching.files import touched_files
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


@pytest.mark.parametrize("polling", [False, True], ids=["told", "polled"])
async def test_files_are_told_of_and_the_folder_may_come_back(tmp_path: Path, polling: bool) -> None:
    root = tmp_path / "work"
    (root / "deep").mkdir(parents=True)
    async with aclosing(touched_files(root, polling=polling)) as told:
        assert await _next(told) is None
        (root / "deep/a.py").write_text("1")
        assert "deep/a.py" in (await _next(told) or ())
        root.rename(tmp_path / "gone")
        await asyncio.sleep(0)
        root.mkdir()
        while (seen := await _next(told)) is not None:
            assert seen, "whatever was said of the old folder"
        (root / "b.py").write_text("2")
        assert "b.py" in (await _next(told) or ())


async def test_a_folder_that_is_made_anew_at_once_is_heard_of(tmp_path: Path) -> None:
    """Its number may be the old one's: file systems use them again."""
    root = tmp_path / "work"
    root.mkdir()
    async with aclosing(touched_files(root)) as told:
        assert await _next(told) is None
        for n in range(3):
            number = root.stat().st_ino
            root.rmdir()
            root.mkdir()
            for other in range(200):
                # Until it is the same number, where that happens.
                if root.stat().st_ino == number:
                    break
                root.rename(tmp_path / f"other{n}-{other}")
                root.mkdir()
            while (seen := await _next(told)) is not None:
                assert seen
            (root / f"a{n}.py").write_text("1")
            assert f"a{n}.py" in (await _next(told) or ())
            (root / f"a{n}.py").unlink()
            assert await _next(told)


async def test_names_with_dots_are_told_as_they_are(tmp_path: Path) -> None:
    root = tmp_path / "work"
    (root / ".git").mkdir(parents=True)
    async with aclosing(touched_files(root)) as told:
        assert await _next(told) is None
        (root / ".git/index").write_text("1")
        (root / ".coveragerc").write_text("[run]\n")
        seen = await _next(told)
        assert seen is not None and ".coveragerc" in seen
        assert not [path for path in seen if "git" in path], "what git keeps for itself is nothing"


async def test_where_no_more_folders_can_be_watched_they_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def limited(root: Path, **how: Any) -> AsyncIterator[set[tuple[Change, str]]]:
        asked.append(how["force_polling"])
        if not how["force_polling"]:
            raise OSError(28, "OS file watch limit reached.")
        return awatch(root, **how)

    monkeypatch.setattr(files, "awatch", _as_generator(limited))
    root = tmp_path / "work"
    root.mkdir()
    async with aclosing(touched_files(root)) as told:
        assert await _next(told) is None
        (root / "a.py").write_text("1")
        assert "a.py" in (await _next(told) or ())
    assert asked == [None, True]


async def test_a_watcher_that_always_fails_is_not_asked_all_the_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def broken(root: Path, **how: Any) -> AsyncIterator[set[tuple[Change, str]]]:
        asked.append(how)
        raise RuntimeError("it cannot be watched")

    monkeypatch.setattr(files, "awatch", _as_generator(broken))
    async with aclosing(touched_files(tmp_path)) as told:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(told), 1.0)
    assert 1 <= len(asked) <= 5


def _as_generator(watch: Any) -> Any:
    async def generate(root: Path, **how: Any) -> AsyncIterator[set[tuple[Change, str]]]:
        async for changes in watch(root, **how):
            yield changes

    return generate


async def test_ten_thousand_files_are_watched(tmp_path: Path) -> None:
    root = tmp_path / "large"
    for folder in range(100):
        (root / f"part{folder}").mkdir(parents=True)
        for n in range(100):
            (root / f"part{folder}/m{n}.py").write_text(f"N = {n}\n")
    eye = Eye(Engine(Settings(), Journal(tmp_path / "state")), root)
    await asyncio.to_thread(eye.begin)
    async with aclosing(touched_files(root)) as told:
        assert await _next(told) is None
        (root / "part77/m3.py").write_text("N = 4\n")
        paths = await _next(told)
        assert paths is not None
        assert (await asyncio.to_thread(eye.look, paths)).changed == ("part77/m3.py",)


async def _next(told: AsyncIterator[frozenset[str] | None]) -> frozenset[str] | None:
    return await asyncio.wait_for(anext(told), 60)
