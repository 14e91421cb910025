"""A snapshot with an index is the snapshot without one, whatever happened to the files in between."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import closing
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from clocks import Clock, next_tick
from untilgreen.workspace import Overlay, Snapshot, take_snapshot
from untilgreen.workspace.second_look import MANY
from untilgreen.workspace.stat_index import StatIndex

NAMES = st.sampled_from(
    ["a.py", "b.csv", "c.log", "d", "d/a.py", "d/x.csv", "d/e/f.csv", "g/__init__.py", "g/h.log"]
)
RULES = st.sampled_from(["*.csv", "*.log", "d/", "!d/x.csv", "e", "*\n!*.py", "/g", ""])
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), NAMES, st.sampled_from(["one", "two", "three", "a\n"])),
        st.tuples(st.just("same stat"), NAMES, st.sampled_from(["one", "two"])),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("swap"), NAMES, NAMES),
        st.tuples(st.just("mode"), NAMES, st.sampled_from(["644", "755", "600"])),
        st.tuples(st.just("remove"), NAMES, st.just("")),
        st.tuples(st.just("link"), NAMES, NAMES),
        st.tuples(st.just("rules"), st.sampled_from(["", "d/", "g/", ".git/info/"]), RULES),
        st.tuples(st.just("look"), st.just(""), st.just("")),
        st.tuples(st.just("look at it"), NAMES, st.just("")),
        st.tuples(st.just("buffer"), NAMES, st.sampled_from(["one", "held"])),
        st.tuples(st.just("clock"), st.just(""), st.just("")),
    ),
    max_size=14,
)


def do(root: Path, step: tuple[str, str, str]) -> None:
    what, name, more = step
    path = root / name
    if what == "rules":
        path = root / name / ("exclude" if name.startswith(".git") else ".gitignore")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(more)
    elif what == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(more)
    elif what == "same stat" and path.is_file():
        before = path.stat()
        path.write_text(more)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif what == "rename":
        (root / more).parent.mkdir(parents=True, exist_ok=True)
        path.rename(root / more)
    elif what == "swap" and (root / more).exists():
        path.rename(root / "between")
        (root / more).rename(path)
        (root / "between").rename(root / more)
    elif what == "mode":
        path.chmod(int(more, 8) | (0o700 if path.is_dir() else 0))
    elif what == "remove":
        shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    elif what == "link":
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(more)


def same(one: Snapshot, other: Snapshot) -> bool:
    assert one.entries == other.entries
    assert one.left_out == other.left_out
    return one.digest == other.digest


@settings(deadline=None)
@given(STEPS)
def test_with_an_index_as_without(steps: list[tuple[str, str, str]]) -> None:
    compared(steps, MANY)


@settings(deadline=None)
@given(STEPS)
def test_with_a_second_process_as_without(steps: list[tuple[str, str, str]]) -> None:
    # It is asked again and again, and there is always something in its half.
    full = [("write", name, "one") for name in ("a.py", "d/a.py", "d/e/f.csv", "g/__init__.py")]
    compared([*full, *(one for step in steps for one in (step, ("look", "", "")))], 1)


def compared(steps: list[tuple[str, str, str]], many: int) -> None:
    """After each look. From so many files on a second process looks as well."""
    clock = Clock()
    clock.late = False
    index = StatIndex(clock, many)
    with closing(index), tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        root = folder / "root"
        root.mkdir()
        overlay: dict[str, Overlay] = {}
        for step in [*steps, ("look", "", "")]:
            what, name, more = step
            if clock.late:
                next_tick(folder / "scratch")
            if what == "clock":
                clock.late = not clock.late
            elif what == "buffer":
                overlay = {name: Overlay(more.encode(), 1)}
            elif what == "look":
                assert same(take_snapshot(root, overlay, index=index), take_snapshot(root, overlay))
            elif what == "look at it":
                take_snapshot(root, overlay, index=index)
                next_tick(folder / "scratch")
                if (root / name).is_file() and not (root / name).is_symlink():
                    (root / name).write_text("looked at")
                only = take_snapshot(root, overlay, index=index, only=[name])
                assert same(only, take_snapshot(root, overlay))
            else:
                try:
                    do(root, step)
                except OSError:
                    continue
