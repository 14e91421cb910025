"""Reports become diagnostics at the right place."""

from __future__ import annotations

import dataclasses

from lsprotocol import types as lsp

from untilgreen.lsp.diagnostics import Page, diagnostics_of, findings_of
from untilgreen.lsp.lines import Encoding
from untilgreen.model import Finding
from untilgreen_sandbox.report import CaseResult, Failure, Frame, Report

TEST_FILE = "import calc\n\n\ndef test_add():\n    total = calc.add(1, 2)\n    assert total == 3  # 😀\n"
SOURCE_FILE = "def add(a, b):\n    return check(a - b)\n"


def page(encoding: Encoding = "utf-16", related: bool = True) -> Page:
    texts = {"test_calc.py": TEST_FILE, "calc.py": SOURCE_FILE}
    return Page(lambda path: texts.get(path, ""), lambda path: f"file:///w/{path}", encoding, related)


def failing(*frames: Frame, expected: str | None = None, actual: str | None = None) -> Report:
    failure = Failure("AssertionError", "assert -1 == 3", expected, actual, frames)
    case = CaseResult("test_calc.py::test_add", "failed", 0.1, "test_calc.py", 4, failure)
    return Report("finished", (case,), (case.id,))


def test_a_failing_test_is_marked_at_its_assertion() -> None:
    report = failing(Frame("test_calc.py", 6, "test_add", "assert total == 3"), expected="3", actual="-1")
    [diagnostic] = diagnostics_of(report, page())["test_calc.py"]
    assert diagnostic.range == lsp.Range(start=lsp.Position(5, 4), end=lsp.Position(5, 27))
    assert diagnostic.message == "test_add: AssertionError: assert -1 == 3\nexpected: 3\nactual:   -1"
    assert diagnostic.code == "test_calc.py::test_add"
    assert diagnostic.data == {"test": "test_calc.py::test_add", "kind": "failure"}
    assert diagnostic.source == "untilgreen"
    assert diagnostic.severity == lsp.DiagnosticSeverity.Error


def test_columns_are_counted_in_the_editors_units() -> None:
    report = failing(Frame("test_calc.py", 6, "test_add", ""))
    ends = [
        diagnostics_of(report, page(encoding))["test_calc.py"][0].range.end.character
        for encoding in ("utf-8", "utf-16", "utf-32")
    ]
    assert ends == [29, 27, 26]


def test_deeper_frames_are_related_information() -> None:
    frames = (
        Frame("test_calc.py", 5, "test_add", "total = calc.add(1, 2)"),
        Frame("calc.py", 2, "add", "return check(a - b)"),
        Frame(None, 700, "check", "raise AssertionError"),
    )
    [diagnostic] = diagnostics_of(failing(*frames), page())["test_calc.py"]
    assert diagnostic.range.start.line == 4
    [related] = diagnostic.related_information or ()
    assert related.location.uri == "file:///w/calc.py"
    assert related.location.range.start == lsp.Position(1, 4)
    assert related.message == "in add: return check(a - b)"


def test_an_editor_without_related_information_gets_none() -> None:
    frames = (Frame("test_calc.py", 5, "test_add", ""), Frame("calc.py", 2, "add", ""))
    [diagnostic] = diagnostics_of(failing(*frames), page(related=False))["test_calc.py"]
    assert diagnostic.related_information is None


def test_without_frames_the_test_itself_is_marked() -> None:
    [diagnostic] = diagnostics_of(failing(), page())["test_calc.py"]
    assert diagnostic.range == lsp.Range(start=lsp.Position(3, 0), end=lsp.Position(3, 15))


def test_a_collection_error_is_marked_where_it_broke() -> None:
    failure = Failure(
        "SyntaxError",
        "invalid syntax",
        frames=(
            Frame("test_calc.py", 1, "<module>", "import calc"),
            Frame("calc.py", 2, "<module>", "return check("),
        ),
    )
    report = Report("finished", (CaseResult("test_calc.py", "error", path="test_calc.py", failure=failure),))
    found = diagnostics_of(report, page())
    assert list(found) == ["calc.py"]
    assert found["calc.py"][0].range.start.line == 1
    assert found["calc.py"][0].message == "test_calc.py: SyntaxError: invalid syntax"


def test_a_line_past_the_end_is_clamped() -> None:
    report = failing(Frame("test_calc.py", 99, "test_add", ""))
    [diagnostic] = diagnostics_of(report, page())["test_calc.py"]
    assert diagnostic.range.start.line == 6


def test_green_cases_leave_no_mark() -> None:
    report = Report("finished", (CaseResult("a.py::test", "passed"), CaseResult("a.py::other", "skipped")))
    assert diagnostics_of(report, page()) == {}


def test_the_users_own_code_is_marked_where_it_gave_up() -> None:
    frames = (
        Frame("test_calc.py", 5, "test_add", "total = calc.add(1, 2)"),
        Frame("calc.py", 2, "add", "return check(a - b)"),
        Frame(None, 700, "check", "raise AssertionError"),
    )
    found = diagnostics_of(failing(*frames), page())
    [reached] = found["calc.py"]
    assert reached.code == "test_calc.py::test_add"
    assert reached.severity == lsp.DiagnosticSeverity.Warning
    assert reached.range.start == lsp.Position(1, 4)
    assert reached.message == "test_add fails here: AssertionError: assert -1 == 3"
    only_tests = (Frame("test_calc.py", 5, "test_add", ""), Frame("conftest.py", 2, "check", ""))
    assert list(diagnostics_of(failing(*only_tests), page())) == ["test_calc.py"]


def test_what_the_environment_lacks_comes_with_its_remedy() -> None:
    failure = Failure("ModuleNotFoundError", "No module named 'numpy'")
    case = CaseResult("test_calc.py::test_add", "error", 0, "test_calc.py", 4, failure, "", "Install numpy.")
    [mark] = diagnostics_of(Report("finished", (case,)), page())["test_calc.py"]
    assert mark.severity == lsp.DiagnosticSeverity.Warning
    assert mark.message.startswith("test_add cannot pass here, whatever the code is. Install numpy.")
    assert mark.data == {"test": case.id, "kind": "environment"}


def test_a_run_on_unsaved_text_says_so() -> None:
    unsaved = dataclasses.replace(page(), unsaved=("calc.py",))
    [mark] = diagnostics_of(failing(), unsaved)["test_calc.py"]
    assert mark.message.endswith("\nRan with unsaved changes in calc.py.")


def test_findings_are_marked_in_the_fix() -> None:
    findings = (Finding("calc.py", 2, "eval", "eval: it runs text"), Finding("", 0, "not-all-run", "…"))
    found = findings_of(findings, page())
    assert list(found) == ["calc.py"]
    assert found["calc.py"][0].code == "eval"
    assert found["calc.py"][0].severity == lsp.DiagnosticSeverity.Information
