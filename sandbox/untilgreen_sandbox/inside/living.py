"""Runs in the test process: which functions of the workspace are alive.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import functools
import os
import types
from typing import Any, Dict, Iterable, List, Tuple

Place = Tuple[str, int, str]
"""File, first line and name of a code object."""

_CACHE = type(functools.lru_cache(lambda: None))


class Living:
    """All functions of the workspace that are alive, by where their code stands, and the caches over them."""

    def __init__(self, root: str, objects: Iterable[Any]) -> None:
        self.functions: Dict[Place, List[Any]] = {}
        self.caches: List[Any] = []
        self._roots = (root + os.sep, os.path.realpath(root) + os.sep)
        self._inside: Dict[str, bool] = {}
        for found in objects:
            kind = type(found)
            if kind is types.FunctionType and self._is_inside(found.__code__.co_filename):
                code = found.__code__
                place = (code.co_filename, code.co_firstlineno, code.co_name)
                self.functions.setdefault(place, []).append(found)
            elif kind is _CACHE:
                code = getattr(found.__wrapped__, "__code__", None)
                if code is not None and self._is_inside(code.co_filename):
                    self.caches.append(found)

    def _is_inside(self, file: str) -> bool:
        if file not in self._inside:
            self._inside[file] = file.startswith(self._roots) and "site-packages" not in file
        return self._inside[file]
