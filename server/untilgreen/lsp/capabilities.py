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
    empty_has_line_end: bool = False
    """An empty document holds a line end already, which stays behind the text that is put into it."""
    zero_is_no_version: bool = False
    """A document that is opened as version 0 is not looked at before it is edited."""
    refuses_stale_edits: bool = True
    """An edit of several documents that we send is refused when any of them is newer, not only the first: our
    plugin looks where its editor does not."""
    edit_metadata: bool = False
    """The editor may save files it had to open for an edit."""
    work_done_progress: bool = False
    code_action_literals: bool = False
    """Code actions as objects; older editors know only commands."""
    related_information: bool = False
    action_tags: bool = False
    """Code actions may say that a model wrote them."""
    action_edits: bool = False
    """Code actions may carry an edit and a command after it."""
    code_lens_refresh: bool = False
    markdown: bool = False
    show_document: bool = False
    virtual_documents: bool = False
    """The editor asks us for the text of `untilgreen:` documents."""
    configuration: bool = False
    """The editor can be asked for settings."""
    configuration_registration: bool = False
    """It tells of changed settings when asked to."""
    sync_registration: bool = False
    """It tells of more documents than those in Python when asked to."""
    watched_files: bool = False
    """It tells of files that change on disk when asked to."""
    events: bool = False
    """The editor wants `untilgreen/event` and `untilgreen/status`."""
    save: bool = False
    """The editor saves documents when asked by `untilgreen/save`."""
    test_explorer: bool = False
    server_status: bool = False


def resolve(client: lsp.ClientCapabilities, info: lsp.ClientInfo | None = None) -> Capabilities:
    """Read the capabilities an editor sent, and its name for what no capability tells."""
    workspace = client.workspace or lsp.WorkspaceClientCapabilities()
    document = client.text_document or lsp.TextDocumentClientCapabilities()
    window = client.window or lsp.WindowClientCapabilities()
    edit = workspace.workspace_edit or lsp.WorkspaceEditClientCapabilities()
    operations = edit.resource_operations or ()
    action = document.code_action or lsp.CodeActionClientCapabilities()
    published = document.publish_diagnostics or lsp.PublishDiagnosticsClientCapabilities()
    lens = workspace.code_lens or lsp.CodeLensWorkspaceClientCapabilities()
    hover = document.hover or lsp.HoverClientCapabilities()
    changed = workspace.did_change_configuration or lsp.DidChangeConfigurationClientCapabilities()
    sync = document.synchronization or lsp.TextDocumentSyncClientCapabilities()
    watched = workspace.did_change_watched_files or lsp.DidChangeWatchedFilesClientCapabilities()
    tags = action.tag_support.value_set if action.tag_support is not None else ()
    experimental = client.experimental if isinstance(client.experimental, dict) else {}
    own = experimental.get("untilgreen", {})
    # `true` means everything that is ours.
    asked = own if isinstance(own, dict) else dict.fromkeys(("events", "save"), own is True)
    is_neovim = info is not None and info.name == "Neovim"
    return Capabilities(
        apply_edit=bool(workspace.apply_edit),
        # Neovim applies document changes but advertises only resource operations.
        document_changes=bool(edit.document_changes or operations),
        create_files=lsp.ResourceOperationKind.Create in operations,
        delete_files=lsp.ResourceOperationKind.Delete in operations,
        normalizes_line_endings=bool(edit.normalizes_line_endings),
        empty_has_line_end=is_neovim,
        zero_is_no_version=is_neovim,
        refuses_stale_edits=not is_neovim or bool(asked.get("save")),
        edit_metadata=bool(edit.metadata_support),
        work_done_progress=bool(window.work_done_progress),
        code_action_literals=action.code_action_literal_support is not None,
        related_information=bool(published.related_information),
        action_tags=lsp.CodeActionTag.LlmGenerated in tags,
        action_edits=action.code_action_literal_support is not None,
        code_lens_refresh=bool(lens.refresh_support),
        markdown=lsp.MarkupKind.Markdown in (hover.content_format or ()),
        show_document=bool(window.show_document and window.show_document.support),
        virtual_documents=workspace.text_document_content is not None,
        configuration=bool(workspace.configuration),
        configuration_registration=bool(changed.dynamic_registration),
        sync_registration=bool(sync.dynamic_registration),
        watched_files=bool(watched.dynamic_registration),
        events=bool(asked.get("events")),
        save=bool(asked.get("save")),
        test_explorer=bool(experimental.get("testExplorer")),
        server_status=bool(experimental.get("serverStatusNotification")),
    )
