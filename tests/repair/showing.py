"""Runs the suites of many small projects, each in a fork of one process that knows pytest already.

`python showing.py SECONDS FOLDER…` prints an exit code for each, or `too slow`: starting pytest costs more
than these suites do.
"""

from __future__ import annotations

import os
import select
import signal
import sys

import pytest


def main() -> None:
    seconds, *folders = sys.argv[1:]
    for folder in folders:
        pid = os.fork()
        if pid == 0:
            run(folder)
        process = os.pidfd_open(pid)
        in_time = bool(select.select([process], [], [], float(seconds))[0])
        if not in_time:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        os.close(process)
        print(os.waitstatus_to_exitcode(status) if in_time else "too slow", flush=True)


def run(folder: str) -> None:
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 1)
    os.dup2(null, 2)
    os.chdir(folder)
    sys.path[:0] = [f"{folder}/src", folder]
    os._exit(int(pytest.main(["-q", "-p", "no:cacheprovider"])))


if __name__ == "__main__":
    main()
