"""Every exception of the server.

UntilgreenError            has a message for people and an exit code
├── UsageError             2: wrong arguments or settings
├── WorkspaceError         2: the folder cannot be used (missing, too large)
├── WorkspaceChanged       1: files changed under us; nothing was written
├── NothingToUndo          1: there is no such job, or it is undone already
│   └── EditedSince        1: its files were edited since, and those edits would be lost
├── Busy                   1: another job holds this workspace
├── SandboxUnavailable     3: no sandbox, or the environment blocks
└── ModelError             4: the model cannot be reached, or refused
    ├── TooLong            4: what was sent is more than it reads at once
    └── NoTools            4: it takes no tools; without them, the same call may work
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


class ModelError(UntilgreenError):
    exit_code = 4

    def __init__(self, reason: str, remedy: str = "") -> None:
        super().__init__(f"{reason} {remedy}".strip())
        self.reason = reason
        self.remedy = remedy
        """What to do about it: a sentence, or nothing."""


class TooLong(ModelError):
    """The conversation no longer fits; with less of it, the same call may work."""


class NoTools(ModelError):
    """Ask again without tools, and say in the prompt how to write edits as text."""
