"""What a write is about to do, kept on disk while it does it: an interrupted one can be taken back whole."""

from __future__ import annotations

import base64
import contextlib
import json
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from untilgreen.errors import WorkspaceChanged, WorkspaceError
from untilgreen.workspace import open_file
from untilgreen_sandbox.owner import Owner, is_gone, this_process


@dataclass(frozen=True, slots=True)
class FileIntent:
    """One file before and after; None means that there is no such file."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int
    """Of the file before, and of the file after it."""
    temporary: str
    """Where the new bytes lie until they take their place, beside the file."""
    exact: bool = True
    """Whether the umask has no say in the mode of the file after it."""


@dataclass(frozen=True, slots=True)
class Intent:
    """All files of one write. Either all of them become new, or all stay as they were."""

    root: Path
    files: tuple[FileIntent, ...]
    folders: tuple[str, ...]
    """The folders it creates, outermost first."""

    def carry_out(self) -> None:
        """Write beside, look once more whether a file changed, then let each take its place."""
        for folder in self.folders:
            (self.root / folder).mkdir(exist_ok=True)
        for file in self.files:
            if file.after is not None:
                _write_new(self.root / file.temporary, file.after, file.mode, exact=file.exact)
        for file in self.files:
            target = locate(self.root, file.path)
            if content_of(target) != file.before:
                raise changed([file.path])
            if file.after is None:
                target.unlink()
            else:
                _take_place(self.root / file.temporary, target)
        _sync_folders({(self.root / file.path).parent for file in self.files})

    def roll_back(self) -> tuple[str, ...]:
        """Bring back every file that still holds our bytes; returns the paths that somebody else changed."""
        edited = []
        for file in reversed(self.files):
            try:
                temporary, target = locate(self.root, file.temporary), locate(self.root, file.path)
            except WorkspaceError:
                edited.append(file.path)
                continue
            temporary.unlink(missing_ok=True)
            current = content_of(target)
            if current == file.before:
                continue
            if current != file.after:
                edited.append(file.path)
            elif file.before is None:
                target.unlink()
            else:
                _write_new(temporary, file.before, file.mode, exact=True)
                _take_place(temporary, target)
        for folder in reversed(self.folders):
            # A folder in which somebody else has put something stays.
            with contextlib.suppress(OSError):
                (self.root / folder).rmdir()
        _sync_folders({(self.root / file.path).parent for file in self.files})
        return tuple(reversed(edited))

    def save(self, intents: Path) -> Path:
        """Put it on disk under this process's name; the path is to be removed when all is done."""
        intents.mkdir(mode=0o700, parents=True, exist_ok=True)
        record = intents / f"{this_process().text()}.{secrets.token_hex(4)}.json"
        files = [
            [file.path, _text(file.before), _text(file.after), file.mode, file.temporary, file.exact]
            for file in self.files
        ]
        value = {"v": 1, "root": str(self.root), "folders": self.folders, "files": files}
        write_atomic(record, json.dumps(value).encode())
        return record

    @classmethod
    def load(cls, record: Path) -> Intent:
        """ValueError when this is not what `save` wrote."""
        try:
            value: dict[str, Any] = json.loads(record.read_bytes())
            files = tuple(
                FileIntent(path, _bytes(before), _bytes(after), mode, temporary, exact)
                for path, before, after, mode, temporary, exact in value["files"]
            )
            return cls(Path(value["root"]), files, tuple(value["folders"]))
        except (KeyError, TypeError) as error:
            raise ValueError(f"not an intent: {record}") from error


def recover(intents: Path) -> tuple[str, ...]:
    """Take back every write whose process died in the middle; one sentence for each thing to know."""
    told: list[str] = []
    for record in sorted(intents.glob("*")):
        owner = Owner.parse(record.name.rsplit(".", 2)[0])
        if owner is None or not is_gone(owner):
            continue
        if record.suffix == ".json":
            told += _recover_one(record)
        record.unlink(missing_ok=True)
    return tuple(told)


def _recover_one(record: Path) -> list[str]:
    try:
        intent = Intent.load(record)
        if not intent.root.is_dir():
            return [f"A write into {intent.root} was interrupted, and the folder is gone."]
        edited = intent.roll_back()
    except ValueError:
        return [f"{record} cannot be read; if a write was interrupted, its files are as it left them."]
    names = ", ".join(file.path for file in intent.files if file.path not in edited)
    told = [f"A write into {intent.root} was interrupted and taken back: {names}."] if names else []
    return told + [
        f"{intent.root / path} was changed after an interrupted write and was left as it is."
        for path in edited
    ]


def locate(root: Path, path: str) -> Path:
    """The file of a workspace path; WorkspaceError when it leads out, goes through a link or is no file."""
    parts = path.split("/")
    strange = "\0" in path or (os.name == "nt" and ("\\" in path or ":" in path))
    if strange or not {"", ".", ".."}.isdisjoint(parts):
        raise WorkspaceError(f"{path!r} is not a path inside the workspace.")
    place = root
    for part in parts:
        inner = place != root
        if inner and place.exists() and not place.is_dir():
            raise WorkspaceError(f"{path} cannot be written: {place} is not a folder.")
        place = place / part
        if place.is_symlink():
            raise WorkspaceError(f"{path} cannot be written: {place} is a link. Name the file behind it.")
    if place.exists() and not place.is_file():
        raise WorkspaceError(f"{path} cannot be written: it is not a file.")
    return place


def changed(paths: Sequence[str]) -> WorkspaceChanged:
    """The refusal to write over somebody's edits."""
    return WorkspaceChanged(f"{', '.join(paths)} changed meanwhile. Your version stays; nothing was written.")


def content_of(target: Path) -> bytes | None:
    """The bytes of a file that `locate` gave; None when there is none."""
    try:
        with open_file(target) as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_atomic(path: Path, content: bytes) -> None:
    """The file has either its old bytes or these, whatever happens; nobody else may read it."""
    temporary = path.with_suffix(".tmp")
    temporary.unlink(missing_ok=True)
    try:
        _write_new(temporary, content, 0o600, exact=True)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folders({path.parent})


def _write_new(path: Path, content: bytes, mode: int, *, exact: bool) -> None:
    flags = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_BINARY"))
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | flags, mode)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    if exact:
        path.chmod(mode)


def _take_place(temporary: Path, target: Path) -> None:
    # Who runs as root, as in many containers, must not take a file away from its owner.
    if os.name == "posix" and os.geteuid() == 0 and target.exists():
        status = target.stat()
        os.chown(temporary, status.st_uid, status.st_gid)
    temporary.replace(target)


def _sync_folders(folders: set[Path]) -> None:
    """A rename is on the disk only when its folder is; other systems than POSIX have no such call."""
    if os.name != "posix":
        return
    for folder in folders:
        with contextlib.suppress(OSError):
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _text(content: bytes | None) -> str | None:
    return None if content is None else base64.b64encode(content).decode()


def _bytes(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text, validate=True)
