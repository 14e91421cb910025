"""What the editor shows of a run is where it belongs, and is gone exactly when it is stale."""

from __future__ import annotations

import asyncio
import shutil
import time
from pathlib import Path

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types as lsp
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from unit.lsp_rig import Rig
from untilgreen.lsp.drift import drift
from untilgreen.lsp.folders import uri_of
from untilgreen.lsp.handlers import on_code_action, on_hover
from untilgreen.lsp.lines import split_lines
from untilgreen.lsp.marks import Ran
from untilgreen.lsp.registration import hear_of_disk
from untilgreen.model import Finding, Goal
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

TESTS = "def test_a():\n    assert 1 == 2\n\n\ndef test_b():\n    assert helper() == 2\n"
CODE = "def helper():\n    return 1 / 0\n"


@pytest.fixture
async def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    literals = lsp.ClientCodeActionLiteralOptions(lsp.ClientCodeActionKindOptions(["quickfix"]))
    action = lsp.CodeActionClientCapabilities(code_action_literal_support=literals)
    shown = lsp.TextDocumentClientCapabilities(code_action=action)
    return Rig(tmp_path / "work", tmp_path / "work" / "inner", text_document=shown)


def failed(test: str, *frames: tuple[str, int]) -> CaseResult:
    where = tuple(Frame(path, line, "f", "") for path, line in frames)
    return CaseResult(test, "failed", 0.1, test.partition("::")[0], 1, Failure("E", "", frames=where))


A = failed("test_x.py::test_a", ("test_x.py", 2))
B = failed("test_x.py::test_b", ("test_x.py", 6), ("code.py", 2))
RAN = Ran({"test_x.py": TESTS, "code.py": CODE})


def report(*cases: CaseResult) -> Report:
    return Report("finished", cases)


async def test_a_mark_moves_along_with_its_line(rig: Rig) -> None:
    rig.open("test_x.py", TESTS)
    rig.server.publisher.publish(Goal(rig.root), report(A, B), RAN)
    assert rig.marks(rig.root / "test_x.py") == [("test_x.py::test_a", 1), ("test_x.py::test_b", 5)]
    typed = "# one\n# two\n# three\n# four\n" + TESTS
    rig.type("test_x.py", typed)
    assert [mark.code for mark in rig.server.publisher.at(rig.root / "test_x.py", 5, 5)] == [A.id]
    assert rig.server.publisher.at(rig.root / "test_x.py", 1, 1) == []
    # A run about one of them sends the other again.
    again = failed("test_x.py::test_b", ("test_x.py", 10))
    goal = Goal(rig.root, ("test_x.py::test_b",))
    rig.server.publisher.publish(goal, report(again), Ran({"test_x.py": typed}))
    assert rig.marks(rig.root / "test_x.py") == [("test_x.py::test_a", 5), ("test_x.py::test_b", 9)]
    assert rig.sent("textDocument/publishDiagnostics")[-1]["params"]["version"] == 2


