"""Files that say nothing about the code: what editors leave, and what our own writes use. Pure."""

from __future__ import annotations

import re

from untilgreen.workspace.copied import CACHES, FOREIGN, VERSION_CONTROL

_NEVER = VERSION_CONTROL | CACHES | FOREIGN
# Backups, swap and lock files of Vim, Emacs, Kate and JetBrains; our own temporary files; half downloads.
_LEFTOVER = re.compile(
    r".*~|\..*\.sw[a-z]|4913|\.#.*|#.*#|\..*\.kate-swp|.*___jb_(tmp|old)___|\.untilgreen-.*\.tmp|.*\.(tmp|part|pyc)"
)


def is_noise(path: str) -> bool:
    """True for a path in the workspace that no test depends on."""
    parts = path.split("/")
    return not _NEVER.isdisjoint(parts) or _LEFTOVER.fullmatch(parts[-1]) is not None
