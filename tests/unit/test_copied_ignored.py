"""What git ignores is left out, unless it lies among code or tests and is small."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from untilgreen.solve.plan import surroundings
from untilgreen.workspace import Overlay, Snapshot, take_snapshot
from untilgreen.workspace.copied import IGNORED_BYTES
from untilgreen.workspace.tracked import Tracked, read_tracked
from untilgreen_sandbox.environment import remedy
from untilgreen_sandbox.report import Cause, Failure

ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": os.devnull}
PYPROJECT = "pyproject.toml"


def grow(root: Path, files: Mapping[str, str | bytes]) -> Path:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def git(root: Path, *words: str) -> None:
    name = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    subprocess.run(["git", *name, "-C", root, *words], check=True, env={**os.environ, **ALONE})


def taken(root: Path, **rules: Sequence[str]) -> set[str]:
    return {path for path in take_snapshot(root, **rules).entries if not path.endswith(".gitignore")}  # type: ignore[arg-type]


# What lies in a folder of code or tests comes along, and so does what lies beside pyproject.toml.
COME_ALONG = (
    *("shop/__init__.py", "shop/_version.py", "shop/fast.cpython-311-x86_64-linux-gnu.so", "shop/data/a.bin"),
    *("shop/gen/deep/b.bin", "src/space/c.bin", "src/space/pkg/__init__.py", "tests/data/d.bin", "local.bin"),
    *(
        "generated/__init__.py",
        "generated/api_pb2.py",
        "generated/e.bin",
        "parts/one/mod.py",
        "parts/one/f.bin",
    ),
    *(
        "shop.egg-info/entry_points.txt",
        "services/a/pyproject.toml",
        "services/a/g.bin",
        "services/a/tests/h.bin",
    ),
)
STAY_BEHIND = ("data/i.bin", "data/sub/k.bin", "assets/l.bin", "services/a/data/m.bin", "vendored/setup.py")
IGNORE = "*.bin\n*.so\n_version.py\n/generated/\n/data/\n*.egg-info/\n/vendored\ngen\n"


def test_ignored_files_among_code_and_tests_come_along(tmp_path: Path) -> None:
    grow(tmp_path, dict.fromkeys((*COME_ALONG, *STAY_BEHIND), ""))
    grow(tmp_path, {".gitignore": IGNORE, "assets/logo.txt": "", "vendored/a.py": ""})
    assert taken(tmp_path) == {*COME_ALONG, "assets/logo.txt"}
    assert take_snapshot(tmp_path).left_out == (
        *("assets/l.bin", "data/", "services/a/data/m.bin", "vendored/"),
    )


def test_only_small_ones(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "*.bin\n", "shop/__init__.py": ""})
    grow(tmp_path, {"shop/large.txt": bytes(IGNORED_BYTES + 1), "shop/fits.bin": bytes(IGNORED_BYTES)})
    grow(tmp_path, {"shop/large.bin": bytes(IGNORED_BYTES + 1)})
    assert taken(tmp_path) == {"shop/__init__.py", "shop/large.txt", "shop/fits.bin"}
    assert take_snapshot(tmp_path).left_out == ("shop/large.bin",)
    assert "shop/large.bin" in taken(tmp_path, include=["shop/large.bin"])


def test_the_other_rules_stay_as_they_are(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "secret\n!.env\n!__pycache__\n!.venv\n!build\n", "shop/__init__.py": ""})
    left = ("shop/.env", "shop/__pycache__/x.pyc", ".venv/a.py", "build/lib/a.py", "shop/key.pem")
    grow(tmp_path, dict.fromkeys(left, ""))
    assert taken(tmp_path) == {"shop/__init__.py"}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        (
            {"include": ["data"]},
            {"data/a.csv", "data/b.log", "data/sub/c.csv", "data/sub/e.log", "logs/keep.txt"},
        ),
        ({"include": ["data/*.csv"]}, {"data/a.csv", "data/sub/c.csv", "logs/keep.txt"}),
        ({"include": ["logs/*.log"]}, {"logs/d.log", "logs/keep.txt"}),
        ({"include": ["*.log"], "exclude": ["logs"]}, set()),
        ({"include": ["data"], "exclude": ["*.csv"]}, {"data/b.log", "data/sub/e.log", "logs/keep.txt"}),
    ],
)
def test_an_include_wins(tmp_path: Path, rules: dict[str, list[str]], expected: set[str]) -> None:
    grow(tmp_path, {".gitignore": "*.log\ndata/\n", "data/a.csv": "", "data/b.log": "", "data/sub/c.csv": ""})
    grow(tmp_path, {"logs/d.log": "", "logs/keep.txt": "", "data/sub/e.log": ""})
    assert taken(tmp_path, **rules) == expected


def test_rules_of_the_clone_itself_and_of_folders(tmp_path: Path) -> None:
    grow(tmp_path, {".git/info/exclude": "*.tmp\n", "a/x.tmp": "", "a/.gitignore": "*.log\n!k.tmp\n"})
    grow(tmp_path, {"a/k.tmp": "", "a/y.log": "", "a/b/z.log": "", "b/z.log": ""})
    assert taken(tmp_path) == {"a/k.tmp", "b/z.log"}


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_what_git_tracks_is_not_ignored(tmp_path: Path, version: str) -> None:
    paths = ["data/in.csv", "data/deep/é.csv", "logs/in.log", f"longer/{'than' * 50}/eight.txt", "x"]
    grow(tmp_path, dict.fromkeys((*paths, "data/out.csv", "data/other/o.csv", "logs/out.log"), ""))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-f", *paths)
    git(tmp_path, "update-index", "--index-version", "4" if version == "4" else "2")
    if version == "3":
        git(tmp_path, "add", "-N", "-f", "data/out.csv")
        paths.append("data/out.csv")
    assert (tmp_path / ".git/index").read_bytes()[7] == int(version)
    grow(tmp_path, {".gitignore": "data/\n*.log\n"})
    assert read_tracked(str(tmp_path / ".git/index")).files == set(paths)
    assert taken(tmp_path) == set(paths)
    assert {"data/", "logs/out.log"} <= set(take_snapshot(tmp_path).left_out)


@pytest.mark.parametrize(
    "content", [b"", b"DIRC", b"DIRC" + bytes(8), b"DIRC\0\0\0\2\0\0\1\0", b"DIRC\0\0\0\x63\0\0\0\1"]
)
def test_an_index_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    grow(tmp_path, {".git/index": content, ".gitignore": "data\n", "data/x": "", "y": ""})
    assert read_tracked(str(tmp_path / ".git/index")) == Tracked()
    assert taken(tmp_path) == {"y"}


def test_a_linked_working_tree_has_its_clone_s_rules(tmp_path: Path) -> None:
    grow(tmp_path, {"clone/a.txt": "", "clone/lib/in.tmp": ""})
    git(tmp_path / "clone", "init", "-q")
    git(tmp_path / "clone", "add", ".")
    git(tmp_path / "clone", "commit", "-qm", "x")
    git(tmp_path / "clone", "worktree", "add", "-q", "../linked")
    grow(tmp_path, {"clone/.git/info/exclude": "*.tmp\n", "linked/lib/out.tmp": ""})
    assert taken(tmp_path / "linked") == {"a.txt", "lib/in.tmp"}


def test_buffers_follow_the_same_rules(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "data\n*.log\n", "shop/__init__.py": "", "data/x.csv": ""})
    paths = ("data/x.csv", "data/new.csv", "shop/new.log", "shop/new/new.log", "docs/new.log", "docs/new.txt")
    snapshot = take_snapshot(tmp_path, {path: Overlay(b"", 1) for path in paths})
    assert set(snapshot.overlay) == {"shop/new.log", "shop/new/new.log", "docs/new.txt"}


def _says(snapshot: Snapshot, path: str) -> str:
    cause = Cause(
        type="builtins.FileNotFoundError", kinds=("FileNotFoundError", "OSError"), errno=2, subject=path
    )
    return remedy(Failure(type="FileNotFoundError", message="", causes=(cause,)), surroundings(snapshot))


def test_a_failure_that_mentions_it_has_the_remedy(tmp_path: Path) -> None:
    grow(tmp_path, {".gitignore": "/data/\n*.dump\n", "data/deep/x.csv": "", "assets/y.dump": ""})
    snapshot = take_snapshot(tmp_path)
    for path in ("data/deep/x.csv", "assets/y.dump"):
        assert _says(snapshot, path) == (
            f"Name {path} in the setting `include` if tests may see it: it was not copied into the sandbox."
        )
        assert path in taken(tmp_path, include=[path])
    assert _says(snapshot, "data/deep/nowhere.csv") == ""
