"""The text of one more test: it makes calls twice, has a plain process make them, and tells how they ended.

On the host it does nothing. What is to be called is put in the place of GIVEN, the text of a program in that
of PROGRAM, and another name in that of the test. The program is made of the first two functions; it imports
next to nothing, so that it costs next to nothing. Any Python that a project has understands all of it.

Calls that no test makes may never end. Another test, of the same text, only has the process make them, and
tells in short which of them end alike.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
import zlib
from typing import Any

GIVEN: list[tuple[str, str]] = []
PROGRAM = ""
SECONDS = 5.0


def shown(value: Any, depth: int = 0) -> str:
    """What a value is, without asking its own methods."""
    kind = type(value)
    if kind in (bool, int, float, complex, str, bytes, type(None)):
        return repr(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if depth >= 3:
        return name
    if kind is dict:
        pairs = [(shown(key, depth + 1), shown(value[key], depth + 1)) for key in list(value)[:16]]
        return "{" + ", ".join(f"{key}: {one}" for key, one in pairs) + "}"
    if kind in (list, tuple, set, frozenset):
        parts = [shown(one, depth + 1) for one in list(value)[:16]]
        parts = parts if kind in (list, tuple) else sorted(parts)
        return kind.__name__ + "(" + ", ".join(parts) + ")"
    try:
        inside = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return name
    parts = [f"{key}={shown(inside[key], depth + 1)}" for key in sorted(inside)[:16]]
    return name + "(" + ", ".join(parts) + ")"


def ended(imports: str, call: str) -> str:
    """How a call ends; nothing when it ends otherwise the second time."""
    found = []
    for _ in range(2):
        names: dict[str, Any] = {}
        try:
            exec(imports, names)
            found.append(shown(eval(call, names)))
        except BaseException as error:
            found.append(f"raises {type(error).__name__} {shown(error.args)}")
    return ascii(found[0])[1:-1][:160] if found[0] == found[1] else ""


def start() -> Any:
    """A process that knows nothing of tests, and that is told where modules are."""
    number, program = tempfile.mkstemp(".py")
    os.write(number, PROGRAM.encode())
    os.close(number)
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST")}
    if not sys.flags.hash_randomization:
        environment["PYTHONHASHSEED"] = "0"
    argv = [sys.executable, "-S", "-B", program, repr(sys.path), repr(GIVEN)]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    return subprocess.Popen(argv, env=environment, stdin=nothing, stdout=pipe, stderr=nothing)


def test_near_name() -> None:
    try:
        said = plain.communicate(timeout=SECONDS / 2)[0].decode()
        there = ast.literal_eval(said[said.rindex("\n[") + 1 :])
    except Exception:
        plain.kill()
        there = []
    raise AssertionError([short(one) if one else "" for one in there])


def short(text: str) -> str:
    """An error, something plain, a text or another value, and a number that stands for it."""
    plain_ones = ("True", "False", "None", "0", "1", "-1", "0.0", "1.0", "''", "list()", "tuple()", "{}")
    plain = text in plain_ones or text.strip("'\\\"").isalpha()
    kind = "r" if text.startswith("raises ") else "p" if plain else "t" if text[-1:] in "'\"" else "v"
    return kind + "%08x" % (zlib.crc32(text.encode()) & 0xFFFFFFFF)


def test_name() -> None:
    here = [ended(imports, call) for imports, call in GIVEN]
    try:
        said = plain.communicate(timeout=SECONDS)[0].decode()
        there = ast.literal_eval(said[said.rindex("\n[") + 1 :])
    except Exception:
        plain.kill()
        there = [""] * len(here)
    raise AssertionError([[one, other] for one, other in zip(here, there)])  # noqa: B905


plain: Any = start() if GIVEN else None
