"""The editor's door. The only room that knows the language server protocol."""
