"""What happens to the files of a real folder: told by the system, or seen by looking again and again."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import AsyncIterator
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


async def test_what_is_written_twice_in_a_second_is_looked_at_again(tmp_path: Path) -> None:
    """Where nobody tells of files, only whole seconds are compared."""
    file = tmp_path / "calc.py"
    async with aclosing(touched_files(tmp_path, polling=True)) as told:
        assert await anext(told) is None
        file.write_text("one")
        assert await asyncio.wait_for(anext(told), 30) == {"calc.py"}
        written = file.stat().st_mtime_ns
        file.write_text("two")
        os.utime(file, ns=(written, written))
        assert await asyncio.wait_for(anext(told), 30) == {"calc.py"}


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
    assert asked == [False, True]


@pytest.mark.parametrize(
    ("said", "kernel", "polled"),
    [
        ("", "6.1.0-amd64", False),
        ("", "5.15.90.1-microsoft-standard-WSL2", True),
        ("false", "5.15.90.1-microsoft-standard-WSL2", False),
        ("1", "6.1.0-amd64", True),
    ],
)
async def test_who_says_that_folders_are_to_be_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, kernel: str, polled: bool
) -> None:
    """Linux inside of Windows hears nothing of its files; the user has the last word."""
    asked: list[object] = []

    def noted(root: Path, **how: Any) -> AsyncIterator[set[tuple[Change, str]]]:
        asked.append(how["force_polling"])
        return awatch(root, **how)

    monkeypatch.setattr(files, "awatch", _as_generator(noted))
    monkeypatch.setattr(platform, "release", lambda: kernel)
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", said)
    async with aclosing(touched_files(tmp_path)) as told:
        assert await _next(told) is None
    assert asked == [polled]


@pytest.mark.parametrize(("seconds", "delay"), [(0.001, 1000), (0.4, 4000), (60.0, 10_000)])
async def test_a_tree_that_takes_long_to_look_at_is_looked_at_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: float, delay: int
) -> None:
    (tmp_path / "a.py").write_text("1")
    assert 0 < files._seconds_of_a_look(tmp_path) < 60
    asked: list[object] = []

    def noted(root: Path, **how: Any) -> AsyncIterator[set[tuple[Change, str]]]:
        asked.append(how["poll_delay_ms"])
        return awatch(root, **how)

    monkeypatch.setattr(files, "awatch", _as_generator(noted))
    monkeypatch.setattr(files, "_seconds_of_a_look", lambda _root: seconds)
    async with aclosing(touched_files(tmp_path, polling=True)) as told:
        assert await _next(told) is None
    monkeypatch.setenv("WATCHFILES_FORCE_POLLING", "true")
    async with aclosing(touched_files(tmp_path)) as told:
        assert await _next(told) is None
    assert asked == [delay, delay]


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
