"""What the kernel tells of a tree: every way to change it is seen, and nothing else is."""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from untilgreen_sandbox.inside.vigil import Vigil


def write(root: Path) -> None:
    (root / "a/file").write_text("new")


def write_in_place(root: Path) -> None:
    with (root / "a/file").open("r+b") as file:
        file.write(b"x")


def write_through_a_mapping(root: Path) -> None:
    with (root / "a/file").open("r+b") as file, mmap.mmap(file.fileno(), 0) as pages:
        pages[0:1] = b"x"


def open_for_writing_only(root: Path) -> None:
    os.close(os.open(root / "a/file", os.O_RDWR))


def truncate(root: Path) -> None:
    os.truncate(root / "a/file", 1)


def change_the_mode(root: Path) -> None:
    (root / "a/file").chmod(0o600)


def change_the_times(root: Path) -> None:
    os.utime(root / "a/file", (1, 1))


def set_an_attribute(root: Path) -> None:
    os.setxattr(root / "a/file", "user.x", b"1")


def remove(root: Path) -> None:
    (root / "a/file").unlink()


def replace(root: Path) -> None:
    (root / "other").rename(root / "a/file")


def add(root: Path) -> None:
    (root / "a/added").touch()


def link(root: Path) -> None:
    os.link(root / "a/file", root / "a/linked")


FILES: list[Callable[[Path], None]] = [
    *(write, write_in_place, write_through_a_mapping, open_for_writing_only, truncate, change_the_mode),
    *(change_the_times, set_an_attribute, remove, replace, add, link),
]


def change_the_mode_of_a_folder(root: Path) -> None:
    (root / "a").chmod(0o700)


def add_a_folder(root: Path) -> None:
    (root / "a/new").mkdir()


def write_through_a_link_in_a_new_folder(root: Path) -> None:
    """The file itself is never named, and all that was used is gone again."""
    (root / "new").mkdir()
    os.link(root / "a/file", root / "new/link")
    (root / "new/link").write_text("x")
    (root / "new/link").unlink()
    (root / "new").rmdir()


def move_a_folder(root: Path) -> None:
    (root / "a").rename(root / "b")


def remove_a_folder(root: Path) -> None:
    (root / "empty").rmdir()


FOLDERS: list[Callable[[Path], None]] = [
    *(change_the_mode_of_a_folder, add_a_folder, write_through_a_link_in_a_new_folder),
    *(move_a_folder, remove_a_folder),
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for folder in ("a", "empty"):
        (tmp_path / folder).mkdir()
    (tmp_path / "a/file").write_text("old")
    (tmp_path / "other").write_text("other")
    return tmp_path


@pytest.fixture
def vigil(root: Path) -> Vigil:
    vigil = Vigil(str(root))
    vigil.watch({"", "a", "empty"})
    touched = vigil.take()
    assert touched is not None and touched.nothing
    return vigil


@pytest.mark.parametrize("change", FILES, ids=lambda change: change.__name__)
def test_a_file_is_named(vigil: Vigil, root: Path, change: Callable[[Path], None]) -> None:
    change(root)
    touched = vigil.take()
    assert touched is not None
    assert touched.paths & {"a/file", "a/added", "a/linked"}
    assert not touched.folders
    again = vigil.take()
    assert again is not None and again.nothing


@pytest.mark.parametrize("change", FOLDERS, ids=lambda change: change.__name__)
def test_folders_make_everything_doubtful(vigil: Vigil, root: Path, change: Callable[[Path], None]) -> None:
    change(root)
    touched = vigil.take()
    assert touched is not None and touched.folders


def test_reading_is_nothing(vigil: Vigil, root: Path) -> None:
    (root / "a/file").read_bytes()
    list(root.rglob("*"))
    with (root / "a/file").open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
        assert pages[0:1] == b"o"
    touched = vigil.take()
    assert touched is not None and touched.nothing


def test_too_much_is_not_known(vigil: Vigil, root: Path) -> None:
    limit = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    for n in range(limit // 2 + 10):
        (root / f"a/{n % 2}").touch()
        (root / f"a/{n % 2}").unlink()
    assert vigil.take() is None


def test_a_folder_that_cannot_be_watched_makes_it_blind(root: Path) -> None:
    vigil = Vigil(str(root))
    vigil.watch({"", "nowhere"})
    assert vigil.take() is None
    vigil.forget()
    vigil.watch({"", "a"})
    write(root)
    touched = vigil.take()
    assert touched is not None and touched.paths == {"a/file"}
