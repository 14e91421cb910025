"""What the editor can do, asked once and kept as plain booleans."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types as lsp


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Resolved client capabilities; all false before the editor has introduced itself."""

    apply_edit: bool = False
    document_changes: bool = False
    """Versioned edits of several documents in one go."""
    create_files: bool = False
    delete_files: bool = False
    normalizes_line_endings: bool = False
    edit_metadata: bool = False
    """The editor may save files it had to open for an edit."""
    work_done_progress: bool = False
    code_action_literals: bool = False
    """Code actions as objects; older editors know only commands."""
    related_information: bool = False


def resolve(client: lsp.ClientCapabilities) -> Capabilities:
    """Read the capabilities an editor sent."""
    workspace = client.workspace or lsp.WorkspaceClientCapabilities()
    document = client.text_document or lsp.TextDocumentClientCapabilities()
    window = client.window or lsp.WindowClientCapabilities()
    edit = workspace.workspace_edit or lsp.WorkspaceEditClientCapabilities()
    operations = edit.resource_operations or ()
    action = document.code_action or lsp.CodeActionClientCapabilities()
    published = document.publish_diagnostics or lsp.PublishDiagnosticsClientCapabilities()
    return Capabilities(
        apply_edit=bool(workspace.apply_edit),
        # Neovim applies document changes but advertises only resource operations.
        document_changes=bool(edit.document_changes or operations),
        create_files=lsp.ResourceOperationKind.Create in operations,
        delete_files=lsp.ResourceOperationKind.Delete in operations,
        normalizes_line_endings=bool(edit.normalizes_line_endings),
        edit_metadata=bool(edit.metadata_support),
        work_done_progress=bool(window.work_done_progress),
        code_action_literals=action.code_action_literal_support is not None,
        related_information=bool(published.related_information),
    )
