"""Which files really changed: by contents, in a real folder."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.settings import Settings
from untilgreen.watching.eye import Eye
from untilgreen.watching.files import touched_files
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
