"""The copy of the workspace, on a real disk; with hostile processes it is in sandbox/ and hostile/."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from untilgreen_sandbox.inside.tree import Tree, empty
from untilgreen_sandbox.inside.vigil import Vigil

names = st.sampled_from(["a", "b", "c.py", "d"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
contents = st.binary(max_size=20)


def listed(root: Path) -> dict[str, bytes | None]:
    """Path → content, None for a folder."""
    return {
        str(path.relative_to(root)): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


def expected(files: dict[str, bytes]) -> dict[str, bytes | None]:
    folders = {str(parent) for path in files for parent in Path(path).parents} - {"."}
    return {**dict.fromkeys(folders), **files}


def fits(files: dict[str, bytes], path: str) -> bool:
    """Whether the path is free: no file lies on the way, no folder in its place."""
    return not any(other.startswith(f"{path}/") or path.startswith(f"{other}/") for other in files)


@given(
    st.lists(st.tuples(paths, contents | st.none()), max_size=8),
    st.lists(st.tuples(paths, contents | st.none()), max_size=5),
    st.lists(st.tuples(paths, contents | st.none()), max_size=5),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_whatever_happens_the_tree_is_as_it_was_put(
    tmp_path_factory: pytest.TempPathFactory,
    puts: list[tuple[str, bytes | None]],
    overlays: list[tuple[str, bytes | None]],
    writes: list[tuple[str, bytes | None]],
) -> None:
    root = tmp_path_factory.mktemp("tree")
    tree = Tree(str(root))
    files: dict[str, bytes] = {}
    for path, content in puts:
        if content is None and path in files:
            del files[path]
            tree.put(path, None, 0o644)
        elif content is not None and fits(files, path):
            files[path] = content
            tree.put(path, content, 0o644)
    assert listed(root) == expected(files)
    for path, content in overlays:
        tree.overlay(path, content, 0o600)
    for path, content in writes:
        target = root / path
        if content is None and target.is_file():
            target.unlink()
        elif content is not None and target.parent.is_dir() and not target.is_dir():
            target.write_bytes(content)
    tree.restore()
    assert listed(root) == expected(files)
    tree.restore()
    assert listed(root) == expected(files)


PLACES = ("a/one", "a/two", "b/one", "new", "a/new")
doings = st.tuples(
    st.sampled_from(["write", "append", "remove", "link", "rename", "chmod"]),
    st.sampled_from(PLACES),
    st.sampled_from(PLACES),
)


def do(root: Path, what: str, path: Path, other: Path) -> None:
    match what:
        case "write":
            path.write_bytes(b"written")
        case "append" if path.exists():
            with path.open("ab") as file:
                file.write(b"more")
        case "remove":
            path.unlink(missing_ok=True)
        case "link" if path.exists() and not other.exists():
            other.hardlink_to(path)
        case "rename" if path.exists():
            path.rename(other)
        case "chmod" if path.exists():
            path.chmod(0o600)


@given(st.lists(doings, max_size=8))
@example([("link", "a/one", "new"), ("append", "new", ""), ("remove", "new", ""), ("write", "new", "")])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
def test_what_was_reported_is_enough_to_know(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, str, str]]
) -> None:
    root = tmp_path_factory.mktemp("tree")
    tree, vigil = Tree(str(root)), Vigil(str(root))
    files = {path: path.encode() for path in PLACES[:3]}
    for path, content in files.items():
        tree.put(path, content, 0o644)
    vigil.watch(tree.folders)
    for what, one, other in done:
        do(root, what, root / one, root / other)
    tree.restore(vigil.take())
    assert listed(root) == expected(files)
    assert {stat.S_IMODE((root / path).stat().st_mode) for path in files} == {0o644}
    assert {(root / path).stat().st_nlink for path in files} == {1}
    os.close(vigil._inotify)


def test_written_files_cost_the_same_whatever_the_size_of_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, vigil = Tree(str(tmp_path)), Vigil(str(tmp_path))
    for n in range(50):
        tree.put(f"a/{n}", b"x", 0o644)
    vigil.watch(tree.folders)
    (tmp_path / "a/7").write_bytes(b"other")
    (tmp_path / "a/made").write_bytes(b"new")
    touched, looked = vigil.take(), []
    lstat = os.lstat
    monkeypatch.setattr(os, "lstat", lambda path: (looked.append(path), lstat(path))[1])
    monkeypatch.setattr(os, "scandir", lambda path: pytest.fail("it looks at the whole tree"))
    tree.restore(touched)
    monkeypatch.undo()
    os.close(vigil._inotify)
    assert len(looked) < 10
    assert listed(tmp_path) == expected({f"a/{n}": b"x" for n in range(50)})


def test_untouched_files_keep_their_inode(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path))
    tree.put("a/kept", b"x", 0o644)
    tree.put("a/changed", b"x", 0o644)
    kept, changed = (tmp_path / "a/kept").stat().st_ino, (tmp_path / "a/changed").stat().st_ino
    handle = (tmp_path / "a/changed").open("r+b", buffering=0)
    handle.write(b"y")
    tree.restore()
    assert (tmp_path / "a/kept").stat().st_ino == kept
    assert (tmp_path / "a/changed").stat().st_ino != changed
    handle.write(b"z")
    handle.close()
    assert (tmp_path / "a/changed").read_bytes() == b"x", "an old handle does not reach the new file"


def test_modes_are_kept_without_the_special_bits(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path))
    tree.put("tool", b"x", 0o6755)
    assert stat.S_IMODE((tmp_path / "tool").stat().st_mode) == 0o755
    (tmp_path / "tool").chmod(0o700)
    tree.restore()
    assert stat.S_IMODE((tmp_path / "tool").stat().st_mode) == 0o755


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("precious")
    root = tmp_path / "root"
    root.mkdir()
    tree = Tree(str(root))
    tree.put("folder/file", b"x", 0o644)
    (root / "folder/file").unlink()
    (root / "folder").rmdir()
    (root / "folder").symlink_to(outside)
    (root / "link").symlink_to(outside / "file")
    tree.restore()
    assert listed(root) == {"folder": None, "folder/file": b"x"}
    assert listed(outside) == {"file": b"precious"}


def test_an_overlay_of_a_folder_s_name(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path))
    tree.put("folder/file", b"x", 0o644)
    tree.overlay("folder", b"now a file", 0o644)
    assert listed(tmp_path) == {"folder": b"now a file"}
    tree.restore()
    assert listed(tmp_path) == {"folder": None, "folder/file": b"x"}


@pytest.mark.parametrize("path", ["", "/a", "../a", "a/..", "a/../b", ".", "./a", "a//b", "a/", "a\0b"])
def test_paths_that_are_refused(tmp_path: Path, path: str) -> None:
    tree = Tree(str(tmp_path))
    for call in (tree.put, tree.overlay):
        for content in (b"x", None):
            with pytest.raises(ValueError, match="not a path inside"):
                call(path, content, 0o644)
    assert listed(tmp_path) == {}


def test_a_folder_to_a_mount_stays(tmp_path: Path) -> None:
    tree = Tree(str(tmp_path), ("env/.venv",))
    (tmp_path / "env").mkdir()
    tree.restore()
    assert (tmp_path / "env").is_dir()


def test_empty_leaves_mounts_and_the_way_to_them(tmp_path: Path) -> None:
    for name in ("a/mounted/file", "a/other/file", "a/mounted2/file", "b/file"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "closed").mkdir(mode=0)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/")
    empty(str(tmp_path), frozenset({str(tmp_path / "a/mounted")}))
    assert listed(tmp_path) == {"a": None, "a/mounted": None, "a/mounted/file": b"x"}
