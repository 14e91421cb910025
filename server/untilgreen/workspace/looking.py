"""The program of the second process: looks at files, and says in a digest what they look like.

It imports nothing of ours, so that it starts at once.
"""

import marshal
import os
import sys
from array import array
from hashlib import blake2b
from itertools import chain
from operator import attrgetter

signature = attrgetter("st_mtime_ns", "st_ctime_ns", "st_ino", "st_size", "st_mode")


def main() -> None:
    """Each question is a list of lists of paths, or nothing when it is the same as before."""
    asked: list[list[str]] = []
    while len(head := sys.stdin.buffer.read(4)) == 4:
        if size := int.from_bytes(head, "big"):
            asked = marshal.loads(sys.stdin.buffer.read(size))
        body = marshal.dumps([looks(paths) for paths in asked])
        sys.stdout.buffer.write(len(body).to_bytes(4, "big") + body)
        sys.stdout.buffer.flush()


def looks(paths: list[str]) -> bytes | None:
    """None when one of them is not there, or has numbers that no file has."""
    try:
        looks = array("q", chain.from_iterable(map(signature, map(os.lstat, paths))))
    except (OSError, OverflowError):
        return None
    return blake2b(looks, digest_size=16).digest()


if __name__ == "__main__":
    main()
