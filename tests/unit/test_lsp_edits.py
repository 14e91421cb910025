"""The law of edits: applied by an editor, they give the text that was meant."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp

from untilgreen.errors import WorkspaceError
from untilgreen.lsp.capabilities import Capabilities, resolve
from untilgreen.lsp.edits import FileEdit, text_edits, workspace_edit
from untilgreen.lsp.lines import Encoding

MODERN = Capabilities(
    document_changes=True, create_files=True, delete_files=True, normalizes_line_endings=True
)
ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]
WORDS = st.sampled_from(
    [
        "",
        "a",
        "b = 1",
        "    return",
        "\t",
        "\x0c",
        "a\x0cb",
        "\u2028",
        "x\u2028y",
        "\x85",
        "é",
        "😀",
        "😀é = 1",
        "\ufeff",
    ]
)


def texts(newlines: list[str]) -> st.SearchStrategy[str]:
    words = WORDS | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=6)
    line = st.tuples(words, st.sampled_from(newlines)).map("".join)
    return st.tuples(st.lists(line, max_size=8).map("".join), words).map("".join)


OPERATIONS = [lsp.ResourceOperationKind.Create, lsp.ResourceOperationKind.Delete]


class Buffer:
    """An editor's buffer, written from the specification and not from our code: lines and one line end."""

    def __init__(self, text: str) -> None:
        self.eol = "\r\n" if "\r\n" in text else "\n"
        self.lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    @property
    def text(self) -> str:
        return self.eol.join(self.lines)

    def apply(self, edits: list[lsp.TextEdit], encoding: Encoding) -> None:
        joined = "\n".join(self.lines)
        spans = sorted(
            (self._offset(e.range.start, encoding), self._offset(e.range.end, encoding), e.new_text)
            for e in edits
        )
        for (_, end, _), (start, _, _) in itertools.pairwise(spans):
            assert end < start, "edits touch, and an editor may take them in any order"
        for start, end, new in reversed(spans):
            joined = joined[:start] + new.replace("\r\n", "\n").replace("\r", "\n") + joined[end:]
        self.lines = joined.split("\n")

    def _offset(self, position: lsp.Position, encoding: Encoding) -> int:
        line = self.lines[position.line]
        for column in range(len(line) + 1):
            units = len(line[:column].encode(f"{encoding}-le" if encoding != "utf-8" else encoding))
            if units // {"utf-8": 1, "utf-16": 2, "utf-32": 4}[encoding] == position.character:
                return sum(len(before) + 1 for before in self.lines[: position.line]) + column
        raise AssertionError(f"{position} is inside a character or past the line {line!r}")


def plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(before=texts(["\n", "\r\n", "\r"]), after=texts(["\n", "\r\n", "\r"]))
def test_an_editor_gets_the_text_that_was_meant(encoding: Encoding, before: str, after: str) -> None:
    buffer = Buffer(before)
    eol = buffer.eol
    buffer.apply(text_edits(before, after, encoding), encoding)
    assert plain(buffer.text) == plain(after)
    assert buffer.text == plain(after).replace("\n", eol)


@given(before=texts(["\n"]), after=texts(["\n"]))
def test_edits_take_whole_lines(before: str, after: str) -> None:
    last = len(before.split("\n")) - 1
    for edit in text_edits(before, after, "utf-16"):
        assert edit.range.end.character == 0 or edit.range.end.line == last
        assert edit.range.start.character == 0
        assert "\r" not in edit.new_text


@given(text=texts(["\n", "\r\n"]))
def test_nothing_changes_when_only_line_ends_differ(text: str) -> None:
    assert text_edits(text, plain(text), "utf-16") == []
    assert text_edits(text, plain(text).replace("\n", "\r\n"), "utf-16") == []


