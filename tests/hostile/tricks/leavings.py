"""Things that are left for the next run to find. Runs inside a box only, each in a run of its own."""

import ctypes
import errno
import os
import shutil
import struct
import subprocess

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
ALL = 0xFFFFFFFF
"""An entry that names nobody."""
FOR_A_NAMED_USER = struct.pack(
    "<I" + "HHI" * 5, 2, 1, 7, ALL, 2, 7, os.getuid(), 4, 7, ALL, 16, 7, ALL, 32, 7, ALL
)
"""An access control list that gives everybody everything."""
PLACES = (".", "/tmp", "/var/tmp", "/dev/shm")


def attributes():
    return {(place, name) for place in PLACES for name in os.listxattr(place)}


def test_attributes_of_a_file():
    """Of a file that is there in every run; what was set on one of ours must go with it."""
    for name, value in (("user.left", b"x"), ("system.posix_acl_access", FOR_A_NAMED_USER)):
        try:
            os.setxattr("honest.py", name, value)
        except OSError as error:
            assert error.errno in (errno.EOPNOTSUPP, errno.EPERM)


def test_after_attributes_of_a_file():
    assert os.listxattr("honest.py") == []
    assert os.stat("honest.py").st_mode & 0o777 == 0o644


def test_attributes_of_folders():
    for place in PLACES:
        for name, value in (("user.left", b"x"), ("system.posix_acl_default", FOR_A_NAMED_USER)):
            try:
                os.setxattr(place, name, value)
            except OSError as error:
                assert error.errno in (errno.EOPNOTSUPP, errno.EPERM, errno.EACCES)


def test_after_attributes_of_folders():
    assert attributes() == set()


def test_modes_of_scratch_folders():
    for place in PLACES[1:]:
        try:
            os.chmod(place, 0o755)
        except PermissionError:
            continue


def test_after_modes_of_scratch_folders():
    for place in PLACES[1:]:
        assert os.stat(place).st_mode & 0o7777 == 0o1777, place
        open(f"{place}/new", "x").close()


def test_scratch_folders_are_shut():
    for place in PLACES[1:]:
        try:
            os.chmod(place, 0)
        except PermissionError:
            continue


def test_times_of_folders():
    for place in PLACES:
        try:
            os.utime(place, ns=(4242, 4242))
        except PermissionError:
            continue


def test_after_times_of_folders():
    assert [place for place in PLACES if os.stat(place).st_mtime_ns == 4242] == []


def test_set_uid_files():
    for number, place in enumerate(PLACES):
        shutil.copy("/bin/sh", f"{place}/shell{number}")
        os.chmod(f"{place}/shell{number}", 0o6777)
        with pytest.raises(OSError):
            os.chown(f"{place}/shell{number}", 0, 0)
        if not os.statvfs(place).f_flag & os.ST_NOEXEC:
            shown = subprocess.check_output([f"{place}/shell{number}", "-c", "id -u; id -g"], text=True)
            assert shown.split() == [str(os.getuid()), str(os.getgid())]


def test_holes():
    """More is promised than there is; blocks are taken out of a file of the workspace, its size stays."""
    with open("/tmp/sparse", "wb") as file:
        file.truncate(200 << 20)
    assert os.stat("/tmp/sparse").st_blocks == 0
    descriptor = os.open("test_honest.py", os.O_RDWR)
    size = os.fstat(descriptor).st_size
    assert LIBC.fallocate(descriptor, 3, ctypes.c_long(0), ctypes.c_long(size)) == 0
    assert os.fstat(descriptor).st_size == size and set(os.pread(descriptor, size, 0)) == {0}
    with open("/tmp/large", "wb") as file:
        assert LIBC.fallocate(file.fileno(), 0, ctypes.c_long(0), ctypes.c_long(1 << 40)) == -1
        assert ctypes.get_errno() in (errno.EFBIG, errno.ENOSPC)


def test_names():
    """As long as names can be, with line ends, terminal codes and bytes that are no text."""
    for place in PLACES:
        for name in (b"x" * 255, b"a\nb", b"\x1b]52;c;ZXZpbA==\x07", b"\xff\xfe", b"-rf", b" ", b"*"):
            os.mkdir(os.path.join(place.encode(), name))
            open(os.path.join(place.encode(), name, name), "w").close()


def test_a_deep_tree():
    here = os.getcwd()
    for place in ("/tmp", "/dev/shm", here):
        os.chdir(place)
        for _ in range(1500):
            os.mkdir("d" * 255)
            os.chdir("d" * 255)
        os.mkfifo("pipe")
        os.chmod(".", 0)
    os.chdir(here)


def test_links_to_itself_everywhere():
    for place in PLACES:
        os.symlink(place, f"{place}/again")
        os.symlink("/proc/self/root", f"{place}/root")
        os.symlink("../" * 1000 + "etc/passwd", f"{place}/far")


def test_many_links_to_one_file():
    open("/tmp/one", "w").close()
    with pytest.raises(OSError) as refused:
        for number in range(100_000):
            os.link("honest.py", f"link{number}") if number < 2000 else os.link("/tmp/one", "/usr/one")
    assert refused.value.errno in (errno.EXDEV, errno.EROFS, errno.EACCES)


def test_flags_of_files():
    """A file that its owner can no longer remove would be there for ever."""
    import fcntl

    for flag in (0x10, 0x20):  # Unchangeable, append only.
        with open("/tmp/kept", "w") as file, pytest.raises(OSError):
            fcntl.ioctl(file, 0x40086602, struct.pack("l", flag))


def test_a_mapping_that_is_written_to_the_end():
    """No report of the kernel says that a page was written, and nobody closes the file before the last moment."""
    import mmap

    with open("test_honest.py", "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
    if os.fork() == 0:
        while True:
            mapped[:8] = b"import x"
    while mapped[:8] != b"import x":
        pass


def test_a_file_on_its_way():
    """It is open for writing, and nobody has it: it lies in a socket that lies in itself."""
    import socket

    near, far = socket.socketpair()
    with open("honest.py", "r+") as file:
        socket.send_fds(near, [b"x"], [near.fileno(), far.fileno(), file.fileno()])
        file.write("raise SystemExit")


def test_a_flood_of_changes():
    """More than the kernel keeps reports of; one of them matters."""
    os.rename("honest.py", "0")
    for number in range(20_000):
        os.rename(str(number), str(number + 1))
    with open("test_honest.py", "r+") as file:
        file.write("import x")


def test_sealed_memory():
    """Nobody holds it after the run, so seals are of no use to anybody."""
    import fcntl

    try:
        sealed = os.memfd_create("sealed", os.MFD_ALLOW_SEALING)
    except OSError:
        return
    os.write(sealed, b"x" * (1 << 20))
    fcntl.fcntl(sealed, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL)
