"""Attacks on those who watch, and ways to hide from them. Runs inside a box only, each in a run of its own."""

import ctypes
import fcntl
import os
import resource
import signal
import socket
import subprocess
import sys
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
SELF_MEMORY = "/proc/self/mem"


def in_a_child(act):
    child = os.fork()
    if child == 0:
        try:
            act()
        finally:
            os._exit(0)
    return child


def parent(pid):
    with open(f"/proc/{pid}/status") as file:
        return int(next(line.split()[1] for line in file if line.startswith("PPid:")))


def test_a_child_stops_its_parent():
    in_a_child(lambda: os.kill(os.getppid(), signal.SIGSTOP))
    time.sleep(60)


def test_all_are_stopped():
    """The sender is not among them, and those who watch are out of reach."""
    sleeper = subprocess.Popen(["sleep", "60"])
    os.kill(-1, signal.SIGSTOP)
    assert os.waitpid(sleeper.pid, os.WUNTRACED)[1] == 0x137F


def test_a_signal_sent_by_the_kernel_for_us():
    """Whoever owns a descriptor gets the signal of its choice when something happens on it."""
    for target in {1, os.getppid()}:
        near, far = socket.socketpair()
        try:
            fcntl.fcntl(near, fcntl.F_SETOWN, target)
            fcntl.fcntl(near, 10, signal.SIGKILL)  # F_SETSIG
            fcntl.fcntl(near, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
        except PermissionError:
            continue
        far.send(b"x")
    for target in {1, os.getppid()}:
        assert os.path.exists(f"/proc/{target}")


def test_a_subreaper_hides_orphans():
    assert LIBC.prctl(36, 1, 0, 0, 0) == 0

    def leave():
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        LIBC.prctl(15, b"a) Z 1 (b", 0, 0, 0)  # A name that reads like the state of a dead process.
        while in_a_child(lambda: time.sleep(0.001)):
            with open("/tmp/alive", "a") as file:
                file.write("x")
            time.sleep(0.01)

    in_a_child(lambda: in_a_child(leave))
    while not os.path.exists("/tmp/alive"):
        time.sleep(0.01)


def test_after_a_subreaper_hides_orphans():
    mine = {
        int(name)
        for name in os.listdir("/proc")
        if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid()
    }
    # Without root its template has the same user, and so has the next run, which may wait there already. No
    # orphan can be a template, or a child of one.
    waiting = {pid for pid in mine if parent(pid) == os.getppid() != 1}
    assert mine - {1, os.getpid(), os.getppid()} - waiting == set()
    assert not os.path.exists("/tmp/alive")


def test_a_last_wish():
    """A child that is signalled when its parent dies, and then writes into the workspace."""

    def wait():
        os.setsid()
        signal.signal(signal.SIGUSR1, lambda *_: open("honest.py", "w").write("raise SystemExit"))
        LIBC.prctl(1, signal.SIGUSR1, 0, 0, 0)
        time.sleep(60)

    in_a_child(wait)


def test_preference_of_the_oom_killer():
    """It may be given up, but nobody becomes safer than the one that watches."""
    with open("/proc/self/oom_score_adj") as file:
        assert int(file.read()) >= 0
    for value in ("-1000", "-1"):
        try:
            with open("/proc/self/oom_score_adj", "w") as file:
                file.write(value)
        except OSError:
            continue
        raise AssertionError(f"{value} was taken")


def test_own_memory_by_its_file():
    """The way of Dirty COW: pages of a library that may only be read, changed for this process alone."""
    with open("/proc/self/maps") as file:
        line = next(line for line in file if "libc" in line and "r-xp" in line)
    start, path = int(line.split("-")[0], 16), line.split()[-1]
    offset = int(line.split()[2], 16)
    with open(path, "rb") as file:
        file.seek(offset)
        before = file.read(16)
    try:
        with open(SELF_MEMORY, "r+b", buffering=0) as memory:
            memory.seek(start)
            memory.write(b"\xcc" * 16)
    except OSError:
        pass
    seen = subprocess.run(["dd", f"if={path}", "bs=1", f"skip={offset}", "count=16"], capture_output=True)
    assert seen.stdout == before


def test_a_program_from_memory():
    try:
        program = os.memfd_create("program")
    except OSError:
        return  # Where nobody counts such files, there are none.
    with open("/bin/cat", "rb") as file:
        os.write(program, file.read())
    done = subprocess.run(
        [f"/proc/self/fd/{program}", "/proc/self/status"], pass_fds=[program], capture_output=True
    )
    assert b"Seccomp:\t2" in done.stdout and b"NoNewPrivs:\t1" in done.stdout
    assert b"CapEff:\t0000000000000000" in done.stdout


def test_limits_of_its_watcher():
    """Nobody's limits can be changed but one's own."""
    for what in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC):
        with pytest.raises(PermissionError):
            resource.prlimit(os.getppid(), what, (0, 0))
    assert resource.prlimit(0, resource.RLIMIT_CORE, (0, 0)) == (0, 0)


def test_an_abstract_name():
    """A name without a file, and descriptors that are on their way to nobody."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind("\0untilgreen-hostile")
    listener.listen()
    near, far = socket.socketpair()
    socket.send_fds(near, [b"x"], [near.fileno(), far.fileno(), listener.fileno()])
    in_a_child(lambda: time.sleep(60))


def test_after_an_abstract_name():
    with open("/proc/net/unix") as file:
        assert "untilgreen-hostile" not in file.read()


def test_a_lease_and_locks():
    """Whoever opens a leased file has to wait for its holder; the holder waits for ever."""

    def hold():
        file = open("honest.py", "r+")
        fcntl.flock(file, fcntl.LOCK_EX)
        fcntl.lockf(file, fcntl.LOCK_EX)
        leased = os.open("test_honest.py", os.O_RDONLY)
        signal.signal(signal.SIGIO, signal.SIG_IGN)
        fcntl.fcntl(leased, fcntl.F_SETLEASE, fcntl.F_RDLCK)
        open("/tmp/held", "w").close()
        time.sleep(60)

    in_a_child(hold)
    while not os.path.exists("/tmp/held"):
        time.sleep(0.01)


def test_a_vfork_that_never_ends():
    """A parent of vfork waits where no signal but the last reaches it."""
    program = "import ctypes, os, time; ctypes.CDLL(None).vfork() or time.sleep(600)"
    subprocess.Popen([sys.executable, "-c", program], start_new_session=True)
