"""What the light bulb offers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lsprotocol import types as lsp

from untilgreen.lsp import ext
from untilgreen.lsp.diagnostics import SOURCE
from untilgreen.lsp.places import place_at
from untilgreen.lsp.words import name_of

QUICK_FIX = "quickfix.untilgreen"
WHOLE_FILE = "source.untilgreen"
KINDS = (QUICK_FIX, WHOLE_FILE)


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the cursor is."""

    uri: str
    path: str
    """Relative to the workspace folder."""
    text: str
    range: lsp.Range
    has_tests: bool


def code_actions(spot: Spot, context: lsp.CodeActionContext) -> list[lsp.CodeAction]:
    """Each carries a command and no edit: a solve takes longer than a menu is open."""
    actions = _for_diagnostics(spot, context.diagnostics)
    offered = {action.title for action in actions}
    here = place_at(spot.text, spot.range.start.line + 1, spot.range.end.line + 1) if spot.has_tests else None
    if here is not None:
        action = _solve(spot, f"{spot.path}::{here.name}", QUICK_FIX)
        # A parametrised test has a diagnostic for each case, and each case is an offer of its own.
        actions += [action] if action.title not in offered else []
    if spot.has_tests:
        actions.append(_solve(spot, spot.path, WHOLE_FILE, title="Solve until green: this file"))
    else:
        actions.append(_solve(spot, None, WHOLE_FILE, title="Solve until green: all tests"))
    run = _command("Run tests in the sandbox", ext.TEST, {"uri": spot.uri, "tests": []})
    actions.append(lsp.CodeAction(title=run.title, kind=WHOLE_FILE, command=run))
    return [action for action in actions if _wanted(str(action.kind), context.only)]


def _for_diagnostics(spot: Spot, diagnostics: Sequence[lsp.Diagnostic]) -> list[lsp.CodeAction]:
    found: dict[str, lsp.CodeAction] = {}
    for diagnostic in diagnostics:
        # Some editors do not send the data back; the code says the same.
        if diagnostic.source == SOURCE and isinstance(diagnostic.code, str):
            found[diagnostic.code] = _solve(spot, diagnostic.code, QUICK_FIX, diagnostic)
    return list(found.values())


def _solve(
    spot: Spot, test: str | None, kind: str, diagnostic: lsp.Diagnostic | None = None, title: str = ""
) -> lsp.CodeAction:
    tests = [test] if test is not None else []
    command = _command(
        title or f"Solve until green: {name_of(test or '')}", ext.SOLVE, {"uri": spot.uri, "tests": tests}
    )
    return lsp.CodeAction(
        title=command.title,
        kind=kind,
        diagnostics=[diagnostic] if diagnostic is not None else None,
        command=command,
    )


def _command(title: str, name: str, arguments: dict[str, object]) -> lsp.Command:
    return lsp.Command(title=title, command=name, arguments=[arguments])


def _wanted(kind: str, only: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Kinds are hierarchical: who asks for `source` also gets `source.untilgreen`."""
    if not only:
        return True
    asked = [str(item.value if isinstance(item, lsp.CodeActionKind) else item) for item in only]
    return any(prefix in ("", kind) or kind.startswith(f"{prefix}.") for prefix in asked)
