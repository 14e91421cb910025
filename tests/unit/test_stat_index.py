"""An index saves reading, and never believes what it should not."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from clocks import LATER_NS, Clock, next_tick
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.workspace import Snapshot, content, seen, take_snapshot
from untilgreen.workspace.stat_index import StatIndex


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the files that are read to take a digest."""
    found: list[str] = []
    real = content.digest_and_size

    def counted(where: str, size: int) -> tuple[str, int]:
        found.append(os.path.basename(where))  # noqa: PTH119
        return real(where, size)

    monkeypatch.setattr(seen, "digest_and_size", counted)
    return found


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in ("a.py", "pkg/b.py", "pkg/deep/c.py", "tests/d.py"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    return tmp_path


def same(one: Snapshot, other: Snapshot) -> bool:
    assert one.entries == other.entries
    assert one.left_out == other.left_out
    return one.digest == other.digest


def test_an_unchanged_tree_is_not_read_again(root: Path, reads: list[str]) -> None:
    index = StatIndex(Clock())
    first = take_snapshot(root, index=index)
    assert sorted(reads) == ["a.py", "b.py", "c.py", "d.py"]
    reads.clear()
    assert same(take_snapshot(root, index=index), first)
    assert reads == []
    next_tick(root.parent / "scratch")
    (root / "pkg/b.py").write_text("other")
    second = take_snapshot(root, index=index)
    assert reads == ["b.py"]
    assert second.digest != first.digest
    assert same(second, take_snapshot(root))


def test_what_changed_a_moment_ago_is_read_again(root: Path, reads: list[str]) -> None:
    clock = Clock()
    clock.late = False
    index = StatIndex(clock)
    take_snapshot(root, index=index)
    for _ in range(2):
        reads.clear()
        take_snapshot(root, index=index)
        assert sorted(reads) == ["a.py", "b.py", "c.py", "d.py"]
    clock.late = True
    take_snapshot(root, index=index)
    reads.clear()
    take_snapshot(root, index=index)
    assert reads == []


def test_folders_are_listed_again_only_when_they_may_have_changed(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    real = os.scandir

    def counted(where: str) -> Any:
        listed.append(where)
        return real(where)

    monkeypatch.setattr(os, "scandir", counted)
    clock = Clock()
    clock.late = False
    index = StatIndex(clock)
    for late, n_listed in ((False, 4), (False, 4), (True, 4), (True, 0)):
        clock.late = late
        listed.clear()
        take_snapshot(root, index=index)
        assert len(listed) == n_listed
    next_tick(root.parent / "scratch")
    (root / "pkg/new.py").write_text("")
    assert "pkg/new.py" in take_snapshot(root, index=index).entries
    assert listed == [f"{root}/pkg"]


def test_rules_that_change_are_read_again(root: Path) -> None:
    git = ["git", "-C", str(root)]
    subprocess.run([*git, "init", "-q"], check=True)
    files = ("docs/a.txt", "docs/b.log", "docs/sub/c.txt")
    for path in files:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    (root / ".gitignore").write_text("#")
    (root / "docs/.gitignore").write_text("#")
    index = StatIndex(Clock())

    def docs() -> set[str]:
        snapshot = take_snapshot(root, index=index)
        assert same(snapshot, take_snapshot(root))
        next_tick(root.parent / "scratch")
        return {path for path in snapshot.entries if path in files}

    assert docs() == set(files)
    (root / "docs/.gitignore").write_text("*.txt")
    assert docs() == {"docs/b.log"}
    (root / ".git/info/exclude").write_text("*.log")
    assert docs() == set()
    subprocess.run([*git, "add", "-f", "docs/sub/c.txt"], check=True)
    assert docs() == {"docs/sub/c.txt"}
    (root / ".gitignore").write_text("docs")
    assert docs() == {"docs/sub/c.txt"}
    subprocess.run([*git, "rm", "-q", "--cached", "docs/sub/c.txt"], check=True)
    assert docs() == set()


def test_a_time_in_the_future_is_never_believed(root: Path, reads: list[str]) -> None:
    future = (os.stat(root).st_mtime_ns + 10 * LATER_NS,) * 2  # noqa: PTH116
    os.utime(root / "a.py", ns=future)
    index = StatIndex(Clock())
    for _ in range(3):
        reads.clear()
        take_snapshot(root, index=index)
    assert reads == ["a.py"]


def test_other_rules_see_another_tree(root: Path) -> None:
    index = StatIndex(Clock())
    take_snapshot(root, index=index)
    assert set(take_snapshot(root, index=index, exclude=["pkg"]).entries) == {"a.py", "tests/d.py"}
    assert len(take_snapshot(root, index=index).entries) == 4


def test_a_refusal_leaves_nothing_half_done(root: Path) -> None:
    index = StatIndex(Clock())
    take_snapshot(root, index=index)
    next_tick(root.parent / "scratch")
    (root / "large").write_bytes(bytes(2 << 20))
    for _ in range(2):
        with pytest.raises(WorkspaceError):
            take_snapshot(root, index=index, max_mb=1)
    assert same(take_snapshot(root, index=index), take_snapshot(root))


def test_content_that_its_stat_hid_is_found_by_reading(root: Path) -> None:
    """Such as a write through a mapping, which need not touch the times."""
    index = StatIndex(Clock())
    snapshot = take_snapshot(root, index=index)
    tree = index.tree(root, (), (), ("src", ""))
    next_tick(root.parent / "scratch")
    (root / "pkg/b.py").write_text("other")
    folder = tree.folders["pkg"]
    folder.known = folder.found = [seen.look_at(where) for where in folder.where]
    hidden = take_snapshot(root, index=index)
    assert hidden.digest == snapshot.digest
    with pytest.raises(WorkspaceChanged):
        hidden.read("pkg/b.py")
    assert take_snapshot(root, index=index).read("pkg/b.py") == b"other"


def test_only_what_is_named_is_looked_at(root: Path) -> None:
    index = StatIndex(Clock())
    before = take_snapshot(root, index=index)
    next_tick(root.parent / "scratch")
    for path in ("a.py", "pkg/b.py", "pkg/new/e.py", "tests/f.py"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text("changed")

    def changed(*only: str) -> set[str]:
        entries = take_snapshot(root, index=index, only=only).entries
        return {path for path in entries if entries[path] != before.entries.get(path)}

    assert changed() == set()
    assert changed("tests/f.py") == {"a.py", "tests/f.py"}
    assert changed("pkg/new/e.py") == {"a.py", "tests/f.py", "pkg/b.py", "pkg/new/e.py"}
    next_tick(root.parent / "scratch")
    (root / "pkg/deep/c.py").write_text("changed")
    assert "pkg/deep/c.py" not in changed("pkg/b.py")
    assert "pkg/deep/c.py" in changed("pkg")
    next_tick(root.parent / "scratch")
    shutil.rmtree(root / "pkg")
    assert changed("pkg/deep/c.py") == {"a.py", "tests/f.py"}
    assert same(take_snapshot(root, index=index), take_snapshot(root))


def test_only_on_a_tree_that_was_never_seen(root: Path) -> None:
    assert same(take_snapshot(root, index=StatIndex(), only=["a.py"]), take_snapshot(root))


@pytest.fixture
def shared(root: Path) -> Iterator[StatIndex]:
    """An index for which this tree is large."""
    with closing(StatIndex(Clock(), many=2)) as index:
        yield index


def helpers() -> list[int]:
    """Processes that look at files for this one."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int(entry.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            command = entry.joinpath("cmdline").read_bytes()
        except OSError:
            continue
        if parent == os.getpid() and b"looking.py" in command:
            found.append(int(entry.name))
    return found


def test_a_large_tree_is_looked_at_by_two(root: Path, shared: StatIndex, reads: list[str]) -> None:
    first = take_snapshot(root, index=shared)
    assert helpers() == []
    reads.clear()
    assert same(take_snapshot(root, index=shared), first)
    (helper,) = helpers()
    next_tick(root.parent / "scratch")
    for path in ("a.py", "tests/d.py"):
        (root / path).write_text("other")
    assert same(take_snapshot(root, index=shared), take_snapshot(root))
    assert helpers() == [helper]
    shared.close()
    assert helpers() == []
    assert same(take_snapshot(root, index=shared), take_snapshot(root)), "it starts again"


def test_without_the_second_process_we_look_ourselves(root: Path, shared: StatIndex) -> None:
    for _ in range(2):
        take_snapshot(root, index=shared)
    (helper,) = helpers()
    os.kill(helper, signal.SIGKILL)
    next_tick(root.parent / "scratch")
    (root / "tests/d.py").write_text("other")
    for _ in range(3):
        assert same(take_snapshot(root, index=shared), take_snapshot(root))
    assert helpers() not in ([], [helper])


def test_other_rules_do_not_end_a_look_that_is_under_way(root: Path) -> None:
    with closing(StatIndex()) as index:
        tree = index.tree(root, (), (), ())
        others = threading.Thread(target=index.tree, args=(root, ("*.txt",), (), ()))
        with tree.lock:
            others.start()
            others.join(0.3)
            assert others.is_alive(), "it waits"
        others.join(20)
        assert not others.is_alive()
