"""What is sent into a box: the source of the program inside, and of what it starts.

An image needs nothing of ours: the modules come through the channel.
"""

from __future__ import annotations

import json
import struct
from importlib import resources

PACKAGE = "untilgreen_sandbox"
MODULES = (
    *("confine", "host", "interpreter", "ipc", "meter", "ordering", "runner"),
    *("seccomp", "templates", "tree", "vigil", "watchman", "wire", "workplace"),
)
# What runs in the test process, which cannot import anything of ours.
CHILD_MODULES = (
    *("ahead", "checkpoint", "drawing", "failures", "open_files", "options", "ordering", "pytest_child"),
    *("probing", "buckets", "clock", "collectors", "observing", "tracing"),
    *("asking", "cases", "comparing", "describing", "evaluating", "learning"),
    *("living", "rows", "trying", "versions", "workers"),
)

# Started as `python3 -I -S -c BOOT`; the frame that `program_frame` makes follows.
BOOT = """\
import importlib.abc, importlib.util, json, os, struct, sys
def read(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data
sources = json.loads(read(struct.unpack("!I", read(4))[0]))
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name in sources:
            return importlib.util.spec_from_loader(name, self, is_package=sources[name] == "")
    def exec_module(self, module):
        exec(compile(sources[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Finder())
from untilgreen_sandbox.inside.runner import main
main()
"""


def program_frame() -> bytes:
    """All modules of the program inside, as BOOT reads them."""
    named = {PACKAGE: "", f"{PACKAGE}.inside": ""}
    named |= {f"{PACKAGE}.inside.{name}": source(name) for name in MODULES}
    body = json.dumps(named).encode("ascii")
    return struct.pack("!I", len(body)) + body


def source(name: str) -> str:
    return (resources.files(PACKAGE) / "inside" / f"{name}.py").read_text(encoding="utf-8")


def child_modules() -> dict[str, str]:
    """Those that run in the test process, by name."""
    return {name: source(name) for name in CHILD_MODULES}
