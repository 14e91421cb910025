"""What an earlier process left half done is put right when the next one begins."""

from __future__ import annotations

from untilgreen.desk import recover
from untilgreen.errors import Busy
from untilgreen.journal import Journal
from untilgreen.lock import acquire, sweep_locks
from untilgreen.scratch import sweep


def put_right(journal: Journal) -> tuple[str, ...]:
    """After a kill: files are as they were or as they should be, and what can be undone is what stands."""
    if not journal.folder.is_dir():
        return ()
    try:
        with acquire(journal.locks, journal.folder, "write", "putting right what was interrupted", wait=5):
            recovered = recover(journal.intents)
            journal.undo.settle()
    except Busy:
        # Another process is at it this very moment.
        recovered = ()
    sweep(journal.folder / "scratch")
    sweep_locks(journal.locks)
    return recovered