async def test_many_failures_in_many_files_are_looked_up_one_by_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The editor waits for it: what each costs must not grow with the number of files."""
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    related = lsp.PublishDiagnosticsClientCapabilities(related_information=True)
    shown = lsp.TextDocumentClientCapabilities(publish_diagnostics=related)
    rig = Rig(tmp_path / "work", text_document=shown)
    names = [f"test_{number}.py" for number in range(40)]
    cases = [failed(f"{name}::test_{n}", (name, 2), ("code.py", 2)) for name in names for n in range(5)]
    rig.open("code.py", "# one\n" + CODE)
    looked_up = 0
    uri = rig.server.documents.uri

    def counted(path: Path) -> str:
        nonlocal looked_up
        looked_up += 1
        return uri(path)

    monkeypatch.setattr(rig.server.documents, "uri", counted)
    rig.server.publisher.publish(
        Goal(rig.root), report(*cases), Ran(dict.fromkeys(names, TESTS) | {"code.py": CODE})
    )
    assert looked_up <= 2 * len(cases)
    [told] = [
        m["params"]
        for m in rig.sent("textDocument/publishDiagnostics")
        if m["params"]["uri"].endswith("_7.py")
    ]
    [there] = told["diagnostics"][0]["relatedInformation"]
    assert there["location"]["range"]["start"]["line"] == 2, "it moved along with its line"


async def test_a_line_that_was_edited_keeps_its_mark_and_its_width(rig: Rig) -> None:
    rig.open("test_x.py", TESTS)
    rig.type("test_x.py", "# one\n" + TESTS.replace("1 == 2", "1 == 2, 'more'"))
    rig.server.publisher.publish(Goal(rig.root), report(A), RAN)
    [mark] = rig.server.publisher.at(rig.root / "test_x.py", 2, 2)
    assert (mark.range.start.character, mark.range.end.character) == (4, 25)


async def test_a_test_that_was_deleted_takes_its_marks_along(rig: Rig) -> None:
    rig.open("test_x.py", TESTS)
    rig.server.publisher.publish(Goal(rig.root), report(A, B), RAN)
    assert rig.marks(rig.root / "code.py") == [(B.id, 1)]
    rig.type("test_x.py", TESTS + "\ndef test_(")
    assert len(rig.marks(rig.root / "test_x.py")) == 2, "in the middle of typing nothing is gone"
    rig.type("test_x.py", TESTS[: TESTS.index("def test_b")])
    assert rig.marks(rig.root / "test_x.py") == [(A.id, 1)]
    assert rig.marks(rig.root / "code.py") == []


async def test_what_was_seen_of_text_that_was_thrown_away_is_gone(rig: Rig) -> None:
    (rig.root / "code.py").write_text(CODE)
    rig.open("code.py", CODE)
    rig.open("test_x.py", TESTS)
    rig.type("code.py", CODE + "# more\n")
    goal, unsaved = Goal(rig.root), ("code.py",)
    rig.server.results.add(goal, report(B), 0, unsaved)
    rig.server.publisher.publish(goal, report(B), Ran(RAN.texts, unsaved))
    rig.close("code.py")
    assert rig.marks(rig.root / "test_x.py") == rig.marks(rig.root / "code.py") == []
    assert rig.server.results.of(rig.root, B.id) == []

    # What was saved after all is as true as before.
    rig.open("code.py", CODE)
    rig.type("code.py", CODE + "# more\n")
    rig.server.publisher.publish(goal, report(B), Ran(RAN.texts, unsaved))
    (rig.root / "code.py").write_text(CODE + "# more\n")
    rig.save("code.py")
    rig.close("code.py")
    assert rig.marks(rig.root / "test_x.py") == [(B.id, 5)]


async def test_a_folder_in_another_one_keeps_its_marks(rig: Rig) -> None:
    inner, file = rig.root / "inner", rig.root / "inner" / "test_x.py"
    rig.server.publisher.publish(Goal(inner), report(A), RAN)
    outer = failed("inner/test_x.py::test_b", ("inner/test_x.py", 6))
    one = Goal(rig.root, ("inner/test_x.py::test_b",))
    rig.server.publisher.publish(one, report(outer), Ran({"inner/test_x.py": TESTS}))
    assert sorted(rig.marks(file)) == [("inner/test_x.py::test_b", 5), ("test_x.py::test_a", 1)]
    # Who runs them all from outside says the last word, and nothing is shown twice.
    rig.server.publisher.publish(Goal(rig.root), report(outer), Ran({"inner/test_x.py": TESTS}))
    assert rig.marks(file) == [("inner/test_x.py::test_b", 5)]
    rig.server.publisher.publish(Goal(inner), report(CaseResult("test_x.py::test_b", "passed")), RAN)
    assert rig.marks(file) == []


@pytest.mark.parametrize("sends_data", [True, False])
async def test_a_test_that_was_run_from_the_folder_around_is_solved_and_told_of_there(
    rig: Rig, sends_data: bool
) -> None:
    rig.open("inner/test_x.py", TESTS)
    outer = failed("inner/test_x.py::test_b", ("inner/test_x.py", 6))
    goal, uri = Goal(rig.root), uri_of(rig.root / "inner" / "test_x.py")
    rig.server.results.add(goal, report(outer), 0)
    rig.server.publisher.publish(goal, report(outer), Ran({"inner/test_x.py": TESTS}))
    [shown] = rig.server.publisher.at(rig.root / "inner" / "test_x.py", 5, 5)
    here = lsp.Range(lsp.Position(5, 0), lsp.Position(5, 0))
    document = lsp.TextDocumentIdentifier(uri)
    sent = attrs.evolve(shown, data=shown.data if sends_data else None)
    params = lsp.CodeActionParams(document, here, lsp.CodeActionContext([sent]))
    offered = await on_code_action(rig.server, params)
    [solve] = [action for action in offered if "(test_b)" in action.title]
    assert isinstance(solve, lsp.CodeAction) and solve.command is not None
    assert solve.command.arguments == [{"uri": uri_of(rig.root), "tests": [outer.id]}]
    assert rig.server.documents.root_of(rig.root) == rig.root, "so it is this folder that it begins in"
    hover = on_hover(rig.server, lsp.HoverParams(document, lsp.Position(5, 0)))
    assert hover is not None and "test_b" in str(hover.contents)


def on_disk(rig: Rig, path: str, kind: lsp.FileChangeType) -> None:
    params = lsp.DidChangeWatchedFilesParams([lsp.FileEvent(uri_of(rig.root / path), kind)])
    rig.receive(lsp.DidChangeWatchedFilesNotification(params))


DEEP = failed("test_x.py::test_b", ("test_x.py", 6), ("shop/deep/code.py", 2))


@pytest.mark.parametrize("told_of", ["shop/deep/code.py", "shop", ""])
async def test_marks_of_code_that_is_not_open_go_with_its_file(rig: Rig, told_of: str) -> None:
    """Told by the file's name, by that of a folder that was removed, or by nobody: then at the next save."""
    code = rig.root / "shop/deep/code.py"
    code.parent.mkdir(parents=True)
    code.write_text(CODE)
    (rig.root / "test_x.py").write_text(TESTS)
    rig.open("test_x.py", TESTS)
    ran = Ran({"test_x.py": TESTS, "shop/deep/code.py": CODE})
    rig.server.publisher.publish(Goal(rig.root), report(A, DEEP), ran)
    on_disk(rig, "shop/deep/code.py", lsp.FileChangeType.Changed)
    rig.save("test_x.py")
    assert rig.marks(code) == [(DEEP.id, 1)], "it is there"
    shutil.rmtree(rig.root / "shop")
    if told_of:
        on_disk(rig, told_of, lsp.FileChangeType.Deleted)
    else:
        rig.save("test_x.py")
    assert rig.marks(code) == []
    assert len(rig.marks(rig.root / "test_x.py")) == 2, "the tests still fail, for all that is known"


