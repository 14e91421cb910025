"""The law of diffs: applied to the files before, they give exactly the files after."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from untilgreen.diff import unified_diff
from untilgreen.model import FileChange, Patch

pieces = st.sampled_from(
    [
        *(b"a", b"b\n", b"b\n", b"\r\n", b"\n", b"\r", b"\x0c", b"- ", b"+", b"--- a/x\n", b" ", b"\xff"),
        *("é\u2028".encode(), b"@@ -1 +1 @@\n", b"\\ No newline", b"\x1b[0m"),
    ]
)
texts = st.lists(pieces, max_size=24).map(b"".join)
names = st.sampled_from(["x", "src/ä b.py", 'q"uote', "back\\slash", "tab\there", "b", "-dash", "new\nline"])


def applied(files: dict[str, bytes], diff: str, *command: str) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for path, content in files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)
        if diff:
            text = diff.encode("utf-8", "surrogateescape")
            subprocess.run(command, input=text, cwd=root, check=True, timeout=20, capture_output=True)
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
        }


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(names, texts | st.none(), max_size=3),
    st.dictionaries(names, texts | st.none(), max_size=3),
)
@example({"x": b"a"}, {"x": b"a\n"})
@example({"x": b""}, {"x": None, "b": b""})
@example({"x": b"\r\na\r\n"}, {"x": b"\na\r\n"})
def test_git_applies_it(before: dict[str, bytes | None], after: dict[str, bytes | None]) -> None:
    files = {path: content for path, content in before.items() if content is not None}
    patch = Patch({path: FileChange(content) for path, content in after.items()})
    diff = unified_diff(files.get, patch)
    expected = {path: content for path, content in (files | after).items() if content is not None}
    assert applied(files, diff, "git", "apply", "--whitespace=nowarn") == expected


@settings(max_examples=20, deadline=None)
@given(texts.filter(bool), texts.filter(bool))
def test_patch_applies_it(old: bytes, new: bytes) -> None:
    diff = unified_diff({"d/x y": old}.get, Patch({"d/x y": FileChange(new)}))
    command = ("patch", "--strip=1", "--silent", "--binary", "--no-backup-if-mismatch")
    assert applied({"d/x y": old}, diff, *command) == {"d/x y": new}


def test_the_shape_of_an_edit() -> None:
    old = b"".join(b"%d\n" % number for number in range(9))
    diff = unified_diff({"a.py": old}.get, Patch({"a.py": FileChange(old.replace(b"4\n", b"four"))}))
    assert diff.splitlines() == [
        *("diff --git a/a.py b/a.py", "--- a/a.py", "+++ b/a.py"),
        *("@@ -2,8 +2,7 @@", " 1", " 2", " 3", "-4", "-5", "+four5", " 6", " 7", " 8"),
    ]


def test_new_deleted_and_unchanged_files() -> None:
    files = {"old": b"x", "same": b"s"}
    patch = Patch(
        {
            "old": FileChange(None),
            "new": FileChange(b"y\n", 0o755),
            "same": FileChange(b"s"),
            "no": FileChange(None),
        }
    )
    assert unified_diff(files.get, patch).splitlines() == [
        *(
            "diff --git a/new b/new",
            "new file mode 100755",
            "--- /dev/null",
            "+++ b/new",
            "@@ -0,0 +1 @@",
            "+y",
        ),
        *(
            "diff --git a/old b/old",
            "deleted file mode 100644",
            "--- a/old",
            "+++ /dev/null",
            "@@ -1 +0,0 @@",
        ),
        *("-x", "\\ No newline at end of file"),
    ]


@pytest.mark.parametrize(("old", "new"), [(b"\0", b"text"), (b"text", b"a\0"), (None, b"\0"), (b"\0", None)])
def test_binary_files_are_one_line(old: bytes | None, new: bytes | None) -> None:
    diff = unified_diff(lambda _path: old, Patch({"x": FileChange(new)}))
    names = ("/dev/null" if old is None else "a/x", "/dev/null" if new is None else "b/x")
    assert diff.splitlines()[-1] == "Binary files {} and {} differ".format(*names)
    assert "@@" not in diff
