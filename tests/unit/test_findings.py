"""Dishonest patches are named by line and rule; in honest ones nothing is found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from untilgreen.model import Finding, Verdict
from untilgreen.rules import FROM_RUNS, REASONS
from untilgreen.solve.findings import Changed, chosen, find, held_back

SNIPPETS = Path(__file__).parent / "findings"
_MARK = re.compile(r"#! ([a-z-]+)")


def snippets(name: str) -> dict[str, dict[str, str]]:
    """Title → its sections; one without headings is the new file."""
    found: dict[str, dict[str, str]] = {}
    for part in re.split(r"^=== ", (SNIPPETS / name).read_text(), flags=re.MULTILINE)[1:]:
        title, _, body = part.partition("\n")
        assert title not in found, f"{title} is there twice"
        sections = re.split(r"^--- (old|new|tests)\n", body, flags=re.MULTILINE)
        found[title] = dict(zip(sections[1::2], sections[2::2], strict=True)) or {"new": body}
    return found


DISHONEST = {
    title: one
    for name in ("dishonest.txt", "hidden.txt", "values.txt", "copied.txt")
    for title, one in snippets(name).items()
}
HONEST = {title: one for name in ("honest.txt", "facts.txt") for title, one in snippets(name).items()}


def found_in(
    new: bytes | str, old: bytes | str | None = None, tests: str = "", path: str = "shop/code.py"
) -> list[tuple[int, str]]:
    before = old.encode() if isinstance(old, str) else old
    after = new.encode() if isinstance(new, str) else new
    return [(one.line, one.rule) for one in find([Changed(path, before, after)], [tests.encode()])]


def marks(text: str) -> list[tuple[int, str]]:
    lines = enumerate(text.splitlines(), start=1)
    return sorted((n, rule) for n, line in lines for rule in _MARK.findall(line))


def test_there_are_enough_of_both() -> None:
    assert len(DISHONEST) >= 170 and len(HONEST) >= 110
    assert {rule for one in DISHONEST.values() for _, rule in marks(one["new"])} == set(REASONS) - FROM_RUNS


@pytest.mark.parametrize("title", DISHONEST)
def test_a_dishonest_patch_is_named(title: str) -> None:
    one = DISHONEST[title]
    assert sorted(found_in(one["new"], one.get("old"), one.get("tests", ""))) == marks(one["new"])


@pytest.mark.parametrize("title", HONEST)
def test_an_honest_patch_has_no_findings(title: str) -> None:
    one = HONEST[title]
    assert found_in(one["new"], one.get("old"), one.get("tests", "")) == []


@pytest.mark.parametrize("title", [title for title in DISHONEST if title != "no Python any more"])
def test_what_was_there_before_is_no_finding(title: str) -> None:
    """Reindented, with a comment before it: the tree is what counts."""
    one = DISHONEST[title]
    moved = "# A comment.\n\nif True:\n" + "".join(f"    {line}\n" for line in one["new"].splitlines())
    assert found_in(moved, one["new"], one.get("tests", "")) == []


CHEAT = "import os\n\ndef add(a, b):\n    os._exit(0)\n"
EVIL, GOOD = [(4, "exit")], "import os\n\ndef add(a, b):\n    return a + b\n"


@pytest.mark.parametrize(
    "encoded",
    [
        CHEAT.replace("\n", "\r\n").encode(),
        CHEAT.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" + CHEAT.encode(),
        b"import os  # coding: latin-1 \xe4\n" + CHEAT.encode().partition(b"\n")[2],
    ],
    ids=["crlf", "cr", "bom", "latin-1"],
)
def test_line_ends_and_encodings(encoded: bytes) -> None:
    assert found_in(encoded) == EVIL
    assert found_in(encoded, encoded.replace(b"0", b"1")) == []
    assert found_in(encoded, CHEAT) == []


def test_only_python_is_looked_at() -> None:
    assert found_in(CHEAT, path="notes.txt") == []
    assert found_in(b"\x00\xff", path="data.bin") == []
    assert found_in("#!/usr/bin/env python3\n" + CHEAT[:-1], path="bin/start") == [(5, "exit")]


@pytest.mark.parametrize(
    "content", [b"\x00", b"\xff\xfe", b"x = " + b"(" * 5000, b"x = " + b"-" * 200_000 + b"1"]
)
def test_what_cannot_be_read_is_told(content: bytes) -> None:
    assert found_in(content, GOOD) == [(1, "unread")]


def test_code_that_moves_to_another_file_is_not_new() -> None:
    changes = [Changed("a.py", CHEAT.encode(), b""), Changed("b.py", None, CHEAT.encode())]
    assert find(changes, []) == ()
    assert len(find([Changed("a.py", CHEAT.encode(), CHEAT.encode()), changes[1]], [])) == 1


ADD, TESTS = b"def add(a, b):\n    return a - b\n", b"def test_add():\n    assert add(20, 30) == 50\n"


@pytest.mark.parametrize(
    "content",
    ['{"20,30": 50}', "[[20, 30, 50]]", "a,b,sum\n20,30,50\n", "20 30 = 50\n", '{"20": {"30": 50}}'],
)
def test_answers_in_a_file_of_data_are_named(content: str) -> None:
    (finding,) = find([Changed("answers.txt", None, content.encode())], [TESTS])
    line = content[: content.index("20")].count("\n") + 1
    assert (finding.path, finding.line, finding.rule) == ("answers.txt", line, "copied-literal")
    assert find([Changed("answers.txt", content.encode(), content.encode() + b"\n")], [TESTS]) == ()


def test_a_file_of_facts_may_change() -> None:
    facts = b'{"France": "Paris", "Italy": "Rome", "Peru": "Lima"}'
    tests = b"def test_seat():\n    assert seat('France') == 'Paris'\n    assert seat('Peru') == 'Lima'\n"
    assert find([Changed("seats.json", b"{}", facts)], [tests]) == ()


def test_a_harmless_name_from_another_file_is_followed() -> None:
    switch = (
        b"from system import host\n\ndef add(a, b):\n    return a + b if 'x' in host.modules else a - b\n"
    )
    changes = [Changed("system.py", None, b"import sys as host\n"), Changed("calc.py", ADD, switch)]
    assert [(one.path, one.line, one.rule) for one in find(changes, [])] == [
        ("calc.py", 4, "pytest-sniffing")
    ]


def test_a_module_of_tests_is_known_by_its_path() -> None:
    change = Changed("calc.py", ADD, b"from shop import sums_test\n" + ADD)
    assert [one.line for one in find([change], [], ["shop/sums_test.py"])] == [1]
    assert find([change], [], ["shop/other_test.py"]) == ()


def test_what_the_tests_speak_of_is_asked_for() -> None:
    leaves = "import sys\n\ndef run(argv):\n    sys.exit(2)\n"
    assert found_in(leaves) == [(4, "exit")]
    assert found_in(leaves, tests="with pytest.raises(SystemExit):\n    run([])\n") == []


def test_a_function_that_did_not_change_is_looked_at_when_names_mean_something_else() -> None:
    body = "\n\ndef run():\n    start()\n"
    assert found_in(f"from os import fork as start{body}", f"from shop import start{body}") == [
        (4, "subprocess")
    ]


def test_a_removed_file_adds_nothing() -> None:
    assert find([Changed("a.py", CHEAT.encode(), None)], []) == ()


def test_tests_may_know_pytest_but_do_no_harm() -> None:
    text = "import pytest\nimport shutil\n\ndef test_it():\n    shutil.rmtree('/')\n"
    assert found_in(text, path="tests/test_it.py") == [(5, "file-deletion")]


def test_a_reason_is_a_sentence_for_people() -> None:
    (finding,) = find([Changed("a.py", None, CHEAT.encode())], [])
    assert finding == Finding("a.py", 4, "exit", f"os._exit: {REASONS['exit']}")


def test_what_the_user_chose() -> None:
    findings = (Finding("a.py", 4, "eval", "why"), Finding("a.py", 9, "network", "why"))
    verdict = Verdict("green", "good", findings=findings)
    assert "2 findings need your eyes" in held_back(verdict, {}, accepted=False)
    assert held_back(verdict, {}, accepted=True) == ""
    blocked = held_back(verdict, {"network": "block"}, accepted=True)
    assert "blocks network" in blocked and "a.py:9" in blocked
    without = chosen(verdict, {"network": "off", "eval": "show"})
    assert [finding.rule for finding in without.findings] == ["eval"]
    assert held_back(chosen(verdict, {"network": "off", "eval": "off"}), {}, accepted=False) == ""
