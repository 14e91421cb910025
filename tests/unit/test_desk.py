"""All of a patch or nothing of it, also when the process is killed in the middle."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from untilgreen.desk import Content, DiskDesk, recover
from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.intent import FileIntent, Intent
from untilgreen.model import FileChange, Patch
from untilgreen_sandbox.owner import this_process

BEFORE = {"a.py": b"a = 1\n", "pkg/b.py": b"b = 1\r\n", "gone.py": b"\xff\0"}
PATCH = Patch(
    {
        "a.py": FileChange(b"a = 2\n", 0o600),
        "pkg/b.py": FileChange(b"", 0o644),
        "gone.py": FileChange(None),
        "new/deep/c.py": FileChange(b"c", 0o755),
    }
)
AFTER = {"a.py": b"a = 2\n", "pkg/b.py": b"", "new/deep/c.py": b"c"}
EXPECTED = {path: Content(data) for path, data in BEFORE.items()}


def grow(root: Path, files: Mapping[str, bytes] = BEFORE) -> Path:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
        (root / path).chmod(0o664)
    return root


def tree(root: Path) -> dict[str, bytes | None]:
    """All files and folders, temporary ones too; a folder has no bytes."""
    found = {path.relative_to(root).as_posix(): path for path in root.rglob("*")}
    return {name: None if path.is_dir() else path.read_bytes() for name, path in found.items()}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return grow(tmp_path / "root")


@pytest.fixture
def intents(tmp_path: Path) -> Path:
    return tmp_path / "state" / "intents"


async def test_a_patch_is_written_whole(root: Path, intents: Path) -> None:
    desk = DiskDesk(root, intents)
    await desk.write(PATCH, EXPECTED)
    assert tree(root) == {**AFTER, "pkg": None, "new": None, "new/deep": None}
    assert (root / "a.py").stat().st_mode & 0o777 == 0o664, "a file keeps its mode"
    assert (root / "new/deep/c.py").stat().st_mode & 0o111
    assert tree(intents) == {}
    assert await desk.read("a.py") == Content(b"a = 2\n")
    assert await desk.read("gone.py") == Content(None)
    assert desk.overlay() == {}


@pytest.mark.parametrize("path", sorted({*PATCH.paths, "other.py"}))
async def test_one_edited_file_stops_all(root: Path, intents: Path, path: str) -> None:
    grow(root, {path: b"the user's"})
    was = tree(root)
    with pytest.raises(WorkspaceChanged, match=path):
        await DiskDesk(root, intents).write(PATCH, {**EXPECTED, "other.py": Content(b"as it was")})
    assert tree(root) == was
    assert tree(intents) == {}


@pytest.mark.parametrize(
    "path", ["", "/etc/x", "../x", "pkg/../../x", "a//b", "./a", "folder/x", "link.py", "pkg"]
)
async def test_nothing_is_written_outside_or_through_links(root: Path, intents: Path, path: str) -> None:
    outside = grow(root.parent / "outside", {"x": b"x"})
    (root / "folder").symlink_to(outside)
    (root / "link.py").symlink_to("a.py")
    was = tree(root.parent)
    desk = DiskDesk(root, intents)
    with pytest.raises(WorkspaceError):
        await desk.write(Patch({path: FileChange(b"ours"), **PATCH.files}), EXPECTED)
    with pytest.raises(WorkspaceError):
        await desk.read(path)
    assert tree(root.parent) == was


async def test_a_file_where_a_folder_should_be(root: Path, intents: Path) -> None:
    with pytest.raises(WorkspaceError, match="not a folder"):
        await DiskDesk(root, intents).write(Patch({"a.py/x": FileChange(b"")}), {})


async def test_an_edit_in_the_last_moment_wins(
    root: Path, intents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def edit_first(source: Path, target: Path) -> None:
        real(source, target)
        if Path(target).name == "a.py":
            (root / "pkg/b.py").write_bytes(b"the user's")

    monkeypatch.setattr(os, "replace", edit_first)
    with pytest.raises(WorkspaceChanged, match=r"pkg/b\.py"):
        await DiskDesk(root, intents).write(PATCH, EXPECTED)
    assert tree(root) == {**BEFORE, "pkg": None, "pkg/b.py": b"the user's"}
    assert tree(intents) == {}


async def test_a_full_disk_takes_everything_back(
    root: Path, intents: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def fail(source: Path, target: Path) -> None:
        if Path(target).name == "c.py":
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(WorkspaceError, match=r"Nothing was written\. No space left"):
        await DiskDesk(root, intents).write(PATCH, EXPECTED)
    assert tree(root) == {**BEFORE, "pkg": None}
    assert tree(intents) == {}


# One process forks a child for each point; the n-th change of the file system kills the child before it.
KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from test_desk import EXPECTED, PATCH, DiskDesk

def run(folder, n):
    left = n
    def deadly(real):
        def call(*args, **kwargs):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **kwargs)
        return call
    for name in ("replace", "unlink", "mkdir", "open", "fsync", "chmod"):
        setattr(os, name, deadly(getattr(os, name)))
    asyncio.run(DiskDesk(folder / "root", folder / "intents").write(PATCH, EXPECTED))
    os._exit(0)

for n in range(1, 100):
    child = os.fork()
    if child == 0:
        run(Path(sys.argv[1]) / str(n), n)
    if os.waitpid(child, 0)[1] == 0:
        print(n)
        break
"""


