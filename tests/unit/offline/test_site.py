"""Where functions and nodes are in the text, whatever it is written like."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.solvers.offline.edit import Edit, apply
from untilgreen.solvers.offline.facts import NO_FACTS, Facts
from untilgreen.solvers.offline.ingredients import Ingredients
from untilgreen.solvers.offline.offsets import Offsets
from untilgreen.solvers.offline.site import sites
from untilgreen.solvers.offline.templates import edits


def test_all_functions_and_the_rest() -> None:
    text = (
        "import os\n\n\ndef a():\n    def inner():\n        pass\n\n\nclass B:\n    class C:\n"
        "        @property\n        def d(self):\n            return 1\n\n    async def e(self): ...\n\n\n"
        "if os:\n    def a():\n        pass\nelse:\n    try:\n        def f(): pass\n"
        "    except E:\n        def g(): pass\n"
    )
    found = sites("m.py", text)
    assert [site.name for site in found] == ["a", "B.C.d", "B.e", "a", "f", "g", ""]
    decorated = found[1]
    assert (decorated.first_line, decorated.last_line) == (11, 13)
    assert text[decorated.start : decorated.end] == (
        "        @property\n        def d(self):\n            return 1\n"
    )


def test_what_cannot_be_parsed_has_no_sites() -> None:
    assert sites("m.py", "def f(:\n") == ()
    assert sites("m.py", "x = '\0'") == ()


def test_the_source_of_an_edit_is_the_whole_function() -> None:
    text = "x = 1\n\n\nclass A:\n    def f(self):\n        return x\n\n    def g(self): pass\n"
    site = sites("m.py", text)[0]
    at = text.index("return x") + len("return ")
    edit = Edit("m.py", at, at + 1, "y", "name/variable", 1, 1.0)
    assert site.source_of(edit) == "    def f(self):\n        return y\n"
    assert apply(text, edit) == text.replace("return x", "return y")


@given(
    st.lists(
        st.sampled_from(["a = 'é'; b = (a, 'ü')", "ß = a", "\fx = '😀' + y", "if a: b = 'ñ'", "# ü"]),
        min_size=1,
    ),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_names_are_where_the_parser_says(lines: list[str], ending: str, mark: str) -> None:
    text = mark + ending.join(lines)
    offsets = Offsets(text)
    for node in ast.walk(ast.parse(text.removeprefix("\ufeff"))):
        if isinstance(node, ast.Name):
            start, end = offsets.span(node)
            assert text[start:end] == node.id
        elif isinstance(node, ast.Constant):
            start, end = offsets.span(node)
            assert ast.literal_eval(text[start:end]) == node.value


@pytest.mark.parametrize(
    ("source", "types", "never"),
    [
        ("def f(s, n):\n    return s == n\n", {"s": {"str"}, "n": {"int"}}, "s < n"),
        ("def f(s, t):\n    return s + t\n", {"s": {"str"}, "t": {"str"}}, "s - t"),
        ("def f(a, b):\n    return a * b\n", {"a": {"list"}, "b": {"int"}}, "a / b"),
        ("def f(n, s):\n    return n + 1\n", {"n": {"int"}, "s": {"str"}}, "s + 1"),
        ("def f(s, d):\n    return s.strip()\n", {"s": {"str"}, "d": {"dict"}}, "d.strip()"),
        ("def f(n):\n    return n\n", {"n": {"int"}}, "n.strip()"),
        ("def f(d, k):\n    return d[k]\n", {"d": {"list"}, "k": {"int"}}, "d.get(k)"),
    ],
)
def test_what_was_seen_rules_out_what_cannot_be(source: str, types: dict[str, set[str]], never: str) -> None:
    site = sites("m.py", source)[0]
    seen = Facts(types={name: frozenset(kinds) for name, kinds in types.items()})
    known = {apply(source, edit) for edit in edits(site, seen, Ingredients(), 1)}
    blind = {apply(source, edit) for edit in edits(site, NO_FACTS, Ingredients(), 1)}
    fixed = source[: source.index("return ")] + f"return {never}\n"
    assert fixed in blind
    assert fixed not in known
    assert len(known) > 10


def test_names_that_cannot_have_a_value_yet_are_not_used() -> None:
    source = "def f(a):\n    b = a\n    c = b\n    return c\n"
    site = sites("m.py", source)[0]
    made = {apply(source, edit) for edit in edits(site, NO_FACTS, Ingredients(), 1)}
    assert source.replace("b = a", "b = c") not in made
    assert source.replace("return c", "return b") in made


def test_lines_that_are_not_suspected_get_no_new_statements() -> None:
    source = "def f(a):\n    b = a\n    c = b\n    d = c\n    return d\n"
    site = sites("m.py", source)[0]
    facts = Facts(lines={5: 1.0})
    lines = {edit.line for edit in edits(site, facts, Ingredients(), 2) if edit.template == "guard/leave"}
    assert lines == {5}


def test_code_of_a_function_of_the_same_name_elsewhere_is_at_hand() -> None:
    source = "def area(w, h):\n    return w\n"
    other = "def area(w, h):\n    return w * h + 1\n"
    site = sites("a.py", source)[0]
    made = {
        apply(source, one) for one in edits(site, NO_FACTS, Ingredients({"a.py": source, "b.py": other}), 3)
    }
    assert "def area(w, h):\n    return w * h + 1\n" in made


def test_an_import_of_the_project_is_found() -> None:
    source = '"""Doc."""\n\n\ndef f():\n    return helper()\n'
    facts = Facts(raised=(("NameError", "name 'helper' is not defined"),))
    files = Ingredients({"pkg/a.py": source, "pkg/b.py": "def helper():\n    return 1\n"})
    module = sites("pkg/a.py", source)[-1]
    made = {apply(source, one) for one in edits(module, facts, files, 1)}
    assert '"""Doc."""\n\nfrom pkg.b import helper\n\n\ndef f():\n    return helper()\n' in made
