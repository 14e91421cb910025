"""Who am I, and can I become more? Runs inside a box only; a probe opens, it never writes."""

# It asks the kernel, and nothing in between.
import ctypes
import os
import shutil
import subprocess

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)


def status(pid="self"):
    with open(f"/proc/{pid}/status") as file:
        return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)


def test_never_root():
    assert 0 not in os.getresuid()
    assert 0 not in os.getresgid()
    assert len(set(os.getresuid())) == 1
    assert "0" not in status()["Uid"].split()
    assert "0" not in status()["Gid"].split()


def test_no_groups_of_the_host():
    # Groups that are not mapped are shown as the overflow group.
    assert set(os.getgroups()) <= {os.getgid(), 65534}


@pytest.mark.parametrize("name", ["CapEff", "CapPrm", "CapInh", "CapAmb"])
def test_no_capabilities(name):
    assert int(status()[name], 16) == 0


def test_no_new_privileges_and_a_filter():
    assert status()["NoNewPrivs"].strip() == "1"
    assert status()["Seccomp"].strip() == "2"


def test_children_are_confined_as_well():
    text = subprocess.run(["cat", "/proc/self/status"], capture_output=True, text=True, check=True).stdout
    assert "Seccomp:\t2" in text
    assert "NoNewPrivs:\t1" in text


@pytest.mark.parametrize("call", ["setuid", "setgid", "seteuid", "setegid"])
def test_cannot_become_root(call):
    with pytest.raises(OSError):
        getattr(os, call)(0)


def test_cannot_become_another():
    for uid in (1, 1000, 65534, os.getuid() + 1):
        with pytest.raises(OSError):
            os.setresuid(uid, uid, uid)
    with pytest.raises(OSError):
        os.setgroups([0])


@pytest.mark.parametrize(
    "command", [["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["mount"], ["newgrp"]]
)
def test_set_uid_programs_do_not_help(command):
    if shutil.which(command[0]) is None:
        return
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=10)
    assert done.stdout.strip() != "0"


def test_a_set_uid_copy_does_not_help(tmp_path):
    copy = tmp_path / "id"
    shutil.copy(shutil.which("id"), copy)
    copy.chmod(0o6755)
    assert subprocess.check_output([copy, "-u"], text=True).strip() == str(os.getuid())


def test_limits_cannot_be_raised():
    import resource

    for name in ("RLIMIT_NPROC", "RLIMIT_NOFILE", "RLIMIT_FSIZE", "RLIMIT_CPU", "RLIMIT_CORE", "RLIMIT_DATA"):
        soft, hard = resource.getrlimit(getattr(resource, name))
        assert hard != resource.RLIM_INFINITY, name
        with pytest.raises((OSError, ValueError)):
            resource.setrlimit(getattr(resource, name), (soft, hard + 1))


def test_no_core_dumps():
    import resource

    assert resource.getrlimit(resource.RLIMIT_CORE) == (0, 0)


def test_no_terminal():
    with pytest.raises(OSError):
        os.open("/dev/tty", os.O_RDWR)
    assert not any(os.isatty(descriptor) for descriptor in (0, 1, 2))