async def test_a_finding_in_a_closed_file_goes_with_its_line(rig: Rig) -> None:
    text = "import os\nos.system('true')\n"
    (rig.root / "code.py").write_text(text)
    finding = Finding("code.py", 2, "subprocess", "it starts another program")
    rig.server.publisher.show_findings(rig.root, (finding,), Ran({"code.py": text}))
    (rig.root / "code.py").write_text("import os\n")
    on_disk(rig, "code.py", lsp.FileChangeType.Changed)
    assert rig.marks(rig.root / "code.py") == []


async def test_code_on_disk_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    rig = Rig(tmp_path / "work")
    rig.server.can = type(rig.server.can)(watched_files=True)
    asking = asyncio.ensure_future(hear_of_disk(rig.server))
    asked = await rig.answered(
        "client/registerCapability", lambda request_id: JsonRPCResponseMessage(request_id, "2.0", None)
    )
    await asking
    [wanted] = asked["registrations"]
    assert wanted["registerOptions"]["watchers"] == [
        {"globPattern": "**/*.py"},
        {"globPattern": "**/*", "kind": lsp.WatchKind.Delete.value},
    ]


async def test_a_finding_goes_with_its_line(rig: Rig) -> None:
    text = "import os\nx = 1\nos.system('true')\n"
    rig.open("code.py", text)
    finding = Finding("code.py", 3, "subprocess", "it starts another program")
    rig.server.publisher.show_findings(rig.root, (finding,), Ran({"code.py": text}))
    rig.type("code.py", "# more\n" + text, 2)
    assert len(rig.marks(rig.root / "code.py")) == 1
    rig.type("code.py", "import os\nx = 1\n", 3)
    assert rig.marks(rig.root / "code.py") == []


LINES = st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=10).map("\n".join)


@given(LINES, LINES)
def test_a_line_that_is_the_same_is_the_same(before: str, now: str) -> None:
    old, new = split_lines(before), split_lines(now)
    where = [drift(before, now).line(number) for number in range(len(old))]
    assert all(0 <= line < len(new) for line, _ in where)
    kept = [(number, line) for number, (line, same) in enumerate(where) if same]
    assert all(old[number] == new[line] for number, line in kept)
    assert [line for _, line in kept] == sorted({line for _, line in kept}), "no two in one place"


def test_lines_that_are_all_alike_keep_nobody_waiting() -> None:
    """It is asked on every key, so it must not compare each of them with each."""
    rows = "    0,\n" * 3900
    began = time.process_time()
    assert drift(f"[\n{rows}]\n", f"(\n{rows})\n").line(2000)[0] == 2000
    assert time.process_time() - began < 0.5
    # Where others are between them, those say where each is.
    some = "".join(f"# {number}\n" + "    0,\n" * 9 for number in range(390))
    moved = drift(f"[\n{some}]\n", f"# more\n(\n{some})\n")
    assert moved.line(2005) == (2006, True)
