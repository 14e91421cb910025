"""From whole new texts to the smallest edit of whole lines. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lsprotocol import types as lsp

from untilgreen.errors import WorkspaceError
from untilgreen.lsp.capabilities import Capabilities
from untilgreen.lsp.lines import Encoding, newline_of, split_lines, width
from untilgreen.shifting import changed_lines


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What one file is now, and what it shall be."""

    uri: str
    before: str | None
    """None: there is no such file."""
    after: str | None
    """None: it shall go."""
    version: int | None = None
    """Of the open document; None when it is not open."""


def workspace_edit(files: Iterable[FileEdit], can: Capabilities, encoding: Encoding) -> lsp.WorkspaceEdit:
    """One edit for all files: texts first, then new files, then deletions, which editors undo least well."""
    changed, created, deleted = [], [], []
    for file in files:
        if file.after is None:
            deleted.append(file)
        elif file.before is None:
            created.append(file)
        else:
            changed.append(file)
    if (created and not can.create_files) or (deleted and not can.delete_files):
        raise WorkspaceError(
            "This editor cannot create or delete files through an edit. "
            "`untilgreen solve --apply` in a terminal can write the same fix."
        )
    if not can.document_changes:
        return lsp.WorkspaceEdit(changes={file.uri: _edits_of(file, can, encoding) for file in changed})
    operations: list[lsp.TextDocumentEdit | lsp.CreateFile | lsp.RenameFile | lsp.DeleteFile] = []
    operations += [_document_edit(file, can, encoding) for file in changed]
    for file in created:
        # Without ignore_if_exists Neovim truncates a file that appeared in the meantime.
        options = lsp.CreateFileOptions(ignore_if_exists=True)
        operations += [lsp.CreateFile(uri=file.uri, options=options), _document_edit(file, can, encoding)]
    operations += [lsp.DeleteFile(uri=file.uri) for file in deleted]
    return lsp.WorkspaceEdit(document_changes=operations)


def text_edits(before: str, after: str, encoding: Encoding, newline: str = "\n") -> list[lsp.TextEdit]:
    """The smallest edits of whole lines. Line ends alone make no difference: the document keeps its own."""
    old, new = split_lines(before), split_lines(after)
    return [
        _replace(old, start, end, new[new_start:new_end], encoding, newline)
        for start, end, new_start, new_end in _differences(old, new)
    ]


def _differences(old: list[str], new: list[str]) -> list[tuple[int, int, int, int]]:
    """Which lines give way to which, with at least one common line between any two places."""
    found = changed_lines(old, new)
    if found is None:
        # Too much to look for what is alike in it.
        return [(0, len(old), 0, len(new))]
    if found:
        start, end, first, last = found[-1]
        # The last line has no line end of its own: it comes and goes together with the line before it.
        if end == len(old) and (start == end or first == last):
            found[-1] = (start - 1, end, first - 1, last)
    if len(found) > 1 and found[-2][1] == found[-1][0]:
        found[-2:] = [(found[-2][0], found[-1][1], found[-2][2], found[-1][3])]
    return found


def _replace(
    old: list[str], start: int, end: int, new: list[str], encoding: Encoding, newline: str
) -> lsp.TextEdit:
    """Let the lines from start up to end give way to the new ones."""
    if end < len(old):
        return _edit((start, 0), (end, 0), "".join(line + newline for line in new))
    return _edit((start, 0), (end - 1, width(old[-1], encoding)), newline.join(new))


def _edit(start: tuple[int, int], end: tuple[int, int], text: str) -> lsp.TextEdit:
    return lsp.TextEdit(range=lsp.Range(start=lsp.Position(*start), end=lsp.Position(*end)), new_text=text)


def _edits_of(file: FileEdit, can: Capabilities, encoding: Encoding) -> list[lsp.TextEdit]:
    before, after = file.before or "", file.after or ""
    # An editor that normalises line ends wants plain ones; another gets those of the document.
    newline = "\n" if can.normalizes_line_endings else newline_of(before)
    if not before and can.empty_has_line_end:
        after = after.removesuffix("\n").removesuffix("\r")
    return text_edits(before, after, encoding, newline)


def _document_edit(file: FileEdit, can: Capabilities, encoding: Encoding) -> lsp.TextDocumentEdit:
    # Neovim asks whether the buffer is newer than a version above 0; its first change makes it 3 or more.
    version = 1 if file.version == 0 and can.zero_is_no_version else file.version
    return lsp.TextDocumentEdit(
        text_document=lsp.OptionalVersionedTextDocumentIdentifier(uri=file.uri, version=version),
        edits=_edits_of(file, can, encoding),
    )
