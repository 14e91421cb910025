"""What a bubblewrap box sees of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from untilgreen_sandbox.box import Limits
from untilgreen_sandbox.errors import SandboxError
from untilgreen_sandbox.mounts import HOSTS, Mounts

ROOT = Path("/srv/people/me/project")


def mounts() -> Mounts:
    return Mounts(Limits(disk_mb=10))


def targets(arguments: list[str], option: str) -> list[str]:
    """The last words of an option's uses."""
    n_words = {"--ro-bind": 2, "--tmpfs": 1, "--dir": 1, "--remount-ro": 1}[option]
    return [arguments[at + n_words] for at, word in enumerate(arguments) if word == option]


def test_nothing_is_bound_for_writing() -> None:
    one = mounts()
    one.workspace(ROOT)
    one.show_interpreter(Path("/srv/python"), ROOT)
    arguments = one.arguments()
    assert not {"--bind", "--dev-bind", "--bind-try", "--dev-bind-try"} & set(arguments)
    assert set(targets(arguments, "--tmpfs")) == {"/dev/shm", "/tmp", "/var/tmp", str(ROOT)}
    assert targets(arguments, "--remount-ro") == ["/dev", "/"]
    assert arguments[-4:] == ["--remount-ro", "/dev", "--remount-ro", "/"], "after all mounts"


def test_the_workspace_is_scratch_with_a_size() -> None:
    one = mounts()
    one.workspace(ROOT)
    arguments = one.arguments()
    at = arguments.index(str(ROOT))
    assert arguments[at - 5 : at] == ["--size", str(10 << 20), "--perms", "0777", "--tmpfs"]
    assert {"/srv", "/srv/people", "/srv/people/me"} <= set(targets(arguments, "--dir"))
    assert str(ROOT) not in targets(arguments, "--ro-bind")


def test_what_lies_in_the_workspace_comes_after_it() -> None:
    one = mounts()
    one.show_interpreter(ROOT / "env/.venv", ROOT)
    one.workspace(ROOT)
    arguments = one.arguments()
    assert arguments.index("--tmpfs", arguments.index("/var/tmp")) < arguments.index(str(ROOT / "env/.venv"))
    folder = arguments.index(str(ROOT / "env"))
    assert arguments[folder - 2] == "0777", "tests may write beside it"
    assert one.inside(ROOT) == ["env/.venv"]


def test_the_system_s_own_python_is_there_already() -> None:
    one = mounts()
    one.show_interpreter(Path("/usr"), ROOT)
    one.show_interpreter(Path("/usr/local"), ROOT)
    assert targets(one.arguments(), "--ro-bind").count("/usr") == 1


@pytest.mark.parametrize(
    "folder", ["/", "/srv", "/srv/people/me", str(ROOT), str(Path.home()), str(Path.home().parent)]
)
def test_folders_that_hold_more_than_an_interpreter(folder: str) -> None:
    with pytest.raises(SandboxError, match=r"own files|see it"):
        mounts().show_interpreter(Path(folder), ROOT)


def test_a_link_does_not_hide_what_is_behind_it(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project/.venv").symlink_to(Path.home())
    with pytest.raises(SandboxError):
        mounts().show_interpreter(tmp_path / "project/.venv", tmp_path / "project")
    (tmp_path / "python").symlink_to(tmp_path / "project")
    with pytest.raises(SandboxError):
        mounts().show_interpreter(tmp_path / "python", tmp_path / "project")


@pytest.mark.parametrize("root", ["/", "/usr", "/usr/src/x", "/etc/x", "/proc/self", "/dev/shm/x", "/lib/x"])
def test_workspaces_in_the_system(root: str) -> None:
    with pytest.raises(SandboxError, match="folder of the system"):
        mounts().workspace(Path(root))


def test_of_etc_only_a_few_harmless_files() -> None:
    one = mounts()
    one.workspace(ROOT)
    arguments = one.arguments()
    seen = {target for target in targets(arguments, "--ro-bind") if target.startswith("/etc")}
    assert "/etc/hosts" in seen
    assert not seen & {"/etc", "/etc/passwd", "/etc/shadow", "/etc/ssl", "/etc/ssl/private", "/etc/hostname"}
    assert arguments[arguments.index("/etc/hosts") - 1] == str(HOSTS), "ours, not the host's"
    assert {line.split()[1] for line in HOSTS.read_text().splitlines()} == {"localhost"}


def test_proc_sys_is_read_only() -> None:
    arguments = mounts().arguments()
    proc = arguments.index("--proc")
    assert arguments[proc : proc + 5] == ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]
