"""Counting in threads and processes."""

import multiprocessing
import subprocess
import sys
import threading


def square(n):
    return n * n


def in_processes(numbers):
    with multiprocessing.get_context("fork").Pool(2) as pool:
        return pool.map(square, numbers)


def in_threads(numbers):
    found = {}
    threads = [threading.Thread(target=lambda n=n: found.update({n: square(n)})) for n in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[n] for n in numbers]


def in_child(text):
    code = "import sys; from ledger.numbers import checksum; print(checksum(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    return int(done.stdout)
