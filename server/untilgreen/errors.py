"""Every exception of the server.

UntilgreenError            has a message for people and an exit code
├── UsageError             2: wrong arguments or settings
├── WorkspaceError         2: the folder cannot be used (missing, too large)
├── WorkspaceChanged       1: files changed under us; nothing was written
├── NothingToUndo          1: there is no such job, or it is undone already
│   └── EditedSince        1: its files were edited since, and those edits would be lost
├── Busy                   1: another job holds this workspace
└── SandboxUnavailable     3: no sandbox, or the environment blocks
"""

from __future__ import annotations


class UntilgreenError(Exception):
    """An error whose message says what to do."""

    exit_code = 1


class UsageError(UntilgreenError):
    exit_code = 2


class WorkspaceError(UntilgreenError):
    exit_code = 2


class WorkspaceChanged(UntilgreenError):
    """The user's edits win: a file is not what the snapshot saw."""


class NothingToUndo(UntilgreenError):
    pass


class EditedSince(NothingToUndo):
    """An undo would lose edits of the user's."""

    def __init__(self, message: str, lost: str) -> None:
        super().__init__(message)
        self.lost = lost
        """What would be lost, as a unified diff."""


class Busy(UntilgreenError):
    pass


class SandboxUnavailable(UntilgreenError):
    exit_code = 3
