"""What the program inside measures, on real processes of this machine."""

from __future__ import annotations

import mmap
import os
import time
from contextlib import nullcontext
from pathlib import Path

import pytest

from untilgreen_sandbox.inside import meter
from untilgreen_sandbox.inside.meter import Meter

MB = 1 << 20


def test_shared_pages_are_seen() -> None:
    """Memory that a fork would share is in no limit on a process's own data."""
    before = meter.roughly(os.getpid())
    with mmap.mmap(-1, 40 * MB) as held:
        held.write(b"x" * (40 * MB))
        assert 39 * MB < meter.roughly(os.getpid()) - before < 80 * MB
        assert meter.exactly(os.getpid()) >= 39 * MB


def test_a_process_that_is_gone_holds_nothing() -> None:
    assert (meter.roughly(1 << 30), meter.exactly(1 << 30)) == (0, 0)


def test_files_are_counted_before_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "used", lambda _folders: (11, 5 * MB))
    assert Meter(MB, 10, [str(tmp_path)], grouped=False, as_tests=nullcontext).over() == "files"
    assert Meter(MB, 11, [str(tmp_path)], grouped=True, as_tests=nullcontext).over() == "", (
        "the group counts memory"
    )
    monkeypatch.setattr(meter, "others", list)
    assert Meter(MB, 11, [str(tmp_path)], grouped=False, as_tests=nullcontext).over() == "memory"
    assert Meter(6 * MB, 11, [str(tmp_path)], grouped=False, as_tests=nullcontext).over() == ""


def test_forks_that_share_are_not_counted_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "others", lambda: [1, 2, 3])
    monkeypatch.setattr(meter, "roughly", lambda _pid: 4 * MB)
    monkeypatch.setattr(meter, "exactly", lambda _pid: 2 * MB)
    assert Meter(7 * MB, 1, [], grouped=False, as_tests=nullcontext).over() == ""
    assert Meter(5 * MB, 1, [], grouped=False, as_tests=nullcontext).over() == "memory"


def test_looking_takes_a_small_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "others", lambda: time.sleep(0.02) or [])
    watching = Meter(1 << 40, 1, [], grouped=False, as_tests=nullcontext)
    assert (watching.wait(), watching.over()) == (0.0, "")
    assert watching.wait() > 0.02 * (meter.SHARE - 1)
    begun = time.monotonic()
    assert watching.over() == ""
    assert time.monotonic() - begun < 0.01, "not yet"


def test_it_looks_more_often_near_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meter, "others", lambda: [1])
    monkeypatch.setattr(meter, "roughly", lambda _pid: 6 * MB)
    near, far = (
        Meter(10 * MB, 1, [], grouped=False, as_tests=nullcontext),
        Meter(100 * MB, 1, [], grouped=False, as_tests=nullcontext),
    )
    assert (near.over(), far.over()) == ("", "")
    assert near.wait() < 0.1 < far.wait()
