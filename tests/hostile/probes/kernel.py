"""What does the kernel let me ask for? Runs inside a box only."""

# It asks the kernel, and nothing in between.
import ctypes
import errno
import glob
import os
import platform
import signal
import socket
import struct
import subprocess

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
NULL = ctypes.c_void_p(None)


def call(number, *arguments):
    """The error of a system call, 0 for none."""
    ctypes.set_errno(0)
    padded = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    done = LIBC.syscall(ctypes.c_long(number), *padded, *[ctypes.c_long(0)] * (6 - len(padded)))
    return 0 if done >= 0 else ctypes.get_errno()


CALLS = {
    "ptrace traceme": ((101, 117), 0),
    "ptrace seize": ((101, 117), 0x4206, 1),
    "process_vm_readv": ((310, 270), 1),
    "process_vm_writev": ((311, 271), 1),
    "pidfd_getfd": ((438, 438), 0, 0),
    "kcmp": ((312, 272), 1, 1),
    "mount": ((165, 40),),
    "umount2": ((166, 39),),
    "pivot_root": ((155, 41),),
    "chroot": ((161, 51),),
    "fsopen": ((430, 430),),
    "open_tree": ((428, 428), -100),
    "move_mount": ((429, 429),),
    "mount_setattr": ((442, 442),),
    "setns": ((308, 268), 0),
    "name_to_handle_at": ((303, 264),),
    "open_by_handle_at": ((304, 265),),
    "bpf": ((321, 280),),
    "perf_event_open": ((298, 241),),
    "userfaultfd": ((323, 282),),
    "userfaultfd in user mode": ((323, 282), 1),
    "io_uring_setup": ((425, 425), 1),
    "io_uring_enter": ((426, 426),),
    "io_uring_register": ((427, 427),),
    # Contexts for it are counted for the whole machine, not for a user.
    "io_setup": ((206, 0), 1),
    "add_key": ((248, 217),),
    "request_key": ((249, 218),),
    "keyctl": ((250, 219), 0, -3, 1),
    "init_module": ((175, 105),),
    "finit_module": ((313, 273),),
    "kexec_load": ((246, 104),),
    "reboot": ((169, 142),),
    "swapon": ((167, 224),),
    "acct": ((163, 89),),
    "syslog": ((103, 116), 3),
    "settimeofday": ((164, 170),),
    "clock_settime": ((227, 112),),
}


@pytest.mark.parametrize("name", CALLS)
def test_refused(name):
    numbers, *arguments = CALLS[name]
    assert call(numbers[COLUMN], *arguments) == errno.EPERM


@pytest.mark.parametrize(
    "flag", [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x4000000, 0x8000000, 0x2000000, 0x80]
)
def test_no_new_namespace_by_unshare(flag):
    assert call((272, 97)[COLUMN], flag) == errno.EPERM


@pytest.mark.parametrize(
    "flag", [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x4000000, 0x8000000, 0x2000000]
)
def test_no_new_namespace_by_clone(flag):
    number = (56, 220)[COLUMN]
    before = os.getpid()
    error = call(number, flag | signal.SIGCHLD, 0)
    if os.getpid() != before:
        os._exit(0)
    assert error == errno.EPERM


def test_clone3_is_unknown():
    assert call(435, NULL, 88) == errno.ENOSYS


def test_namespace_programs():
    for command in (["unshare", "-r", "true"], ["unshare", "-U", "true"], ["unshare", "-m", "true"]):
        assert subprocess.run(command, capture_output=True).returncode != 0


def test_the_x32_side_door():
    if COLUMN == 0:
        for number in (101, 272, 41, 39):
            assert call(0x40000000 | number) == errno.EPERM


def test_the_32_bit_side_door():
    """The old gate `int 0x80`, in a child: the filter ends whoever goes through it."""
    if COLUMN != 0:
        return
    import mmap

    child = os.fork()
    if child == 0:
        code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
        address = ctypes.addressof(ctypes.c_char.from_buffer(code))
        ctypes.CFUNCTYPE(ctypes.c_long)(address)()
        os._exit(0)
    _, how = os.waitpid(child, 0)
    assert os.WIFSIGNALED(how) and os.WTERMSIG(how) in (signal.SIGSYS, signal.SIGSEGV)


@pytest.mark.parametrize("family", [15, 17, 31, 38, 40, 44])
def test_socket_families(family):
    with pytest.raises(OSError) as refused:
        socket.socket(family, socket.SOCK_DGRAM)
    assert refused.value.errno == errno.EPERM


def test_raw_sockets():
    for family in (socket.AF_INET, socket.AF_INET6):
        with pytest.raises(OSError):
            socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_ICMP)


def test_devices():
    for name in (
        "mem",
        "kmem",
        "port",
        "kmsg",
        "vda",
        "sda",
        "nvme0n1",
        "kvm",
        "fuse",
        "loop0",
        "net/tun",
        "vsock",
    ):
        with pytest.raises(OSError):
            os.open(f"/dev/{name}", os.O_RDONLY)
    with pytest.raises(OSError):
        os.mknod("/tmp/disk", 0o60600, os.makedev(254, 0))


SWITCHES = [
    "/proc/sys/kernel/hostname",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sys/vm/drop_caches",
    "/proc/sys/net/ipv4/ip_forward",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/fs/protected_symlinks",
    "/proc/sysrq-trigger",
    "/proc/1/oom_score_adj",
    "/proc/self/uid_map",
    "/proc/self/setgroups",
    "/sys/kernel/uevent_helper",
    "/sys/fs/cgroup/release_agent",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/power/state",
]


@pytest.mark.parametrize("path", SWITCHES)
def test_switches_of_the_kernel(path):
    try:
        descriptor = os.open(path, os.O_WRONLY)
    except OSError:
        return
    link = os.readlink(f"/proc/self/fd/{descriptor}")
    mapped = path.startswith("/proc/self/")
    opened = os.fstat(descriptor)
    os.close(descriptor)
    # A file of one's own process opens, but takes nothing without a capability; a hidden one is /dev/null.
    assert mapped or (os.major(opened.st_rdev), os.minor(opened.st_rdev)) == (1, 3), link


def test_nothing_below_proc_sys_opens_for_writing():
    opened = []
    for path in glob.glob("/proc/sys/**", recursive=True):
        if os.path.isfile(path):
            try:
                os.close(os.open(path, os.O_WRONLY))
            except OSError:
                continue
            opened.append(path)
    assert opened == []


def test_no_memory_of_the_kernel():
    for path in ("/proc/kcore", "/dev/core", "/proc/kmsg", "/proc/keys", "/proc/timer_list"):
        try:
            with open(path, "rb") as file:
                assert file.read(16) == b"", path
        except OSError:
            continue


def test_the_clock():
    import time

    with pytest.raises(OSError):
        time.clock_settime(time.CLOCK_REALTIME, 0)


def test_a_descriptor_of_a_stranger_by_socket():
    """Nobody listens in the abstract names of this network namespace, not even the host's desktop."""
    with open("/proc/net/unix") as file:
        assert [line for line in file.read().splitlines()[1:] if " @" in line] == []


def test_seccomp_cannot_be_taken_off():
    empty = struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000)
    buffer = ctypes.create_string_buffer(empty, 8)

    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]

    allow = Program(1, ctypes.cast(buffer, ctypes.c_void_p))
    LIBC.prctl(22, 2, ctypes.byref(allow), 0, 0)
    assert call((101, 117)[COLUMN], 0) == errno.EPERM
