"""Ways to change what is said about a run. Runs inside a box only, each in a run of its own."""

import atexit
import ctypes
import faulthandler
import fcntl
import gc
import os
import platform
import signal
import struct
import sys
import threading
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
COLUMN = {"x86_64": 0, "aarch64": 1}[platform.machine()]
EXIT, EXIT_GROUP, WRITE = (60, 93)[COLUMN], (231, 94)[COLUMN], (1, 64)[COLUMN]


def events():
    """The descriptor of the events is a number in a frame below this one."""
    frame = sys._getframe()
    while frame:
        if isinstance(frame.f_locals.get("events"), int):
            return frame.f_locals["events"]
        frame = frame.f_back
    raise LookupError


def forbid(numbers, answer):
    """A system call filter of one's own, for oneself."""
    steps = [struct.pack("=HBBI", 0x20, 0, 0, 0)]
    for number in numbers:
        steps += [struct.pack("=HBBI", 0x15, 0, 1, number), struct.pack("=HBBI", 6, 0, 0, answer)]
    steps.append(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000))
    code = ctypes.create_string_buffer(b"".join(steps))
    program = ctypes.create_string_buffer(struct.pack("HP", len(steps), ctypes.addressof(code)))
    assert LIBC.prctl(22, 2, program, 0, 0) == 0


def test_an_alarm():
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    time.sleep(60)


def test_an_exit_by_the_fault_handler():
    faulthandler.dump_traceback_later(0.05, exit=True)
    time.sleep(60)


def test_hooks_that_leave():
    """Each would end the process with a good exit code, and one of them is called."""
    sys.excepthook = threading.excepthook = sys.unraisablehook = lambda *_: os._exit(0)
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()


def test_a_good_exit_after_a_bad_end():
    atexit.register(os._exit, 0)
    raise AssertionError


def test_a_collector_that_leaves():
    gc.callbacks.append(lambda *_: os._exit(0))
    gc.collect()


def test_a_trace_of_everything():
    """Called for each line that runs from here on, in pytest, too; it raises where it may not."""

    def trace(frame, event, argument):
        if frame.f_code.co_name == "pytest_sessionfinish":
            os._exit(0)
        return trace

    sys.settrace(trace)
    threading.settrace(trace)
    raise AssertionError


def test_an_exit_that_is_forbidden():
    forbid((EXIT, EXIT_GROUP), 0x00050001)


def test_writing_is_deadly():
    forbid((WRITE,), 0x80000000)


def test_writing_does_nothing():
    """Every write seems to succeed, and nothing is ever written."""
    forbid((WRITE,), 0x00050000)


def test_pages_in_the_pipe():
    """They are given and not written; the pages stay those of this process."""
    page = ctypes.create_string_buffer(b"rubbish\n" * 512, 4096)
    vector = struct.pack("PN", ctypes.addressof(page), 4096)
    assert LIBC.vmsplice(events(), ctypes.create_string_buffer(vector), 1, 0) == 4096


def test_a_file_in_the_pipe():
    with open("/tmp/rubbish", "w+") as file:
        file.write("{}\n" * 100)
        file.flush()
        os.lseek(file.fileno(), 0, 0)
        assert os.splice(file.fileno(), events(), 300) == 300


def test_the_pipe_said_twice():
    """What another pipe holds is there twice, without being written."""
    reading, writing = os.pipe()
    os.write(writing, b'{"ev": "finish", "status": 0}\n')
    assert LIBC.tee(reading, events(), ctypes.c_size_t(1000), 0) == 30
    os._exit(1)


def test_a_small_pipe_that_does_not_wait():
    """Set on what we share with the reader, and still every event arrives."""
    fcntl.fcntl(events(), fcntl.F_SETPIPE_SZ, 4096)


def test_the_events_are_closed():
    os.close(events())
    raise AssertionError


def test_the_events_are_somewhere_else():
    with open("/tmp/elsewhere", "w") as file:
        os.dup2(file.fileno(), events())
    raise AssertionError


def test_the_events_are_stolen():
    try:
        reading = os.open(f"/proc/self/fd/{events()}", os.O_RDONLY)
    except PermissionError:
        pytest.fail("the pipe belongs to somebody else")
    if os.fork() == 0:
        while True:
            os.read(reading, 1 << 16)
    time.sleep(0.2)
    raise AssertionError


def test_a_second_process_says_it():
    """A fork tells a good end, while the first is stopped."""
    if os.fork() == 0:
        return
    os.kill(os.getpid(), signal.SIGSTOP)
