"""A fix that needs eyes is green, and is not written before somebody says so."""

from __future__ import annotations

import pytest

from cli.terminal import BROKEN, FIXED, Terminal

pytestmark = pytest.mark.dealt

NEEDS_EYES = "import subprocess\n\n\ndef add(a, b):\n    subprocess.run(['true'])\n    return a + b\n"


@pytest.fixture
def solver(terminal: Terminal) -> str:
    return terminal.propose({"calc.py": NEEDS_EYES})


def test_apply_shows_findings_and_writes_only_what_is_accepted(terminal: Terminal, solver: str) -> None:
    calc = terminal.root / "calc.py"
    code, told = terminal.json("solve", "--solver", solver)
    assert (code, told["verdict"]) == (0, "green")

    code, told = terminal.json("solve", "--solver", solver, "--apply")
    assert (code, told["verdict"]) == (1, "green")
    [finding] = told["findings"]
    assert (finding["path"], finding["line"], finding["rule"]) == ("calc.py", 5, "subprocess")
    assert "--accept-findings" in told["reason"]
    assert calc.read_text() == BROKEN

    done = terminal.run("solve", "--solver", solver, "--apply")
    assert done.returncode == 1
    assert "calc.py:5  subprocess  subprocess.run: it starts another program" in done.stdout
    assert "--accept-findings" in done.stderr
    assert calc.read_text() == BROKEN

    code, told = terminal.json("solve", "--solver", solver, "--apply", "--accept-findings")
    assert (code, len(told["findings"])) == (0, 1)
    assert calc.read_text() == NEEDS_EYES


def test_a_blocked_rule_is_never_written(terminal: Terminal, solver: str) -> None:
    terminal.environment["UNTILGREEN_FINDINGS"] = "subprocess=block"
    code, told = terminal.json("solve", "--solver", solver, "--apply", "--accept-findings")
    assert (code, told["verdict"]) == (1, "green")
    assert "blocks subprocess, and calc.py:5 has it" in told["reason"]
    assert (terminal.root / "calc.py").read_text() == BROKEN


def test_a_rule_that_is_off_finds_nothing(terminal: Terminal, solver: str) -> None:
    terminal.environment["UNTILGREEN_FINDINGS"] = "subprocess=off, eval=block"
    code, told = terminal.json("solve", "--solver", solver, "--apply")
    assert (code, told["findings"]) == (0, [])
    assert (terminal.root / "calc.py").read_text() == NEEDS_EYES


def test_a_repository_cannot_switch_a_rule_off(terminal: Terminal, solver: str) -> None:
    (terminal.root / "pyproject.toml").write_text('[tool.untilgreen.findings]\nsubprocess = "off"\n')
    code, told = terminal.json("solve", "--solver", solver, "--apply")
    assert (code, len(told["findings"])) == (1, 1)
    assert (terminal.root / "calc.py").read_text() == BROKEN


def test_an_honest_fix_needs_no_flag(terminal: Terminal) -> None:
    code, told = terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    assert (code, told["findings"]) == (0, [])
    assert (terminal.root / "calc.py").read_text() == FIXED
