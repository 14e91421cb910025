"""Ignored is what git ignores, in every case that was thought of and in many that were not."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from untilgreen.workspace.ignored import IGNORE_FILE, Ignored, IgnoreRules

ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "HOME": os.devnull}
TREE = (
    *("a", "b.py", "c.log", "ab", "a b", "a-b", "A", "x]", "a*", "#a", "!a", "a\\b", "é", ".a", "a.b.c"),
    *("d/a", "d/b.py", "d/ab", "d/d/a", "d/d/d/b.py", "d/a b", "d/f/a", "d/f/g/b.py", "d/.a"),
    *("foo/a", "foo/foo", "foo/bar/a", "foo/bar/foo/ab", "bar/foo/a", "bar/x]", "bar/c.log", "bar/b.log/a"),
    *("ba/r", "b/a/r", "bxa/r", "build/a", "d/build/a", "build.py"),
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("repository")
    for path in TREE:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("")
    subprocess.run(["git", "init", "-q", root], check=True, env={**os.environ, **ALONE})
    return root


def ignored_by_git(root: Path, files: Mapping[str, bytes]) -> set[str]:
    for folder in ("", "d/", "foo/", "foo/bar/", "bar/"):
        (root / folder / IGNORE_FILE).write_bytes(files.get(folder, b""))
    (root / ".git/info/exclude").write_bytes(files.get(".git", b""))
    asked = subprocess.run(
        ["git", "-C", root, "check-ignore", "--no-index", "--stdin", "-z"],
        input="\0".join(TREE).encode(),
        stdout=subprocess.PIPE,
        env={**os.environ, **ALONE},
    )
    assert asked.returncode in (0, 1)
    return set(filter(None, asked.stdout.decode().split("\0")))


def ignored_by_us(files: Mapping[str, bytes]) -> set[str]:
    found = set()
    for path in TREE:
        rules = Ignored().below("", IgnoreRules(files.get(".git", b"")))
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            folder = "/".join(parts[: depth - 1])
            prefix = f"{folder}/" if folder else ""
            rules = rules.below(folder, IgnoreRules(files.get(prefix, b"")))
            if rules("/".join(parts[:depth]), parts[depth - 1], is_folder=depth < len(parts)):
                found.add(path)
                break
    return found


PIECES = (
    *("a", "b", "d", "foo", "bar", "build", ".", "py", "log", "/", "/", "*", "*", "**", "**/", "/**", "?"),
    *(
        "[ab]",
        "[!a]",
        "[^b]",
        "[a-c]",
        "[]x]",
        "[!]]",
        "[[:alpha:]]",
        "[[:digit:]a]",
        "[[:nope:]]",
        "[a",
        "]",
    ),
    *(
        "\\",
        "\\*",
        "\\#",
        "\\!",
        "\\ ",
        " ",
        "!",
        "#",
        "\t",
        "-",
        "[\\]]",
        "[a\\-c]",
        "[c-a]",
        "[[:a]",
        "é",
        "[/]",
    ),
    *("[b-]", "[-b]", "[*]", "\\/", "***"),
)
LINES = st.builds(
    lambda start, pieces, end: start + "".join(pieces) + end,
    st.sampled_from(["", "", "!", "/", "!/"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5),
    st.sampled_from(["", "", "/", " ", "\r"]),
)
RULES = st.lists(LINES, max_size=5).map(lambda lines: "\n".join(lines).encode())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(["", "d/", "foo/", "foo/bar/", "bar/", ".git"]), RULES, max_size=3))
@example({"": b"foo/**\n!foo/a"})
@example({"": b"foo/**/\n!foo/bar/"})
@example({"": b"b[!a]a/r"})
@example({"": b"ba[!x]r"})
@example({"": b"b**/r"})
@example({"": b"/*\n!/foo\n/foo/*\n!/foo/bar"})
@example({"": b"*\n!*/\n!*.py"})
@example({"": b"*.log\n", "bar/": b"!*.log"})
@example({"": b"build\n", "d/": b"!build\n"})
@example({"": b"\xef\xbb\xbfa\r\nb.py \\ \n\\!a\n\\#a"})
@example({".git": b"a", "": b"!a"})
@example({".git": b"!a", "": b"a"})
@example({"": b"d/**/b.py\n**/d/a\n/**/foo\nfoo/**/ab"})
def test_as_git_does_it(repository: Path, files: dict[str, bytes]) -> None:
    assert ignored_by_us(files) == ignored_by_git(repository, files)


@pytest.mark.parametrize(
    "pattern",
    ["*a" * 40 + "*b", "**/a/" * 40 + "b", "x/" + "*a" * 40 + "b", "**/*a*a*a/" * 12 + "b", "[" * 5000],
)
def test_no_pattern_takes_long(pattern: str) -> None:
    rules = IgnoreRules(pattern.encode())
    begun = time.process_time()
    for path in ("a" * 255, "a/" * 1000 + "c", "x/" + "a" * 255, "aaaaaa/" * 300 + "a"):
        assert rules.verdict(path, path.rpartition("/")[2], is_folder=False) is None
    assert time.process_time() - begun < 1
