"""Our modules for the test process: as source, and as code for an interpreter that can read it.

To compile them would take each test process as long as many suites take to run.
"""

from __future__ import annotations

import json
import marshal
from importlib.util import MAGIC_NUMBER
from typing import Dict, Tuple

MAGIC = MAGIC_NUMBER.hex()
"""Interpreters for which this is the same can read each other's code."""
PLAIN = ("ahead", "checkpoint", "drawing", "failures", "open_files", "options", "pytest_child")
PROBING = (
    *("probing", "buckets", "clock", "collectors", "observing", "tracing"),
    *("asking", "cases", "comparing", "describing", "evaluating", "learning"),
    *("living", "rows", "trying", "versions", "workers"),
)

# The first that a test process runs: everything else of ours comes from the file that its first word names.
FIRST = """\
import sys
sys.path.remove("")
sys.modules["os"].environ.pop("PYTHONHASHSEED", None)
def begin():
    import json, marshal
    with open(int(sys.argv[1]), "rb") as file:
        told = file.readline()
        request = json.loads(told)
        magic = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER.hex()
        sources, code = request.pop("sources"), {}
        if magic == request.pop("magic"):
            for _ in range(request.pop("packed")):
                code.update(marshal.load(file))
    for name in sources:
        if name not in code:
            code[name] = compile(sources[name], "<_untilgreen_%s>" % name, "exec")
    space = {"__name__": "_untilgreen_pytest_child"}
    exec(code["pytest_child"], space)
    space["main"](request, code)
begin()
"""


def file_name(name: str) -> str:
    return "<_untilgreen_%s>" % name


class Packed:
    """What test processes of one box are given; kept here, where no test can change it."""

    def __init__(self, sources: Dict[str, str], magic: str, code: Tuple[bytes, bytes]) -> None:
        self._sources = sources
        # Another Python than the host's: then it is compiled here, once, as soon as it is needed.
        self._code = {PLAIN: code[0], PROBING: code[1]} if magic == MAGIC else {}

    def file(self, request: dict[str, object]) -> bytes:
        """What FIRST reads for one request: a line, and code."""
        sets = (PLAIN, PROBING) if request["probes"] else (PLAIN,)
        sources = {name: self._sources[name] for names in sets for name in names}
        told = {**request, "sources": sources, "magic": MAGIC, "packed": len(sets)}
        return b"".join((json.dumps(told).encode(), b"\n", *map(self._packed, sets)))

    def _packed(self, names: Tuple[str, ...]) -> bytes:
        if names not in self._code:
            made = {name: compile(self._sources[name], file_name(name), "exec") for name in names}
            self._code[names] = marshal.dumps(made)
        return self._code[names]
