"""Runs in the test process: what a fork shares with its template although a new process would have its own.

An open file has one position for all who inherited it, and a pipe ends only when nobody can write into it any
more. Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import fcntl
import os
from typing import List, Tuple


def own_file(descriptors: List[int], writable: bool, offset: int) -> None:
    """An open file has one position for all who inherited it, and a nameless one has its content for all."""
    first = descriptors[0]
    if writable:
        own = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o600)
        at = 0
        while True:
            data = os.pread(first, 1 << 20, at)
            if not data:
                break
            at += os.write(own, data)
    else:
        own = os.open("/proc/self/fd/%d" % first, os.O_RDONLY | os.O_CLOEXEC)
    os.lseek(own, offset, os.SEEK_SET)
    replace(descriptors, own)


def own_pipe(descriptors: List[int]) -> None:
    """A pipe ends when nobody can write into it any more; the template still could."""
    reads = [n for n in descriptors if fcntl.fcntl(n, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY]
    read, write = os.pipe()
    replace(reads, read)
    replace([n for n in descriptors if n not in reads], write)


def replace(descriptors: List[int], own: int) -> None:
    for descriptor in descriptors:
        os.dup2(own, descriptor, inheritable=os.get_inheritable(descriptor))
    os.close(own)


def identity(descriptor: int) -> Tuple[int, int]:
    found = os.fstat(descriptor)
    return (found.st_dev, found.st_ino)