def test_only_the_changed_line_is_sent() -> None:
    before = "def add(a, b):\n    return a - b\n\n\ndef one():\n    return 1\n"
    [edit] = text_edits(before, before.replace("a - b", "a + b"), "utf-16")
    assert edit == lsp.TextEdit(
        range=lsp.Range(start=lsp.Position(1, 0), end=lsp.Position(2, 0)), new_text="    return a + b\n"
    )


def test_an_editor_that_does_not_normalise_gets_the_line_ends_of_the_document() -> None:
    can = Capabilities(document_changes=True)
    edit = workspace_edit([FileEdit("file:///a.py", "a\r\nb\r\n", "a\nc\n", 3)], can, "utf-16")
    assert edit.document_changes is not None
    [change] = edit.document_changes
    assert isinstance(change, lsp.TextDocumentEdit)
    assert change.text_document.version == 3
    assert [e.new_text for e in change.edits if isinstance(e, lsp.TextEdit)] == ["c\r\n"]


def test_texts_come_first_and_deletions_last() -> None:
    files = [
        FileEdit("file:///gone.py", "x\n", None),
        FileEdit("file:///new.py", None, "y\n"),
        FileEdit("file:///old.py", "a\n", "b\n", 1),
    ]
    operations = workspace_edit(files, MODERN, "utf-8").document_changes or ()
    kinds = [type(operation).__name__ for operation in operations]
    assert kinds == ["TextDocumentEdit", "CreateFile", "TextDocumentEdit", "DeleteFile"]
    create = operations[1]
    assert isinstance(create, lsp.CreateFile)
    assert create.options == lsp.CreateFileOptions(ignore_if_exists=True)


def test_an_old_editor_gets_plain_changes() -> None:
    edit = workspace_edit([FileEdit("file:///a.py", "a\n", "b\n", 1)], Capabilities(), "utf-16")
    assert edit.document_changes is None
    assert list(edit.changes or {}) == ["file:///a.py"]


@pytest.mark.parametrize(("before", "after"), [(None, "x\n"), ("x\n", None)])
def test_an_old_editor_cannot_create_or_delete(before: str | None, after: str | None) -> None:
    with pytest.raises(WorkspaceError, match="cannot create or delete"):
        workspace_edit([FileEdit("file:///a.py", before, after)], Capabilities(), "utf-16")


def test_an_empty_document_of_neovim_brings_its_own_line_end() -> None:
    for name, sent in (("Neovim", "a\nb"), ("Visual Studio Code", "a\nb\n")):
        changes = lsp.WorkspaceEditClientCapabilities(document_changes=True, resource_operations=OPERATIONS)
        told = lsp.ClientCapabilities(workspace=lsp.WorkspaceClientCapabilities(workspace_edit=changes))
        can = resolve(told, lsp.ClientInfo(name))
        edit = workspace_edit([FileEdit("file:///new.py", None, "a\nb\n")], can, "utf-8")
        _, change = edit.document_changes or ()
        assert isinstance(change, lsp.TextDocumentEdit)
        assert [e.new_text for e in change.edits if isinstance(e, lsp.TextEdit)] == [sent]


def test_neovim_looks_at_a_document_that_it_opened_as_version_0() -> None:
    """Only versions above 0 are looked at there; every other editor compares them as they are."""
    for name, sent in (("Neovim", [1, 7, None]), ("Visual Studio Code", [0, 7, None])):
        changes = lsp.WorkspaceEditClientCapabilities(document_changes=True)
        told = lsp.ClientCapabilities(workspace=lsp.WorkspaceClientCapabilities(workspace_edit=changes))
        can = resolve(told, lsp.ClientInfo(name))
        files = [FileEdit(f"file:///{n}.py", "a\n", "b\n", version) for n, version in enumerate((0, 7, None))]
        edits = workspace_edit(files, can, "utf-8").document_changes or ()
        documents = [edit.text_document for edit in edits if isinstance(edit, lsp.TextDocumentEdit)]
        assert [document.version for document in documents] == sent
