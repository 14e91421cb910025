"""What is copied, what is left out, and that a snapshot never lies about it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.workspace import Overlay, Snapshot, digest_of, take_snapshot
from untilgreen.workspace.copied import is_secret


def grow(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(path)
    return root


async def contents(snapshot: Snapshot) -> dict[str, bytes | None]:
    return {change.path: change.content async for change in snapshot.changes()}


async def test_files_come_sorted_with_bytes_and_mode(tmp_path: Path) -> None:
    grow(tmp_path, "b.py", "a/z.py", "a.py", "empty/x/data.bin")
    (tmp_path / "a.py").chmod(0o755)
    snapshot = take_snapshot(tmp_path)
    changes = [change async for change in snapshot.changes()]
    assert [change.path for change in changes] == sorted(["a.py", "a/z.py", "b.py", "empty/x/data.bin"])
    assert {change.path: change.content for change in changes}["a/z.py"] == b"a/z.py"
    assert {change.path: change.mode for change in changes} | {"b.py": 0} == {
        "a.py": 0o755,
        "a/z.py": 0o644,
        "b.py": 0,
        "empty/x/data.bin": 0o644,
    }
    assert snapshot.total_bytes == sum(len(path) for path in snapshot.entries)
    assert snapshot.left_out == ()


LEFT_OUT = [
    *(".git/config", "sub/.hg/x", ".svn/x", "__pycache__/a.py", "pkg/__pycache__/x", "old.pyc"),
    *(".venv/lib/x.py", "my/pyvenv.cfg", "my/lib/x.py", "conda/conda-meta/history", ".tox/x", ".nox/x"),
    *("node_modules/x.js", "pkg/.mypy_cache/x", ".hypothesis/x", "build/lib/x.py", "dist/x.whl"),
    *("packages/one/build/x.py", ".env", ".env.local", "cert/server.pem", "A.KEY"),
    *("id_rsa", "id_ed25519.pub", ".netrc", ".pypirc", "web/.npmrc", "home/.ssh/config", ".aws/credentials"),
]
KEPT = [
    *(
        "env/__init__.py",
        "venv/x.py",
        "pkg/build/x.py",
        "name.egg-info/PKG-INFO",
        ".env.example",
        "keys.py",
    ),
    *(
        "id_rsa_reader.py",
        ".github/workflows/ci.yml",
        ".coveragerc",
        "build.py",
        "packages/one/pyproject.toml",
    ),
    *("packages/two/setup.py", "packages/two/build/__init__.py", "git/x.py", "ä ö/“x”.txt"),
]


def test_what_is_left_out_and_what_is_not(tmp_path: Path) -> None:
    grow(tmp_path, *LEFT_OUT, *KEPT)
    os.mkfifo(tmp_path / "pipe")
    snapshot = take_snapshot(tmp_path)
    assert sorted(snapshot.entries) == sorted(KEPT)
    silent = ("__pycache__", ".git", ".hg", ".svn", "_cache", ".hypothesis", ".pyc")
    for path in (path for path in LEFT_OUT if not any(word in path for word in silent)):
        assert any(path == left or path.startswith(left) for left in snapshot.left_out), path


def test_a_root_that_looks_like_an_environment_is_still_a_workspace(tmp_path: Path) -> None:
    assert set(take_snapshot(grow(tmp_path, "pyvenv.cfg", "a.py")).entries) == {"pyvenv.cfg", "a.py"}


@pytest.mark.parametrize(
    ("exclude", "include", "expected"),
    [
        (["*.csv"], [], {"a.py"}),
        (["data"], [], {"a.py", "x.csv"}),
        (["data/"], ["data/x.csv"], {"a.py", "x.csv"}),
        (["/x.csv"], [], {"a.py", "data/x.csv"}),
        (["data/*"], [], {"a.py", "x.csv"}),
        (["**/x.csv"], [], {"a.py"}),
        ([], ["build"], {"a.py", "x.csv", "data/x.csv", "build/x.txt", "build/deep/y.txt"}),
        ([], ["build/deep/*.txt"], {"a.py", "x.csv", "data/x.csv", "build/deep/y.txt"}),
        ([], ["build/*/y.txt"], {"a.py", "x.csv", "data/x.csv", "build/deep/y.txt"}),
        ([], ["*.txt"], {"a.py", "x.csv", "data/x.csv"}),
        (
            [],
            ["*", ".git", "build/t.key"],
            {"a.py", "x.csv", "data/x.csv", "build/x.txt", "build/deep/y.txt"},
        ),
        ([], ["**/*.pem"], {"a.py", "x.csv", "data/x.csv", "data/c.pem"}),
    ],
)
def test_exclude_wins_over_include_over_rules(
    tmp_path: Path, exclude: list[str], include: list[str], expected: set[str]
) -> None:
    grow(
        tmp_path,
        "a.py",
        "x.csv",
        "data/x.csv",
        "data/c.pem",
        "build/x.txt",
        "build/deep/y.txt",
        ".git/config",
    )
    assert set(take_snapshot(tmp_path, exclude=exclude, include=include).entries) == expected


async def test_links_bring_their_target_but_never_lead_out(tmp_path: Path) -> None:
    root = tmp_path / "root"
    grow(tmp_path, "root/real.py", "root/pkg/mod.py", "root/.env", "outside.txt")
    links = {
        "near": "real.py",
        "chain": "near",
        "pkg/up": "../real.py",
        "secret": ".env",
        "out": "../outside.txt",
        "absolute": str(root / "real.py"),
        "folder": "pkg",
        "dangling": "nowhere",
        "loop": "loop",
        "through": "folder/mod.py",
    }
    for name, target in links.items():
        (root / name).symlink_to(target)
    snapshot = take_snapshot(root)
    found = await contents(snapshot)
    assert found == dict.fromkeys(["near", "chain", "pkg/up", "real.py"], b"root/real.py") | {
        "pkg/mod.py": b"root/pkg/mod.py"
    }
    assert snapshot.read("chain") == b"root/real.py"
    with pytest.raises(FileNotFoundError):
        snapshot.read("secret")


async def test_buffers_win_over_the_disk(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", ".env")
    (tmp_path / "a.py").chmod(0o755)
    buffer, new = Overlay(b"unsaved", 3), Overlay(b"new", 1)
    overlay = {"a.py": buffer, "new/b.py": new, ".env": new, ".venv/x.py": new, ".git/x": new, "no/x.py": new}
    snapshot = take_snapshot(tmp_path, overlay, exclude=["no"])
    assert await contents(snapshot) == {"a.py": b"unsaved", "new/b.py": b"new"}
    assert snapshot.overlay == {"a.py": buffer, "new/b.py": new}
    assert snapshot.entries["a.py"].mode == 0o755
    assert snapshot.entries["a.py"].digest == digest_of(b"unsaved")
    assert snapshot.exists("new/b.py") and not snapshot.exists(".env")


@pytest.mark.parametrize("path", ["../x", "/etc/passwd", "a//b", "./a", ""])
def test_a_buffer_outside_of_the_workspace_is_a_mistake(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="inside the workspace"):
        take_snapshot(tmp_path, {path: Overlay(b"", None)})


def _gone(path: Path) -> None:
    path.unlink()


def _edited(path: Path) -> None:
    path.write_text("edited")


def _link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def _pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


@pytest.mark.parametrize("meddle", [_gone, _edited, _link, _pipe])
async def test_a_file_that_changed_is_never_read_as_if_it_had_not(
    tmp_path: Path, meddle: Callable[[Path], None]
) -> None:
    snapshot = take_snapshot(grow(tmp_path, "a.py"))
    meddle(tmp_path / "a.py")
    with pytest.raises(WorkspaceChanged, match=r"a\.py"):
        snapshot.read("a.py")
    with pytest.raises(WorkspaceChanged):
        await contents(snapshot)


def test_a_link_that_points_elsewhere_now_is_a_change(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", "b.py")
    (tmp_path / "link").symlink_to("a.py")
    snapshot = take_snapshot(tmp_path)
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("b.py")
    with pytest.raises(WorkspaceChanged):
        snapshot.read("link")


def test_the_digest_tells_content_mode_and_names_apart(tmp_path: Path) -> None:
    file = grow(tmp_path, "a.py") / "a.py"
    seen = [take_snapshot(tmp_path).digest]
    file.write_text("other")
    seen.append(take_snapshot(tmp_path).digest)
    file.chmod(0o755)
    seen.append(take_snapshot(tmp_path).digest)
    file.rename(tmp_path / "b.py")
    seen.append(take_snapshot(tmp_path).digest)
    assert len(set(seen)) == 4
    assert take_snapshot(tmp_path, {"b.py": Overlay(b"other", 1)}).digest == seen[-1]


def test_too_much_names_the_ten_largest(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"f{number:02}").write_bytes(b"x" * (100_000 + number))
    with pytest.raises(WorkspaceError) as caught:
        take_snapshot(tmp_path, max_mb=1)
    text = str(caught.value)
    assert [line.split()[-1] for line in text.splitlines()[1:-1]] == [f"f{n:02}" for n in range(11, 1, -1)]
    assert "`exclude`" in text and "`workspace_max_mb`" in text
    assert take_snapshot(tmp_path, max_mb=2).total_bytes == 1_200_066


def test_a_root_that_is_no_folder(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="does not exist"):
        take_snapshot(tmp_path / "nowhere")
    with pytest.raises(WorkspaceError, match="is not a folder"):
        take_snapshot(grow(tmp_path, "a.py") / "a.py")


def test_what_cannot_be_read_or_named_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a.py", "locked.py")
    (tmp_path / os.fsdecode(b"\xff.py")).write_text("")
    (tmp_path / os.fsdecode(b"\xfe")).mkdir()
    real = os.open

    def refuse(path: str | Path, *rest: int) -> int:
        if str(path).endswith("locked.py"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    # The tests may run as root, for whom no file is locked.
    monkeypatch.setattr(os, "open", refuse)
    snapshot = take_snapshot(tmp_path)
    assert list(snapshot.entries) == ["a.py"]
    assert snapshot.left_out == (r"\udcff.py", "locked.py")


@given(
    st.sampled_from(["a/b/", "", "~/"]), st.sampled_from([".env", "x.pem", "ID_RSA", ".Netrc", ".env.prod"])
)
def test_secrets_by_name_in_any_folder_and_case(folder: str, name: str) -> None:
    assert is_secret(folder + name)
    assert not is_secret(f"{folder}{name}/x.txt")
    assert not is_secret(f"{folder}{name}.py")
