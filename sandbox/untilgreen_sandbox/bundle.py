"""Our own pytest, for projects whose environment has none: it and what it needs, nothing else of ours."""

from __future__ import annotations

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

from untilgreen_sandbox.box import Interpreter
from untilgreen_sandbox.errors import SandboxError

INSIDE = "/opt/untilgreen/pytest"
"""Where the packages are seen inside the box."""
OLDEST_PYTHON = (3, 11)


def bundled_packages(interpreter: Interpreter) -> tuple[Path, ...]:
    """The folders and files to show inside; all of them pure Python."""
    if interpreter.has_pytest:
        return ()
    if interpreter.version < OLDEST_PYTHON:
        version = ".".join(map(str, interpreter.version))
        raise SandboxError(
            f"The project's Python {version} has no pytest, and ours needs a newer Python. "
            f"Install it there: {interpreter.executable} -m pip install pytest"
        )
    found: dict[str, Distribution] = {}
    _collect("pytest", found)
    return tuple(sorted({path for one in found.values() for path in _top_level(one)}))


def _collect(name: str, found: dict[str, Distribution]) -> None:
    if name in found:
        return
    found[name] = distribution(name)
    for requirement in found[name].requires or ():
        # What has a condition is for extras, other systems and older interpreters.
        if ";" not in requirement:
            _collect(re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0], found)


def _top_level(one: Distribution) -> set[Path]:
    """What the distribution put into site-packages; its scripts lie elsewhere."""
    names = {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}
    return {Path(str(one.locate_file(name))) for name in names}
