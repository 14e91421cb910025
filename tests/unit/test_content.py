"""Bytes of files, and what has no bytes to give."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from untilgreen.workspace.content import digest_and_size, digest_of, read_file


@pytest.mark.parametrize("size", [0, 1, 5000, (1 << 20) - 1, 1 << 20, (3 << 20) + 7])
@pytest.mark.parametrize("expected", [0, 10 << 20])
def test_whole_files(tmp_path: Path, size: int, expected: int) -> None:
    content = os.urandom(size)
    (tmp_path / "file").write_bytes(content)
    where = str(tmp_path / "file")
    assert read_file(where) == content
    assert digest_and_size(where, expected) == (digest_of(content), size)


def test_a_file_whose_size_is_not_known_before() -> None:
    assert read_file("/proc/self/status").startswith(b"Name:")


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "nothing"])
def test_what_is_no_file(tmp_path: Path, kind: str) -> None:
    where = tmp_path / kind
    if kind == "link":
        (tmp_path / "file").write_text("")
        where.symlink_to("file")
    elif kind == "folder":
        where.mkdir()
    elif kind == "pipe":
        os.mkfifo(where)
    with pytest.raises(OSError, match=kind):
        read_file(str(where))
    with pytest.raises(OSError, match=kind):
        digest_and_size(str(where), 2 << 20)
