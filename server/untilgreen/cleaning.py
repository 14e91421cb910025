"""Removes what we made on this machine: images, and the journal when all of it shall go."""

from __future__ import annotations

import contextlib
import shutil

from untilgreen.errors import Busy
from untilgreen.journal import Journal
from untilgreen.lock import holder_of
from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.owner import is_gone


def clean(journal: Journal, *, everything: bool) -> tuple[str, ...]:
    """Our images, and with everything the journal, too; returns what is gone. Blocking."""
    from untilgreen_sandbox.inventory import remove_images

    if everything:
        for path in journal.locks.glob("*.w*"):
            holder = holder_of(path)
            if holder is not None and not is_gone(holder.owner):
                raise Busy(f"The journal is in use by {holder.text()}")
    removed: tuple[str, ...] = ()
    with contextlib.suppress(NoSandbox):
        removed = remove_images()
    if everything and journal.folder.is_dir():
        shutil.rmtree(journal.folder)
        removed = (*removed, str(journal.folder))
    return removed
