"""Runs in the test process: what a template does ahead, so that none of its forks has to.

It imports what the user's own tests imported from elsewhere, compiles the files of the workspace that they
imported, and knows which memory a fork should have for itself. Nothing here can change what a run says: a
module is one that the tests import anyway, and compiled code is taken only for the very same bytes. Its
source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import array
import ctypes
import importlib
import importlib.machinery
import os
import sys
import warnings
from pathlib import Path
from types import CodeType
from typing import Any, Callable, Dict, List, Tuple

MAX_IMPORTS = 5000
MOST_RANGES = 4000
PAGE = os.sysconf("SC_PAGE_SIZE")
GAP = 2 * PAGE
_POPULATE_READ, _POPULATE_WRITE = 22, 23
_LIBC = ctypes.CDLL(None, use_errno=True)
_IMPORTLIB = importlib.machinery.SourceFileLoader.source_to_code.__code__.co_filename

Compiled = Dict[str, Tuple[bytes, CodeType]]


def imported(root: str) -> Dict[str, List[str]]:
    """Names of modules from elsewhere, in the order in which they were imported, and our own files."""
    found: Dict[str, List[str]] = {"modules": [], "plain": [], "rewritten": []}
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        origin = getattr(spec, "origin", None)
        if not isinstance(origin, str):
            continue
        if not origin.startswith(root + os.sep) or "site-packages" in origin:
            if getattr(module, "__name__", None) == name:
                found["modules"].append(name)
        elif origin.endswith(".py"):
            loader = type(getattr(spec, "loader", None)).__name__
            kind = "rewritten" if loader == "AssertionRewritingHook" else "plain"
            found[kind].append(origin[len(root) + 1 :])
    return {kind: names[:MAX_IMPORTS] for kind, names in found.items()}


def import_modules(names: List[str]) -> None:
    for name in names:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except BaseException:
                continue  # Some modules can only be imported by those who know them.


def compile_files(plain: List[str], rewritten: List[str]) -> None:
    """Have the code of these files ready, as the import system and as pytest would make it."""
    loader = importlib.machinery.SourceFileLoader
    ready = _compiled(plain, lambda path, data: compile(data, path, "exec", dont_inherit=True))
    to_code = loader.source_to_code

    def source_to_code(self: Any, data: Any, path: Any, **options: Any) -> Any:
        known = ready.get(path)
        if known is not None and known[0] == data and not options:
            return known[1]
        return to_code(self, data, path, **options)

    # When it raises, tracebacks are cut as if it were the import system's own.
    source_to_code.__code__ = source_to_code.__code__.replace(co_filename=_IMPORTLIB)
    loader.source_to_code = source_to_code  # type: ignore[method-assign]
    rewriting = sys.modules.get("_pytest.assertion.rewrite")
    hook = next((one for one in sys.meta_path if type(one).__name__ == "AssertionRewritingHook"), None)
    rewrite, read = (getattr(rewriting, name, None) for name in ("_rewrite_test", "_read_pyc"))
    if rewrite is None or read is None or not hasattr(hook, "config"):
        return  # Another pytest than those we know: every fork does it for itself.
    made = _compiled(rewritten, lambda path, _: rewrite(Path(path), hook.config)[1])  # type: ignore[union-attr]

    def read_pyc(file: Any, *rest: Any) -> Any:
        """Where pytest looks for code that it kept earlier."""
        known = made.get(str(file))
        if known is not None and file.read_bytes() == known[0]:
            return known[1]
        return read(file, *rest)

    rewriting._read_pyc = read_pyc  # type: ignore[union-attr]


def _compiled(paths: List[str], make: Callable[[str, bytes], Any]) -> Compiled:
    found: Compiled = {}
    for path in paths:
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            try:
                with open(path, "rb") as file:
                    data = file.read()
                code = make(path, data)
            except Exception:
                continue  # Whoever imports it is told.
        # A warning of the compiler belongs to the run that imports the file.
        if not told and isinstance(code, CodeType):
            found[path] = (data, code)
    return found


class Memory:
    """Pages that a fork should have for itself before it is needed, and not one by one when it writes there.

    Which these are is learned from a run of the user's own code. Kernels before 5.14 do not know how to take
    them ahead; then it is as it was.
    """

    def __init__(self, maps: List[List[str]]) -> None:
        self.data = [places(words[0]) for words in maps if words[1] == "rw-p"]
        self.code = [places(words[0]) for words in maps if words[1] == "r-xp"]
        self.written: List[Tuple[int, int]] = []
        self.read, self.write = os.pipe()
        os.set_blocking(self.read, False)

    def take(self) -> None:
        for advice, ranges in ((_POPULATE_READ, self.code), (_POPULATE_WRITE, self.written)):
            for start, end in ranges:
                _LIBC.madvise(ctypes.c_void_p(start), ctypes.c_size_t(end - start), advice)

    def tell(self) -> None:
        """In a fork that ends: which pages it has for itself by now, to be learned by the template."""
        found: List[int] = []
        with open("/proc/self/pagemap", "rb", buffering=0) as file:
            for start, end in self.data:
                file.seek(start // PAGE * 8)
                flags = array.array("Q", file.read((end - start) // PAGE * 8))
                for n, flag in enumerate(flags):
                    if flag >> 56 & 0x81 == 0x81:  # Present, and mapped by nobody else.
                        at = start + n * PAGE
                        if found and at - found[-1] <= GAP:
                            found[-1] = at + PAGE
                        else:
                            found += (at, at + PAGE)
        os.write(self.write, array.array("Q", found[: 2 * MOST_RANGES]).tobytes())

    def learn(self) -> None:
        """In the template, when a fork has ended."""
        try:
            data = os.read(self.read, 16 * MOST_RANGES)
        except BlockingIOError:
            return
        numbers = array.array("Q", data[: len(data) // 16 * 16]).tolist()
        self.written = [(numbers[n], numbers[n + 1]) for n in range(0, len(numbers), 2)]


def places(text: str) -> Tuple[int, int]:
    start, _, end = text.partition("-")
    return int(start, 16), int(end, 16)
