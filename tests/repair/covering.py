"""A pytest plugin that writes which lines of a project its tests reach."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

_root = str(Path.cwd()) + os.sep
_seen: dict[str, set[int]] = {}


def _call(frame: FrameType, event: str, value: Any) -> Any:
    path = frame.f_code.co_filename
    if not path.startswith(_root):
        return None
    lines = _seen.setdefault(path, set())

    def line(frame: FrameType, event: str, value: Any) -> Any:
        lines.add(frame.f_lineno)
        return line

    return line


def pytest_runtest_setup() -> None:
    threading.settrace(_call)
    sys.settrace(_call)


def pytest_sessionfinish() -> None:
    sys.settrace(None)
    told = {path.removeprefix(_root): sorted(lines) for path, lines in _seen.items()}
    Path(os.environ["COVERED_LINES"]).write_text(json.dumps(told))
