"""The user's folder as it was at one moment: which files are copied, and what each of them holds."""

from untilgreen.workspace.content import digest_of, open_file
from untilgreen.workspace.snapshot import Overlay, Snapshot, take_snapshot
from untilgreen.workspace.stat_index import StatIndex

__all__ = ["Overlay", "Snapshot", "StatIndex", "digest_of", "open_file", "take_snapshot"]
