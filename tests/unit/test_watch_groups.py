"""Where control groups are made, on machines of either layout. The real kernel is in hostile/."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from untilgreen_sandbox import groups
from untilgreen_sandbox.box import Limits
from untilgreen_sandbox.inside.meter import oom_kills, oom_kills_here
from untilgreen_sandbox.owner import this_process

LIMITS = Limits(memory_mb=100, disk_mb=28, processes=32)


def machine(tmp_path: Path, groups_of_process: str, mounts: list[str]) -> Path:
    """A /proc/self that tells of mounts below tmp_path."""
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "cgroup").write_text(groups_of_process)
    lines = [f"{n} 1 0:{n} {line.format(top=tmp_path)}" for n, line in enumerate(mounts)]
    (proc / "mountinfo").write_text("\n".join(["1 0 8:1 / / rw - ext4 /dev/sda rw", *lines]) + "\n")
    return proc


V1 = [
    "/ {top}/memory rw,relatime - cgroup cgroup rw,memory",
    "/ {top}/pids rw,relatime shared:9 - cgroup cgroup rw,pids",
    "/ {top}/unified rw - cgroup2 cgroup2 rw",
]


def made(folder: Path) -> dict[str, str]:
    """Name and content of what was written in the one group there."""
    (group,) = folder.glob("untilgreen-*")
    return {path.name: path.read_text() for path in group.iterdir()}


@pytest.fixture(autouse=True)
def open_to_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel makes the files of a group; in these folders nobody does."""
    monkeypatch.setattr(groups.os, "access", lambda *_: True)


def test_the_older_layout(tmp_path: Path) -> None:
    proc = machine(tmp_path, "4:memory:/mine/deep\n8:pids:/\n0::/\n", V1)
    for folder in ("memory/mine/deep", "pids", "unified"):
        (tmp_path / folder).mkdir(parents=True)
    assert groups.make_group(LIMITS, proc) is not None
    assert made(tmp_path / "memory/mine/deep") == {"memory.limit_in_bytes": str(128 << 20)}
    assert made(tmp_path / "pids") == {"pids.max": "40"}
    assert list((tmp_path / "unified").iterdir()) == []


def test_the_older_layout_seen_from_a_container(tmp_path: Path) -> None:
    mounts = ["/docker/abc {top}/memory rw - cgroup cgroup rw,memory"]
    proc = machine(tmp_path, "4:memory:/docker/abc/below\n", mounts)
    (tmp_path / "memory/below").mkdir(parents=True)
    assert groups.make_group(LIMITS, proc) is not None
    assert made(tmp_path / "memory/below") == {"memory.limit_in_bytes": str(128 << 20)}


def test_the_newer_layout_beside_our_own_group(tmp_path: Path) -> None:
    proc = machine(tmp_path, "0::/user.slice/mine.scope\n", ["/ {top}/cg rw - cgroup2 cgroup2 rw"])
    own = tmp_path / "cg/user.slice/mine.scope"
    own.mkdir(parents=True)
    (own / "cgroup.subtree_control").write_text("\n")
    (own.parent / "cgroup.subtree_control").write_text("cpu memory pids\n")
    group = groups.make_group(LIMITS, proc)
    assert group is not None
    assert made(own.parent) == {"memory.max": str(128 << 20), "pids.max": "40"}
    (folder,) = own.parent.glob("untilgreen-*")
    (folder / "memory.events").write_text(EVENTS)
    assert group.oom_kills() == 2


@pytest.mark.parametrize("handed", ["", "cpu pids"])
def test_the_newer_layout_without_memory(tmp_path: Path, handed: str) -> None:
    proc = machine(tmp_path, "0::/user.slice/mine.scope\n", ["/ {top}/cg rw - cgroup2 cgroup2 rw"])
    own = tmp_path / "cg/user.slice/mine.scope"
    own.mkdir(parents=True)
    (own.parent / "cgroup.subtree_control").write_text(handed)
    assert groups.make_group(LIMITS, proc) is None
    assert not list(tmp_path.rglob("untilgreen-*"))


def test_no_groups_at_all(tmp_path: Path) -> None:
    assert groups.make_group(LIMITS, machine(tmp_path, "", [])) is None
    assert groups.make_group(LIMITS, tmp_path / "nowhere") is None


def test_a_group_that_cannot_limit_memory_is_none(tmp_path: Path) -> None:
    """The folder of the memory hierarchy is not there; that of processes is, and is left empty."""
    proc = machine(tmp_path, "4:memory:/gone\n8:pids:/\n", V1)
    (tmp_path / "pids").mkdir()
    assert groups.make_group(LIMITS, proc) is None


def test_only_groups_of_owners_that_are_gone_are_reaped(tmp_path: Path) -> None:
    proc = machine(tmp_path, "", V1[:1])
    mine = this_process()
    gone = dataclasses.replace(mine, started="1")
    for owner in (mine, gone, dataclasses.replace(gone, machine="another")):
        (tmp_path / f"memory/some/untilgreen-{owner.text()}-0").mkdir(parents=True)
    (tmp_path / "memory/untilgreen-rubbish").mkdir()
    assert groups.reap(proc) == (f"untilgreen-{gone.text()}-0",)
    assert len(list(tmp_path.rglob("untilgreen-*"))) == 3


# As the kernel wrote them: the newer layout after two kills, the older one after one.
EVENTS = "low 0\nhigh 0\nmax 317\noom 2\noom_kill 2\noom_group_kill 0\n"
CONTROL = "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"


def test_kills_are_read_in_both_layouts(tmp_path: Path) -> None:
    assert (oom_kills(EVENTS), oom_kills(CONTROL), oom_kills("")) == (2, 1, 0)
    (tmp_path / "memory.events").write_text(EVENTS)
    there, not_there = str(tmp_path / "memory.events"), os.fspath(tmp_path / "none")
    assert oom_kills_here((not_there, there)) == 2
    assert oom_kills_here((not_there,)) == 0
