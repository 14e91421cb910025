"""The workspace as a model sees and changes it: the snapshot, a base laid over it, and edits on top."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from untilgreen.errors import WorkspaceChanged
from untilgreen.model import FileChange, Finding, Patch
from untilgreen.solvers.agent.matching import find
from untilgreen.solvers.agent.paths import inside
from untilgreen.solvers.agent.redaction import Redaction
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.agent.requests import EditFile, WriteFile
from untilgreen.solvers.agent.source_text import SourceText, decoded, new_text
from untilgreen.solvers.agent.text_form import unfenced
from untilgreen.workspace import Snapshot, digest_of

Change = EditFile | WriteFile


@dataclass(frozen=True, slots=True)
class Edited:
    """What became of the edits of one reply."""

    paths: tuple[str, ...]


class Drafts:
    """Blocking where it reads files that it has not seen yet."""

    def __init__(
        self,
        snapshot: Snapshot,
        base: Patch,
        refuses: Callable[[Patch], tuple[Finding, ...]],
        redaction: Redaction,
    ) -> None:
        self._snapshot = snapshot
        self._refuses = refuses
        self.redaction = redaction
        self.patch = base

    def paths(self) -> tuple[str, ...]:
        """All files, those that the edits add as well."""
        gone = {path for path, change in self.patch if change.content is None}
        return tuple(sorted((self._snapshot.entries.keys() | self.patch.files.keys()) - gone))

    def text(self, path: str) -> SourceText:
        """A file as it is now; refuses what is not there, and what is no text."""
        return decoded(path, self._content(path))

    def shown(self, path: str) -> str:
        """The same without secrets, and with plain line ends; line by line where it was."""
        return self.redaction.redacted(self.text(path).plain)

    def may_change(self, path: str) -> bool:
        """Whether at least a part of it may be changed: some files hold code and tests."""
        try:
            return not self._refuses(Patch({path: FileChange(self._content(path))}))
        except Refusal:
            return False

    def apply(self, changes: Sequence[Change]) -> Edited:
        """All of these or none of them."""
        drafts = Drafts(self._snapshot, self.patch, self._refuses, self.redaction)
        paths = tuple(dict.fromkeys(drafts._change(change) for change in changes))
        if drafts.patch == self.patch:
            raise Refusal("Nothing was changed: the new text is the old text.")
        self.patch = drafts.patch
        return Edited(paths)

    def _change(self, change: Change) -> str:
        path = inside(change.path)
        self._refuse_link(path)
        there = path in self.paths()
        # What may not be touched at all is said before anything else about the edit.
        self._refuse(path, self._content(path) if there else b"")
        after = _written(path, self.text(path) if there else None, self._restored(change))
        content = after.encoded(path)
        self._refuse(path, content)
        files = dict(self.patch.files)
        entry = self._snapshot.entries.get(path)
        mode = files[path].mode if path in files else entry.mode if entry is not None else 0o644
        files[path] = FileChange(content, mode)
        if entry is not None and (entry.digest, entry.mode) == (digest_of(content), mode):
            # As the user has it: that is no change.
            del files[path]
        self.patch = Patch(files)
        return path

    def _restored(self, change: Change) -> Change:
        """With the secrets themselves where the model kept their marks."""
        restored = self.redaction.restored
        if isinstance(change, WriteFile):
            return WriteFile(change.path, restored(change.content))
        return EditFile(change.path, restored(change.old), restored(change.new))

    def _content(self, path: str) -> bytes:
        change = self.patch.files.get(path)
        if change is not None and change.content is not None:
            return change.content
        if change is not None or not self._snapshot.exists(path):
            raise Refusal(self._missing(path))
        try:
            return self._snapshot.read(path)
        except (FileNotFoundError, WorkspaceChanged) as error:
            raise Refusal(f"{path} cannot be read.") from error

    def _refuse(self, path: str, content: bytes) -> None:
        for finding in self._refuses(Patch({path: FileChange(content)})):
            raise Refusal(f"Nothing was changed: {path} may not be changed, because {finding.reason}.")

    def _refuse_link(self, path: str) -> None:
        parts = path.split("/")
        for n in range(1, len(parts) + 1):
            above = "/".join(parts[:n])
            entry = self._snapshot.entries.get(above)
            if entry is not None and entry.kind == "link":
                raise Refusal(f"Nothing was changed: {above} is a symbolic link. Edit what it leads to.")
            if entry is not None and n < len(parts):
                raise Refusal(f"Nothing was changed: {above} is a file and no folder.")

    def _missing(self, path: str) -> str:
        name = path.rsplit("/", 1)[-1]
        alike = [other for other in self.paths() if other.rsplit("/", 1)[-1] == name][:3]
        hint = (
            f" Perhaps you mean {' or '.join(alike)}."
            if alike
            else " list_files tells which files there are."
        )
        left_out = any(
            path == one or (one.endswith("/") and path.startswith(one)) for one in self._snapshot.left_out
        )
        return f"{path} is not shown here." if left_out else f"There is no file {path}.{hint}"


def _written(path: str, before: SourceText | None, change: Change) -> SourceText:
    """What the file is after one change."""
    markdown = path.endswith((".md", ".markdown", ".rst"))
    if isinstance(change, WriteFile):
        content = change.content if markdown else unfenced(change.content)
        return before.rewritten(content) if before is not None else new_text(content)
    old, new = (change.old, change.new) if markdown else (unfenced(change.old), unfenced(change.new))
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if before is None:
        if old.strip():
            raise Refusal(
                f"Nothing was changed: there is no file {path}. For a new file the old part is empty."
            )
        return new_text(new)
    if not old:
        if before.plain.strip():
            raise Refusal(f"Nothing was changed: {path} is there already. Quote the lines to replace.")
        return before.rewritten(new)
    match = find(path, before.plain, old, new)
    return before.splice(match.start, match.end, match.new)
