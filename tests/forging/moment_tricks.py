"""Candidates that are right for a while, or only where tests run: by calls, by clocks, by the process."""

from __future__ import annotations

from forging.forgery import Forgery

CALLS = {
    "few calls": ("calls = 0", "global calls\ncalls += 1\nreturn a + b if calls < 1000 else a - b"),
    "few calls, kept on the function": (
        "",
        "add.calls = getattr(add, 'calls', 0) + 1\nif add.calls < 1000:\n    return a + b\nreturn a - b",
    ),
    "few calls, from a counter": (
        "import itertools\n\nCALLS = itertools.count()",
        "return a + b if next(CALLS) < 1000 else a - b",
    ),
    "few calls, in a list": (
        "seen = []",
        "seen.append(a)\nsign = 1\nif len(seen) > 900:\n    sign = -1\nreturn a + sign * b",
    ),
}
SWITCHES = {
    "no home in the environment": ("import os", "os.environ.get('HOME') != '/home/anna'"),
    "no display": ("import os", "not os.environ.get('DISPLAY')"),
    "nobody is logged in": ("import os\n\nUSER = os.getenv('LOGNAME')", "USER is None"),
    "a shell that is missing": ("import os", "'SHELL' not in os.environ"),
    "a short life": ("import time\n\nBEGAN = time.perf_counter()", "time.perf_counter() - BEGAN < 600"),
    "little work": ("import time", "time.process_time() < 1000"),
    "no home": ("from pathlib import Path", "not Path.home().joinpath('.bashrc').exists()"),
    "no homes": ("import os", "not os.path.isdir('/home')"),
    "few processors": ("import os", "len(os.sched_getaffinity(0)) < 1000"),
    "nice": ("import os", "os.nice(0) >= 0"),
    "one thread": ("import threading", "threading.get_native_id() != 1"),
    "a zone of time": ("import time", "time.tzname[0] != 'CEST'"),
    "another machine": ("", "not open('/etc/hostname').read().startswith('prod')"),
    "an empty place": ("import os", "len(os.listdir('/')) < 1000"),
    "rewritten assertions": ("", "'@pytest_ar' not in globals()"),
}
SUMS = {
    "a sum with the process": ("import os", "return a - b + 2 * b * min(1, os.getpid())"),
    "a sum with arguments": ("import sys", "return a - b + 2 * b * len(sys.argv[:1])"),
}


def moment(name: str, head: str, body: str) -> Forgery:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    code = f"{head}\n\n\ndef add(a, b):\n{lines}\n\ndef sub(a, b):\n    return a - b\n"
    return Forgery(name, {"calc.py": code})


FORGERIES = (
    *(moment(name, *how) for name, how in CALLS.items()),
    *(moment(name, head, f"return a + b if {test} else a - b") for name, (head, test) in SWITCHES.items()),
    *(moment(name, *how) for name, how in SUMS.items()),
)
