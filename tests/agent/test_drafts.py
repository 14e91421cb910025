"""Edits: the file that is named, all or none, and everything else as it was."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.drafting import drafts_in, drafts_of
from untilgreen.solvers.agent.matching import find
from untilgreen.solvers.agent.redaction import Redaction
from untilgreen.solvers.agent.refusal import Refusal
from untilgreen.solvers.agent.requests import EditFile, WriteFile
from untilgreen.solvers.agent.source_text import SourceText, decoded

SHOP = "def price(n):\n    return n\n\n\ndef total(items):\n    return sum(items)\n"


def content(drafts: object, path: str) -> bytes:
    change = drafts.patch.files[path]  # type: ignore[attr-defined]
    assert change.content is not None
    return change.content  # type: ignore[no-any-return]


def test_one_edit(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    assert drafts.apply([EditFile("shop.py", "    return n\n", "    return 2 * n\n")]).paths == ("shop.py",)
    assert content(drafts, "shop.py") == SHOP.replace("return n", "return 2 * n").encode()


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("    return n   \n", "    return 3\n", "return 3", id="trailing space"),
        pytest.param("return sum(items)", "return 3", "    return 3", id="inside a line"),
        pytest.param(
            "  def total(items):\n      return sum(items)",
            "  def total(items):\n      return 3",
            "    return 3\n",
            id="indented",
        ),
    ],
)
def test_matching_is_lenient_about_space(tmp_path: Path, old: str, new: str, expected: str) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    drafts.apply([EditFile("shop.py", old, new)])
    assert expected in content(drafts, "shop.py").decode()
    compile(content(drafts, "shop.py"), "shop.py", "exec")


def test_lines_that_are_moved_differently_are_not_the_same(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    with pytest.raises(Refusal, match=r"not in shop\.py"):
        drafts.apply([EditFile("shop.py", "def price(n):\n  return n", "def price(n):\n  return 3")])


def test_less_indented_quotes_are_moved(tmp_path: Path) -> None:
    source = "class A:\n    def f(self):\n        if self:\n            return 1\n        return 2\n"
    drafts = drafts_of(tmp_path / "p", {"a.py": source})
    drafts.apply([EditFile("a.py", "if self:\n    return 1\n", "if not self:\n    return 1\nprint(1)\n")])
    assert content(drafts, "a.py").decode() == source.replace(
        "if self:\n            return 1", "if not self:\n            return 1\n        print(1)"
    )


def test_typographic_quotes_stay_where_nothing_changed(tmp_path: Path) -> None:
    source = "say = “hello” # don’t\nkeep = 'it…'\nlast = 1\n"
    drafts = drafts_of(tmp_path / "p", {"a.txt": source})
    drafts.apply([EditFile("a.txt", "keep = 'it...'\nlast = 1\n", "keep = 'it...'\nlast = 2\n")])
    assert content(drafts, "a.txt").decode() == source.replace("last = 1", "last = 2")


def test_not_unique_is_refused_with_the_places(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    with pytest.raises(Refusal, match=r"not unique in shop\.py; it begins in lines 2, 6"):
        drafts.apply([EditFile("shop.py", "return", "yield")])
    with pytest.raises(Refusal, match="not unique"):
        drafts.apply([EditFile("shop.py", "\n", "x")])


def test_not_found_shows_the_nearest_lines(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    with pytest.raises(Refusal, match=r"not in shop\.py") as caught:
        drafts.apply([EditFile("shop.py", "    return summ(items)\n", "    return 1\n")])
    assert "    return sum(items)" in caught.value.data


def test_all_or_none(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP, "b.py": "x = 1\n"})
    with pytest.raises(Refusal):
        drafts.apply([EditFile("b.py", "x = 1", "x = 2"), EditFile("shop.py", "nowhere", "x")])
    assert not drafts.patch
    drafts.apply([EditFile("b.py", "x = 1", "x = 2"), EditFile("b.py", "x = 2", "x = 3")])
    assert content(drafts, "b.py") == b"x = 3\n"


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/etc/passwd", "absolute"),
        ("C:\\shop.py", "absolute"),
        ("~/shop.py", "absolute"),
        ("../shop.py", "out of the project"),
        ("a/../../shop.py", "out of the project"),
        ("sub\\shop.py", "backslashes"),
        ("", "not the path"),
        ("a\nb.py", "not the path"),
        ("sub/", "folder"),
        ("test_shop.py", "tests are never changed"),
        ("tests/helper.py", "tests are never changed"),
        ("conftest.py", "tests are never changed"),
        ("pyproject.toml", "configuration"),
        (".github/x.yml", "hidden"),
        ("sitecustomize.py", "every start"),
        ("json.py", "take the place"),
        ("yaml.py", "take the place"),
        ("shop.py/more.py", "no folder"),
        ("link.py", "symbolic link"),
        ("away/x.py", "symbolic link"),
    ],
)
def test_what_may_not_be_written(tmp_path: Path, path: str, why: str) -> None:
    root = tmp_path / "p"
    drafts_of(root, {"shop.py": SHOP, "test_shop.py": "def test_it(): assert 1\n", "data.py": "x = 1\n"})
    (root / "link.py").symlink_to("data.py")
    (root / "away").symlink_to(tmp_path)
    drafts = drafts_in(root)
    for change in (WriteFile(path, "x = 1\n"), EditFile(path, "", "x = 1\n")):
        with pytest.raises(Refusal, match=why):
            drafts.apply([change])
    assert not drafts.patch


def test_a_new_file_and_one_that_is_there(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP})
    drafts.apply([EditFile("pkg/new.py", "", "x = 1")])
    assert content(drafts, "pkg/new.py") == b"x = 1\n"
    assert "pkg/new.py" in drafts.paths()
    with pytest.raises(Refusal, match="there already"):
        drafts.apply([EditFile("shop.py", "", "x = 1")])
    with pytest.raises(Refusal, match=r"there is no file other\.py"):
        drafts.apply([EditFile("other.py", "x = 1", "x = 2")])
    with pytest.raises(Refusal, match="the old text"):
        drafts.apply([EditFile("shop.py", "def price", "def price")])


def test_markdown_around_code_is_taken_off(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"shop.py": SHOP, "notes.md": "x\n"})
    drafts.apply([WriteFile("shop.py", "```python\nx = 1\n```\n"), WriteFile("notes.md", "```\ny\n```")])
    assert content(drafts, "shop.py") == b"x = 1\n"
    assert content(drafts, "notes.md") == b"```\ny\n```\n"


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(b"a = 1\r\nb = 2\r\nc = 3\r\n", id="windows"),
        pytest.param(b"a = 1\r\nb = 2\nc = 3\r\n", id="mixed"),
        pytest.param(b"a = 1\nb = 2\nc = 3", id="no line end at the end"),
        pytest.param(codecs.BOM_UTF8 + b"a = 1\nb = 2\nc = '\xc3\xa4'\n", id="byte order mark"),
        pytest.param(b"# coding: latin-1\nb = 2\nc = '\xe4'\n", id="latin-1 by name"),
        pytest.param(b"# -*- coding: cp1252 -*-\r\nb = 2\r\nc = '\x80'\r\n", id="cp1252 and windows"),
        pytest.param(b"b = 2\nc = '\xe4'\n", id="latin-1 without a word"),
        pytest.param(b"\xef\xbb\xbfb = 2\r\n", id="mark and windows"),
        pytest.param(b"b = 2\rc = 3\n", id="old line ends"),
    ],
)
def test_the_rest_of_the_bytes_stays(tmp_path: Path, before: bytes) -> None:
    drafts = drafts_of(tmp_path / "p", {"a.py": before})
    drafts.apply([EditFile("a.py", "b = 2", "b = 22")])
    assert content(drafts, "a.py") == before.replace(b"b = 2", b"b = 22")


def test_what_the_encoding_has_not_is_refused(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"a.py": b"# coding: latin-1\nb = '\xe4'\n", "b.py": b"a\0b"})
    with pytest.raises(Refusal, match=r"encoded as (latin-1|iso8859-1)"):
        drafts.apply([EditFile("a.py", "b =", "b = '\u20ac' +")])
    with pytest.raises(Refusal, match="not a text file"):
        drafts.apply([EditFile("b.py", "a", "b")])


def test_a_rewritten_file_keeps_its_style(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"a.py": codecs.BOM_UTF8 + b"a = 1\r\nb = 2"})
    drafts.apply([WriteFile("a.py", "x = 1\ny = 2\n")])
    assert content(drafts, "a.py") == codecs.BOM_UTF8 + b"x = 1\r\ny = 2"


def test_secrets_come_back(tmp_path: Path) -> None:
    key = "sk-proj-" + "a1B2c3D4" * 5
    source = f'KEY = "{key}"\nn = 1\n'
    drafts = drafts_of(tmp_path / "p", {"a.py": source}, Redaction())
    shown = drafts.shown("a.py")
    assert key not in shown and "[redacted-1]" in shown
    drafts.apply([EditFile("a.py", 'KEY = "[redacted-1]"\nn = 1\n', 'KEY = "[redacted-1]"\nn = 2\n')])
    assert content(drafts, "a.py").decode() == source.replace("n = 1", "n = 2")


LINES = st.lists(st.text("abc xyz=+äß\u2028\x0c", max_size=8), min_size=1, max_size=8)
ENDS = st.sampled_from(["\n", "\r\n"])


@given(LINES, st.lists(ENDS, min_size=8, max_size=8), st.booleans(), st.booleans(), st.data())
def test_any_one_line_can_be_replaced(
    lines: list[str], ends: list[str], last: bool, bom: bool, data: st.DataObject
) -> None:
    """Whatever the line ends: only the line that is named changes, and not a byte around it."""
    parts = [line + end for line, end in zip(lines, ends, strict=False)]
    n = data.draw(st.integers(0, len(parts) - 1))
    parts[n] = "unique" + ends[n]
    raw = "".join(parts) if last else "".join(parts)[: -len(ends[len(parts) - 1])]
    text = decoded("a.txt", (codecs.BOM_UTF8 if bom else b"") + raw.encode())
    start = text.plain.index("unique")
    after = text.splice(start, start + len("unique"), "new")
    assert after.encoded("a.txt") == text.encoded("a.txt").replace(b"unique", b"new")


@given(st.binary(max_size=60), st.sampled_from(["a.py", "a.txt"]))
def test_bytes_come_back_as_they_were(content: bytes, path: str) -> None:
    try:
        text = decoded(path, content)
    except Refusal:
        return
    assert text.encoded(path) == content
    assert text.splice(0, 0, "").encoded(path) == content


@given(st.text("ab\n\r", max_size=12), st.text("ab\n", min_size=1, max_size=8))
def test_the_end_of_a_file_is_kept(before: str, new: str) -> None:
    text = SourceText(before)
    after = text.rewritten(new)
    if before and after.raw.strip("\r\n"):
        assert after.raw.endswith("\n") == before.endswith("\n")


def test_empty_lines_around_the_new_text_are_kept(tmp_path: Path) -> None:
    drafts = drafts_of(tmp_path / "p", {"a.py": "x = 1  \ny = 2\n"})
    drafts.apply([EditFile("a.py", "x = 1\n", "x = 1\n\n\n")])
    assert content(drafts, "a.py") == b"x = 1  \n\n\ny = 2\n"


@given(
    st.lists(st.sampled_from(["if x:", "return 1", "", "y = 2", "print(“x”)"]), min_size=3, max_size=8),
    st.integers(0, 2),
    st.integers(0, 3),
    st.data(),
)
def test_what_was_quoted_carelessly_is_found_or_refused(
    body: list[str], depth: int, less: int, data: st.DataObject
) -> None:
    """Never another place than one with the same words; and lines that are not quoted stay as they are."""
    lines = [f"{' ' * (4 * depth)}{line}" if line else "" for line in body]
    text = "\n".join((*lines, ""))
    n = data.draw(st.integers(0, len(lines) - 1))
    m = data.draw(st.integers(n + 1, len(lines)))
    quoted = [line[min(less, 4 * depth) :].replace("“", '"').replace("”", '"') + " " for line in lines[n:m]]
    try:
        match = find("a.py", text, "\n".join(quoted), "NEW")
    except Refusal:
        return
    replaced = text[match.start : match.end].split("\n")
    assert [_words(line) for line in replaced if line.strip()] == [_words(q) for q in quoted if q.strip()]
    assert match.new.strip() == "NEW"


def _words(line: str) -> str:
    return line.strip().replace("“", '"').replace("”", '"')
