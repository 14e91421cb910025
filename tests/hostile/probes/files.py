"""Where can I write? Runs inside a box only."""

# It asks the kernel, and nothing in between.
import errno
import os
import sys

import pytest

WRITABLE = ("/tmp", "/var/tmp", "/dev/shm", "/proc", "/dev/mqueue", "/dev/pts", "/dev/fd")


@pytest.mark.parametrize(
    "folder",
    ["/", "/usr", "/usr/bin", "/etc", "/opt", "/opt/untilgreen/pytest", "/dev", "/var", "/root", "/run"],
)
def test_system_folders(folder):
    with pytest.raises(OSError):
        os.close(os.open(os.path.join(folder, "made"), os.O_WRONLY | os.O_CREAT))


def test_interpreter():
    import json

    import pytest as ours

    for module in (json, ours, os):
        for flags in (os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND):
            with pytest.raises(OSError):
                os.close(os.open(module.__file__, flags))
        with pytest.raises(OSError):
            os.close(
                os.open(os.path.join(os.path.dirname(module.__file__), "made.py"), os.O_WRONLY | os.O_CREAT)
            )
    with pytest.raises(OSError):
        os.close(os.open(os.path.realpath(sys.executable), os.O_WRONLY))
    for folder in (sys.prefix, sys.base_prefix, os.path.join(sys.prefix, "bin")):
        with pytest.raises(OSError):
            os.mkdir(os.path.join(folder, "made"))


def test_no_folder_but_scratch_and_workspace_is_writable():
    found = []
    here = os.getcwd()
    for folder, folders, _ in os.walk("/"):
        if folder.startswith((*WRITABLE, here, "/sys")):
            folders.clear()
        elif os.access(folder, os.W_OK):
            found.append(folder)
    assert found == []


def test_pages_of_the_interpreter():
    """A private file cannot be mapped for writing by all."""
    import mmap

    with open(os.__file__, "rb") as file, pytest.raises(OSError) as refused:
        mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_WRITE)
    assert refused.value.errno in (errno.EACCES, errno.EPERM)


def test_links_into_the_system():
    for call in (os.rename, os.link):
        with pytest.raises(OSError):
            call("/usr/bin/env", "/tmp/env")
    with pytest.raises(OSError):
        os.link("/usr/bin/env", "env")


def test_attributes_of_system_files():
    for path in ("/usr/bin/env", os.__file__):
        with pytest.raises(OSError):
            os.chmod(path, 0o777)
        with pytest.raises(OSError):
            os.setxattr(path, "user.x", b"x")
        with pytest.raises(OSError):
            os.utime(path)
