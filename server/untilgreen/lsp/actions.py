"""What the light bulb offers. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from lsprotocol import types as lsp

from untilgreen.lsp import ext
from untilgreen.lsp.diagnostics import FOLDER, SOURCE
from untilgreen.lsp.ext import QUICK_FIX, WHOLE_FILE
from untilgreen.lsp.places import Place, place_at, places_in
from untilgreen.lsp.words import count, name_of
from untilgreen.rules import REASONS


@dataclass(frozen=True, slots=True)
class Stub:
    """A function that somebody still has to write, and the tests that say what it should do."""

    place: Place
    tests: tuple[str, ...]
    uri: str
    """Of its file, or of the folder in which those tests have these names."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A verified fix that waits to be applied."""

    job: str
    findings: int
    written_by_model: bool
    edit: lsp.WorkspaceEdit | None
    """None when files changed since: it then has to be verified again before it is written."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the cursor is, and all that is known about it."""

    uri: str
    path: str
    """Relative to the workspace folder."""
    text: str
    range: lsp.Range
    has_tests: bool
    marks: tuple[lsp.Diagnostic, ...] = ()
    """Our own diagnostics on these lines; an editor does not send all of them back."""
    stubs: tuple[Stub, ...] = ()
    fixes: tuple[Fix, ...] = ()
    undo: str = ""
    """The uri of the folder in which the last fix can be taken back; empty: there is none."""
    running: str = ""
    """The job that runs in the folder, where the editor shows no progress that could be cancelled."""
    tags: bool = False
    """Whether the editor knows tags of code actions."""
    folder: str = ""
    """The uri of the workspace folder."""


def code_actions(spot: Spot, context: lsp.CodeActionContext) -> list[lsp.CodeAction]:
    """Solving carries a command and no edit: it takes longer than a menu is open."""
    actions = [action for fix in spot.fixes for action in _for_fix(spot, fix)]
    actions += _for_diagnostics(spot, (*context.diagnostics, *spot.marks))
    first, last = spot.range.start.line + 1, spot.range.end.line + 1
    here = place_at(places_in(spot.text), first, last) if spot.has_tests else None
    if here is not None:
        action = _solve(spot, f"{spot.path}::{here.name}", QUICK_FIX)
        # A parametrised test has a diagnostic for each case, and each case is an offer of its own.
        actions += [action] if action.title not in {other.title for other in actions} else []
    actions += [
        _implement(spot, stub) for stub in spot.stubs if stub.place.first <= last and first <= stub.place.last
    ]
    if spot.has_tests:
        actions.append(_solve(spot, spot.path, WHOLE_FILE, title="Solve until green: this file"))
    actions.append(_solve(spot, None, WHOLE_FILE, title="Solve until green: everything failing"))
    tests = [spot.path] if spot.has_tests else []
    actions.append(_carrying("Run tests in the sandbox", WHOLE_FILE, ext.TEST, spot.uri, tests=tests))
    if spot.running:
        stop = lsp.Command("Stop what is running", ext.STOP, arguments=[{"job": spot.running}])
        actions.append(lsp.CodeAction(stop.title, kind=WHOLE_FILE, command=stop))
    if spot.undo:
        actions.append(_carrying("Undo last solve", WHOLE_FILE, ext.UNDO, spot.undo))
    return [action for action in actions if _wanted(str(action.kind), context.only)]


def _for_fix(spot: Spot, fix: Fix) -> list[lsp.CodeAction]:
    title = "Apply verified fix" + (f" with {count(fix.findings, 'finding')}" if fix.findings else "")
    # The command comes after the edit, and keeps what an undo needs.
    command = lsp.Command(title, ext.APPLY, arguments=[{"job": fix.job, "taken": fix.edit is not None}])
    tags = [lsp.CodeActionTag.LlmGenerated] if fix.written_by_model and spot.tags else None
    review = lsp.Command("Review verified fix", ext.REVIEW, arguments=[{"job": fix.job}])
    return [
        lsp.CodeAction(title, kind=QUICK_FIX, edit=fix.edit, command=command, tags=tags),
        lsp.CodeAction(review.title, kind=QUICK_FIX, command=review),
    ]


def _for_diagnostics(spot: Spot, diagnostics: Sequence[lsp.Diagnostic]) -> list[lsp.CodeAction]:
    found: dict[tuple[str, str], lsp.CodeAction] = {}
    # Some editors do not send the data back; the code says the same, and our own marks say where.
    folders = {mark.code: _folder_of(mark) for mark in spot.marks}
    for diagnostic in diagnostics:
        code = diagnostic.code
        if diagnostic.source == SOURCE and isinstance(code, str) and _is_solvable(diagnostic):
            folder = _folder_of(diagnostic) or folders.get(code, "") or spot.folder
            # A test that was run in a folder around this one has its name there.
            where = spot if folder == spot.folder else replace(spot, uri=folder)
            found.setdefault((folder, code), _solve(where, code, QUICK_FIX, diagnostic))
    return list(found.values())


def _folder_of(diagnostic: lsp.Diagnostic) -> str:
    data = diagnostic.data
    return str(data.get(FOLDER, "")) if isinstance(data, dict) else ""


def _is_solvable(diagnostic: lsp.Diagnostic) -> bool:
    """What the environment makes fail, no change of the code can mend; a finding is no failure."""
    data = diagnostic.data
    kind = data.get("kind") if isinstance(data, dict) else None
    return kind in ("failure", "reached") if kind is not None else str(diagnostic.code) not in REASONS


def _implement(spot: Spot, stub: Stub) -> lsp.CodeAction:
    name = stub.place.name.replace("::", ".")
    note = f"Implement {name} in {spot.path}; it is a stub."
    title = f"Implement this stub until its tests pass: {name}"
    return _carrying(title, QUICK_FIX, ext.SOLVE, stub.uri, tests=list(stub.tests), note=note)


def _solve(
    spot: Spot, test: str | None, kind: str, diagnostic: lsp.Diagnostic | None = None, title: str = ""
) -> lsp.CodeAction:
    tests = [test] if test is not None else []
    title = title or f"Solve until green: this test ({name_of(test or '')})"
    action = _carrying(title, kind, ext.SOLVE, spot.uri, tests=tests)
    action.diagnostics = [diagnostic] if diagnostic is not None else None
    return action


def _carrying(title: str, kind: str, command: str, uri: str, **arguments: object) -> lsp.CodeAction:
    return lsp.CodeAction(
        title=title, kind=kind, command=lsp.Command(title, command, arguments=[{"uri": uri, **arguments}])
    )


def _wanted(kind: str, only: Sequence[lsp.CodeActionKind | str] | None) -> bool:
    """Kinds are hierarchical: who asks for `source` also gets `source.untilgreen`."""
    if not only:
        return True
    asked = [str(item.value if isinstance(item, lsp.CodeActionKind) else item) for item in only]
    return any(prefix in ("", kind) or kind.startswith(f"{prefix}.") for prefix in asked)