def test_a_write_killed_at_any_point_is_taken_back(tmp_path: Path) -> None:
    for n in range(1, 100):
        grow(tmp_path / str(n) / "root")
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    here = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}
    ended = subprocess.run(command, env=here, capture_output=True, check=True, timeout=60)
    finished = int(ended.stdout)
    half_written = 0
    for n in range(1, finished):
        folder = tmp_path / str(n)
        half_written += tree(folder / "root") not in ({**BEFORE, "pkg": None}, AFTER)
        recover(folder / "intents")
        assert tree(folder / "root") == {**BEFORE, "pkg": None}, n
        assert (folder / "root/gone.py").stat().st_mode & 0o777 == 0o664
        assert (folder / "root/a.py").stat().st_mode & 0o777 == 0o664
        assert list((folder / "intents").glob("*")) == []
    assert half_written > 10, "the kills did not hit the interesting part"
    assert tree(tmp_path / str(finished) / "root").items() >= AFTER.items()


def interrupted(root: Path, intents: Path, *, started: str = "1") -> Path:
    """A write of a process that is gone, stopped after its last rename."""
    file = FileIntent("a.py", b"a = 1\n", b"a = 2\n", 0o664, ".untilgreen-1.tmp")
    new = FileIntent("new/c.py", None, b"c", 0o644, "new/.untilgreen-2.tmp")
    intent = Intent(root, (file, new), ("new",))
    record = intent.save(intents)
    intent.carry_out()
    owner = replace(this_process(), started=started)
    return record.rename(intents / f"{owner.text()}.x.json")


def test_what_the_user_edited_since_is_left_alone_and_named(root: Path, intents: Path) -> None:
    interrupted(root, intents)
    (root / "a.py").write_bytes(b"the user's")
    (root / "new/own.py").write_bytes(b"the user's")
    told = recover(intents)
    assert tree(root) == {
        **BEFORE,
        "pkg": None,
        "new": None,
        "a.py": b"the user's",
        "new/own.py": b"the user's",
    }
    assert len(told) == 2
    assert "new/c.py" in told[0] and "a.py" not in told[0]
    assert f"{root / 'a.py'} was changed" in told[1]
    assert recover(intents) == ()


def test_a_living_process_is_not_disturbed(root: Path, intents: Path) -> None:
    record = interrupted(root, intents, started=this_process().started)
    assert recover(intents) == ()
    assert record.exists()
    assert (root / "a.py").read_bytes() == b"a = 2\n"


def test_recover_survives_what_it_cannot_read(root: Path, intents: Path) -> None:
    record = interrupted(root, intents)
    record.write_text('{"v": 1}')
    assert "cannot be read" in recover(intents)[0]
    assert recover(intents / "missing") == ()
    record = interrupted(grow(root.parent / "second"), intents)
    (root.parent / "second").rename(root.parent / "moved")
    assert "the folder is gone" in recover(intents)[0]
    assert not record.exists()


def test_recover_follows_no_link(root: Path, intents: Path) -> None:
    interrupted(root, intents)
    (root / "new").rename(root.parent / "outside")
    (root / "new").symlink_to(root.parent / "outside")
    recover(intents)
    assert (root.parent / "outside/c.py").read_bytes() == b"c"
    assert (root / "a.py").read_bytes() == b"a = 1\n"
