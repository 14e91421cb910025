"""What a model writes, in whatever form, becomes a request or a mistake that says how to do it right."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.solvers.agent.requests import (
    EditFile,
    GiveUp,
    ListFiles,
    Mistake,
    ReadFile,
    Request,
    RunTests,
    Search,
    WriteFile,
)
from untilgreen.solvers.agent.text_form import prose, requests_in, unfenced
from untilgreen.solvers.agent.tools import NAMES, tools, understood

EDIT = EditFile("shop.py", "a - b\n", "a + b\n")
BLOCK = "<<<<<<< SEARCH\na - b\n=======\na + b\n>>>>>>> REPLACE"


def found(text: str) -> list[Request]:
    return [asked.request for asked in requests_in(text)]


def test_the_names_are_stable() -> None:
    """Scripts and recordings rely on them."""
    shapes = {
        tool.name: (list(tool.parameters["properties"]), tool.parameters["required"]) for tool in tools()
    }  # type: ignore[call-overload]
    assert shapes == {
        "list_files": (["glob"], []),
        "read_file": (["path", "start", "end"], ["path"]),
        "search": (["pattern", "glob"], ["pattern"]),
        "edit_file": (["path", "old", "new"], ["path", "old", "new"]),
        "write_file": (["path", "content"], ["path", "content"]),
        "run_tests": (["ids"], []),
        "give_up": (["reason"], ["reason"]),
    }
    assert tuple(shapes) == NAMES


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("list_files", {}, ListFiles("*")),
        ("list_files", {"glob": "src/*"}, ListFiles("src/*")),
        ("read_file", {"path": "a.py"}, ReadFile("a.py")),
        ("read_file", {"path": "a.py", "start": 3, "end": 9}, ReadFile("a.py", 3, 9)),
        ("read_file", {"path": "a.py", "start": "3", "end": None}, ReadFile("a.py", 3)),
        ("search", {"pattern": "x", "glob": None}, Search("x")),
        ("edit_file", {"path": "shop.py", "old": "a - b\n", "new": "a + b\n", "why": "x"}, EDIT),
        ("write_file", {"path": "a.py", "content": ""}, WriteFile("a.py", "")),
        ("run_tests", {"ids": None}, RunTests()),
        ("run_tests", {"ids": "t.py::test_a"}, RunTests(("t.py::test_a",))),
        ("run_tests", {"ids": ["a", "b"]}, RunTests(("a", "b"))),
        ("give_up", {"reason": "no"}, GiveUp("no")),
    ],
)
def test_calls(name: str, arguments: dict[str, object], expected: Request) -> None:
    assert understood(name, json.dumps(arguments)) == expected


def test_no_arguments_at_all() -> None:
    assert understood("run_tests", "") == RunTests()


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("rm", "{}", "The tools are: list_files"),
        ("edit_file", '{"path": "a.py", "old"', "not JSON"),
        ("edit_file", "[1, 2]", "edit_file(path, old, new)"),
        ("edit_file", '{"path": "a.py", "new": ""}', "old: Field required"),
        ("edit_file", '{"path": "a.py", "old": 3, "new": ""}', "old: Input should be a valid string"),
        ("read_file", '{"path": "a.py", "start": 0}', "start: Input should be greater"),
        ("read_file", '{"path": "a.py", "start": "three"}', "start: Input should be a valid integer"),
        ("run_tests", '{"ids": [1]}', "read_file" if False else "ids.0"),
        ("search", '{"pattern": ""}', "pattern"),
        ("read_file", "[" * 100_000, "not JSON"),
    ],
)
def test_mistakes_say_what_to_do(name: str, arguments: str, says: str) -> None:
    request = understood(name, arguments)
    assert isinstance(request, Mistake) and says in request.text


@pytest.mark.parametrize(
    "text",
    [
        f"shop.py\n{BLOCK}",
        f"Here it is:\n\nshop.py\n{BLOCK}\n\nDone!",
        f"`shop.py`\n{BLOCK}",
        f"**shop.py**:\n{BLOCK}",
        f"### shop.py\n{BLOCK}",
        f"File: shop.py\n```python\n{BLOCK}\n```",
        f"```python\nshop.py\n{BLOCK}\n```",
        f"```python shop.py\n{BLOCK}\n```",
        f"shop.py\n\n{BLOCK}".replace("\n", "\r\n"),
        f"shop.py\n{BLOCK.replace('<<<<<<<', '<<<<<').replace('>>>>>>>', '>>>>>>>>>')}",
    ],
)
def test_blocks(text: str) -> None:
    assert found(text) == [EDIT]


def test_several_blocks() -> None:
    other = BLOCK.replace("a", "c")
    assert [
        one.path for one in found(f"a.py\n{BLOCK}\n{other}\nb/c.py\n{BLOCK}") if isinstance(one, EditFile)
    ] == [*("a.py", "a.py", "b/c.py")]
    assert found("new.py\n<<<<<<< SEARCH\n=======\nx = 1\n>>>>>>> REPLACE") == [
        EditFile("new.py", "", "x = 1\n")
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (BLOCK, "the path of its file"),
        (f"I change this now.\n{BLOCK}", "the path of its file"),
        ("shop.py\n<<<<<<< SEARCH\na\n=======\nb\n", "not complete"),
        ("shop.py\n<<<<<<< SEARCH\na\n", "not complete"),
    ],
)
def test_bad_blocks(text: str, says: str) -> None:
    (request,) = found(text)
    assert isinstance(request, Mistake) and says in request.text


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "read_file", "arguments": {"path": "a.py"}}',
        'I look.\n```json\n{"name": "read_file", "arguments": {"path": "a.py"}}\n```\nThen I go on.',
        '<tool_call>{"name": "read_file", "arguments": "{\\"path\\": \\"a.py\\"}"}</tool_call>',
        '{"tool": "read_file", "args": {"path": "a.py"}}',
        '{"tool": "read_file", "path": "a.py"}',
        '[{"type": "function", "function": {"name": "read_file", "parameters": {"path": "a.py"}}}]',
        '<function=read_file>{"path": "a.py"}</function>',
        "<function=read_file>\n<parameter=path>\na.py\n</parameter>\n</function>",
        'read_file("a.py")',
        "Let me see.\nread_file(path='a.py')\n",
    ],
)
def test_calls_as_text(text: str) -> None:
    assert found(text) == [ReadFile("a.py")]


def test_python_calls_with_brackets_inside() -> None:
    assert found('edit_file("a.py", old="f(x)", new="""g(\n  x)""")') == [
        EditFile("a.py", "f(x)", "g(\n  x)")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Nothing to do.",
        '{"a": {"name": "x"}}',
        "Use read_file(path) to look.",
        "{" * 5000,
        "f'{read_file}'",
    ],
)
def test_ordinary_words(text: str) -> None:
    assert found(text) == []


def test_a_call_in_code_that_is_written_is_code() -> None:
    text = (
        "a.py\n<<<<<<< SEARCH\nx\n=======\n"
        + '{"name": "give_up", "arguments": {"reason": "x"}}\n>>>>>>> REPLACE'
    )
    assert [type(one) for one in found(text)] == [EditFile]


@given(st.text(max_size=200))
def test_nothing_that_a_model_says_is_an_error(text: str) -> None:
    requests_in(text)
    prose(text)
    for name in NAMES:
        understood(name, text)


CODE = st.text("abc(){}<>=\"' \\\t", max_size=30)


@given(st.lists(CODE, max_size=4), st.lists(CODE, max_size=4))
def test_any_code_survives_the_text_form(old: list[str], new: list[str]) -> None:
    for line in (*old, *new):
        if line.strip(" \t").startswith(("=====", "<<<<<", ">>>>>")):
            return
    text = "\n".join(("shop.py", "<<<<<<< SEARCH", *old, "=======", *new, ">>>>>>> REPLACE"))
    (request,) = found(text)
    assert request == EditFile("shop.py", "".join(f"{x}\n" for x in old), "".join(f"{x}\n" for x in new))


def test_what_people_see() -> None:
    assert prose(f"I fix it.\n\nshop.py\n{BLOCK}\n```json\n{{}}\n```\nDone.") == "I fix it.\nshop.py\nDone."
    assert prose("<think>hm, hm</think>The sum is wrong.") == "The sum is wrong."
    assert unfenced("```python\nx = 1\n```\n") == "x = 1\n"
    assert unfenced("x = '''\n```\n'''\n") == "x = '''\n```\n'''\n"
