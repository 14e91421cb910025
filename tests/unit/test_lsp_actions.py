"""What the light bulb offers, and where."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from lsprotocol import types as lsp

from untilgreen.lsp import ext
from untilgreen.lsp.actions import Fix, Spot, Stub, code_actions
from untilgreen.lsp.ext import QUICK_FIX, WHOLE_FILE
from untilgreen.lsp.folders import around, path_of, uri_of
from untilgreen.lsp.places import Place, is_test_file, places_in

TEXT = """\
import pytest


@pytest.mark.parametrize("n", [1, 2])
def test_even(n):
    assert n % 2 == 0


class TestCalc:
    def test_add(self):
        assert add(1, 2) == 3

    def helper(self):
        pass
"""


def spot(line: int, *, has_tests: bool = True, text: str = TEXT) -> Spot:
    where = lsp.Range(start=lsp.Position(line, 2), end=lsp.Position(line, 2))
    return Spot("file:///w/tests/test_calc.py", "tests/test_calc.py", text, where, has_tests)


def titles(where: Spot, *diagnostics: lsp.Diagnostic, only: list[str] | None = None) -> list[str]:
    context = lsp.CodeActionContext(diagnostics=list(diagnostics), only=only)
    return [action.title for action in code_actions(where, context)]


def red(test: str) -> lsp.Diagnostic:
    where = lsp.Range(start=lsp.Position(5, 4), end=lsp.Position(5, 9))
    return lsp.Diagnostic(range=where, message="", source="untilgreen", code=test, data={"test": test})


FILE = "Solve until green: this file"
ALL = "Solve until green: everything failing"
RUN = "Run tests in the sandbox"


def test_the_test_under_the_cursor_is_offered() -> None:
    assert titles(spot(9)) == ["Solve until green: this test (TestCalc::test_add)", FILE, ALL, RUN]
    assert titles(spot(3)) == ["Solve until green: this test (test_even)", FILE, ALL, RUN]
    assert titles(spot(12)) == [FILE, ALL, RUN]


def test_an_action_carries_a_command_with_all_it_needs() -> None:
    [action, *_] = code_actions(spot(9), lsp.CodeActionContext(diagnostics=[]))
    assert action.edit is None
    assert action.kind == QUICK_FIX
    assert action.command == lsp.Command(
        title="Solve until green: this test (TestCalc::test_add)",
        command=ext.SOLVE,
        arguments=[
            {"uri": "file:///w/tests/test_calc.py", "tests": ["tests/test_calc.py::TestCalc::test_add"]}
        ],
    )


def test_a_diagnostic_offers_its_own_case_once() -> None:
    case = red("tests/test_calc.py::test_even[1]")
    assert titles(spot(5), case, case)[:2] == [
        "Solve until green: this test (test_even[1])",
        "Solve until green: this test (test_even)",
    ]
    add = red("tests/test_calc.py::TestCalc::test_add")
    assert titles(spot(10), add) == ["Solve until green: this test (TestCalc::test_add)", FILE, ALL, RUN]


def test_diagnostics_of_others_are_not_ours() -> None:
    where = lsp.Range(start=lsp.Position(0, 0), end=lsp.Position(0, 1))
    other = lsp.Diagnostic(range=where, message="unused import", source="ruff", code="F401")
    assert titles(spot(0), other) == [FILE, ALL, RUN]


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        ([], {QUICK_FIX, WHOLE_FILE}),
        ([""], {QUICK_FIX, WHOLE_FILE}),
        (["quickfix"], {QUICK_FIX}),
        (["quickfix.untilgreen"], {QUICK_FIX}),
        (["source"], {WHOLE_FILE}),
        (["source.organizeImports"], set()),
        (["source.until"], set()),
        (["refactor", "source"], {WHOLE_FILE}),
    ],
)
def test_only_the_kinds_asked_for(only: list[str], kinds: set[str]) -> None:
    actions = code_actions(spot(9), lsp.CodeActionContext(diagnostics=[], only=only))
    assert {str(action.kind) for action in actions} == kinds


def test_a_file_without_tests_offers_all_tests() -> None:
    assert titles(spot(9, has_tests=False)) == [ALL, RUN]


def test_a_text_in_the_middle_of_typing_still_has_its_file() -> None:
    assert titles(spot(1, text="def test_(")) == [FILE, ALL, RUN]


def test_places_know_classes_decorators_and_ends() -> None:
    found = [(place.name, place.first, place.last) for place in places_in(TEXT)]
    assert found == [("test_even", 4, 6), ("TestCalc::test_add", 10, 11)]


def test_test_files_by_name() -> None:
    assert is_test_file("tests/test_calc.py")
    assert is_test_file("calc_test.py")
    assert not is_test_file("calc.py")
    assert not is_test_file("test_data.json")


def test_the_innermost_workspace_folder_comes_first() -> None:
    folders = [Path("/w"), Path("/w/packages/one"), Path("/other")]
    assert around(Path("/w/packages/one/a.py"), folders) == [Path("/w/packages/one"), Path("/w")]
    assert around(Path("/w/packages/two/a.py"), folders) == [Path("/w")]


def test_a_lone_file_belongs_to_the_project_around_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    deep = tmp_path / "src" / "pkg"
    deep.mkdir(parents=True)
    assert around(deep / "a.py", []) == [tmp_path]


@pytest.mark.parametrize("name", ["a.py", "ä b#c%20.py", "[x]/a.py"])
def test_uris_and_paths_are_inverse(name: str) -> None:
    assert path_of(uri_of(Path("/w") / name)) == Path("/w") / name


def test_documents_that_are_not_files_have_no_path() -> None:
    assert path_of("untitled:Untitled-1") is None
    assert path_of("vscode-notebook-cell:/w/a.ipynb#x") is None


def test_our_own_marks_are_offers_although_the_editor_sends_none() -> None:
    marked = dataclasses.replace(spot(0), marks=(red("tests/test_calc.py::test_even[2]"),))
    assert titles(marked)[0] == "Solve until green: this test (test_even[2])"


def test_what_no_code_can_mend_is_not_offered() -> None:
    broken = red("tests/test_calc.py::test_even[1]")
    broken.data = {"test": broken.code, "kind": "environment"}
    finding = red("eval")
    finding.data = None
    assert titles(spot(0), broken, finding) == [FILE, ALL, RUN]


def test_a_stub_offers_its_tests() -> None:
    stub = Stub(Place("Calc::add", 1, 2, 1), ("tests/test_calc.py::test_add",), "file:///w/calc.py")
    here = dataclasses.replace(spot(1, has_tests=False, text="def add(): ..."), stubs=(stub,))
    [action, *_] = code_actions(here, lsp.CodeActionContext(diagnostics=[]))
    assert action.title == "Implement this stub until its tests pass: Calc.add"
    assert action.kind == QUICK_FIX
    assert action.command is not None and action.command.arguments is not None
    assert action.command.arguments[0]["tests"] == ["tests/test_calc.py::test_add"]
    elsewhere = dataclasses.replace(here, range=spot(5).range)
    assert titles(elsewhere) == [ALL, RUN]


@pytest.mark.parametrize("by_model", [True, False])
@pytest.mark.parametrize("known", [True, False])
def test_a_fix_says_who_wrote_it_to_those_who_know_the_word(by_model: bool, known: bool) -> None:
    edit = lsp.WorkspaceEdit()
    here = dataclasses.replace(spot(0), fixes=(Fix("j1", 2, by_model, edit),), tags=known, undo="file:///w")
    apply, review, *others = code_actions(here, lsp.CodeActionContext(diagnostics=[]))
    assert apply.title == "Apply verified fix with 2 findings"
    assert apply.edit is edit
    assert apply.command is not None and apply.command.arguments == [{"job": "j1", "taken": True}]
    assert apply.tags == ([lsp.CodeActionTag.LlmGenerated] if by_model and known else None)
    assert review.title == "Review verified fix"
    assert others[-1].title == "Undo last solve"
    assert all(action.tags is None for action in others)


def test_a_fix_that_must_be_verified_again_carries_no_edit() -> None:
    here = dataclasses.replace(spot(0), fixes=(Fix("j1", 0, False, None),))
    apply, *_ = code_actions(here, lsp.CodeActionContext(diagnostics=[]))
    assert apply.edit is None
    assert apply.command is not None and apply.command.arguments == [{"job": "j1", "taken": False}]
