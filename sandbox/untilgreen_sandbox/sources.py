"""What is sent into a box: the program inside, and what it starts.

An image needs nothing of ours. All modules come through the channel: as source, which every Python can read,
and as code for a Python like ours, which then has nothing to compile.
"""

from __future__ import annotations

import json
import marshal
import struct
from collections.abc import Iterable
from functools import cache
from importlib import resources
from importlib.abc import InspectLoader
from importlib.util import find_spec
from types import CodeType

from untilgreen_sandbox.inside.packed import MAGIC, PLAIN, PROBING, file_name

PACKAGE = "untilgreen_sandbox"
MODULES = (
    *("confine", "ending", "host", "interpreter", "ipc", "meter", "packed", "runner"),
    *("seccomp", "templates", "tree", "vigil", "watchman", "wire", "workplace"),
)

# Started as `python3 -I -S -c BOOT`; what `program_frame` makes follows.
BOOT = """\
import importlib.abc, importlib.util, json, marshal, os, struct, sys
def read(size):
    data = b""
    while len(data) < size:
        part = os.read(0, size - len(data))
        if not part:
            os._exit(0)
        data += part
    return data
n_json, n_code = struct.unpack("!II", read(8))
told, packed = json.loads(read(n_json)), read(n_code)
sources = told["sources"]
code = marshal.loads(packed) if importlib.util.MAGIC_NUMBER.hex() == told["magic"] else {}
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name in sources:
            return importlib.util.spec_from_loader(name, self, is_package=sources[name] == "")
    def exec_module(self, module):
        name = module.__name__
        exec(code.get(name) or compile(sources[name], name, "exec"), module.__dict__)
sys.meta_path.insert(0, Finder())
from untilgreen_sandbox.inside.runner import main
main()
"""


def program_frame() -> bytes:
    """All modules of the program inside, as BOOT reads them."""
    names = {name: f"{PACKAGE}.inside.{name}" for name in MODULES}
    sources = {PACKAGE: "", f"{PACKAGE}.inside": ""}
    sources |= {full: source(name) for name, full in names.items()}
    told = json.dumps({"magic": MAGIC, "sources": sources}).encode("ascii")
    packed = marshal.dumps({full: code(name, full) for name, full in names.items()})
    return struct.pack("!II", len(told), len(packed)) + told + packed


def child_sources() -> dict[str, str]:
    """What runs in the test process, which cannot import anything of ours, by name."""
    return {name: source(name) for name in (*PLAIN, *PROBING)}


def child_code() -> tuple[bytes, bytes]:
    """The same as code: what every test process needs, and what only one that probes does."""
    return _packed(PLAIN), _packed(PROBING)


def source(name: str) -> str:
    return (resources.files(PACKAGE) / "inside" / f"{name}.py").read_text(encoding="utf-8")


@cache
def code(name: str, file: str) -> CodeType:
    """As Python keeps it beside the source, but for the path: where we are installed is nobody's business."""
    full = f"{PACKAGE}.inside.{name}"
    spec = find_spec(full)
    assert spec is not None and isinstance(spec.loader, InspectLoader)
    found = spec.loader.get_code(full)
    assert found is not None
    return _renamed(found, file)


def _packed(names: Iterable[str]) -> bytes:
    return marshal.dumps({name: code(name, file_name(name)) for name in names})


def _renamed(code: CodeType, file: str) -> CodeType:
    constants = (_renamed(one, file) if isinstance(one, CodeType) else one for one in code.co_consts)
    return code.replace(co_filename=file, co_consts=tuple(constants))
