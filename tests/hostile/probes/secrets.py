"""What of the host can I read? Runs inside a box only."""

# It asks the kernel, and nothing in between.
import glob
import os
import sys

import pytest

SECRET = b"UNTILGREEN_FAKE_SECRET"
ALLOWED = {
    "PATH", "HOME", "USER", "LANG", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE", "PWD",
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS",
    # Set by pytest and by Python itself.
    "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "LC_CTYPE",
    # Taken out before any test runs, but the kernel shows what a process was started with.
    "PYTHONHASHSEED",
}  # fmt: skip


def others():
    return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]


def test_environment():
    assert set(os.environ) <= ALLOWED


def test_environment_of_every_process():
    assert others(), "at least the first process is there"
    for pid in [*others(), "self"]:
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                text = file.read()
        except OSError:
            continue
        assert SECRET not in text
        assert {line.split(b"=")[0].decode() for line in text.split(b"\0") if line} <= ALLOWED


def test_only_processes_of_the_box_are_seen():
    assert len(others()) <= 3
    assert os.getpid() < 5000


@pytest.mark.parametrize(
    "name", ["mem", "environ", "maps", "auxv", "stack", "syscall", "fd", "map_files", "cwd", "root"]
)
def test_every_other_process_is_closed(name):
    for pid in others():
        path = f"/proc/{pid}/{name}"
        with pytest.raises(OSError):
            if name in ("fd", "map_files"):
                os.listdir(path)
            elif name in ("cwd", "root"):
                os.listdir(path + "/")
            else:
                with open(path, "rb") as file:
                    file.read(1)


@pytest.mark.parametrize("descriptor", range(12))
def test_descriptors_of_every_other_process_do_not_open(descriptor):
    for pid in others():
        for flags in (os.O_RDONLY, os.O_WRONLY):
            with pytest.raises(OSError):
                os.open(f"/proc/{pid}/fd/{descriptor}", flags)


def test_memory_of_every_other_process_does_not_open():
    for pid in others():
        for flags in (os.O_RDONLY, os.O_RDWR):
            with pytest.raises(OSError):
                os.open(f"/proc/{pid}/mem", flags)


def test_own_descriptors_are_few():
    kinds = [os.readlink(path) for path in glob.glob("/proc/self/fd/*") if os.path.lexists(path)]
    strange = [
        kind for kind in kinds if not kind.startswith(("/dev/null", "pipe:", "/tmp", "/proc", "anon_inode:"))
    ]
    assert strange == []
    pipes = {kind for kind in kinds if kind.startswith("pipe:")}
    assert len(pipes) in (2, 3), "its output, its events, and in a fork where it says that it ends"


def test_files_of_the_host():
    for path in (
        "/etc/shadow",
        "/etc/gshadow",
        "/etc/sudoers",
        "/etc/ssh",
        "/etc/ssl/private",
        "/root/.ssh",
        "/run/secrets",
    ):
        try:
            with open(path, "rb") as file:
                assert file.read(1) == b"", path
        except OSError:
            continue


def test_homes_are_empty_but_for_interpreters():
    found = []
    for home in ("/root", "/home"):
        for folder, folders, names in os.walk(home):
            inside = os.path.join(folder, "")
            if any(inside.startswith(os.path.join(place, "")) for place in (sys.base_prefix, sys.prefix)):
                folders.clear()
                continue
            found += [os.path.join(folder, name) for name in names]
    # The image of a container brings a skeleton of a home.
    assert [path for path in found if not path.endswith((".bashrc", ".profile"))] == []


def test_beside_the_workspace_there_is_nothing():
    parent = os.path.dirname(os.getcwd())
    assert "sentinel.txt" not in os.listdir(parent)
    with pytest.raises(FileNotFoundError):
        open(os.path.join(parent, "sentinel.txt"))
    for folder, _, names in os.walk("/tmp"):
        assert "sentinel.txt" not in names, folder


def test_no_way_up_by_links():
    os.symlink("/proc/1/root", "up")
    with pytest.raises(OSError):
        os.listdir("up/")
    with pytest.raises(OSError):
        os.listdir("/proc/1/cwd/")


def test_the_source_of_our_own_program_is_not_on_the_disk():
    with open("/proc/self/cmdline", "rb") as file:
        assert b"untilgreen_sandbox" not in file.read()
