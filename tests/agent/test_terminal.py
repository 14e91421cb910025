"""The terminal's side: keys, what would be sent, recordings, and who waits for which library."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from agent.faults import BLOCK, RIGHT, WRONG
from cli.terminal import BROKEN, TESTS, Terminal
from scripted_models import call, openai_server, say

STUB = "def add(a, b):\n    ...\n"


@pytest.fixture
def terminal(tmp_path: Path) -> Terminal:
    root = tmp_path / "project"
    root.mkdir()
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    terminal = Terminal(root, tmp_path / "state", "bubblewrap")
    terminal.environment["UNTILGREEN_CACHE"] = str(tmp_path / "cache")
    return terminal


def test_without_a_key_nothing_starts(terminal: Terminal) -> None:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code, told = terminal.json("solve", "--solver", "model")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert code == told["exit_code"] == 4
    assert "OPENAI_API_KEY" in told["error"] and "ANTHROPIC_API_KEY" in told["error"]
    # Whatever else this machine does meanwhile.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2
    assert not list(terminal.state.rglob("*.jsonl"))


def test_a_server_that_does_not_run(terminal: Terminal) -> None:
    terminal.environment |= {"UNTILGREEN_MODEL_BASE_URL": "http://127.0.0.1:9/v1"}
    done = terminal.run("solve", "--solver", "model", "--model", "any")
    assert done.returncode == 4
    assert "Nobody answers at 127.0.0.1:9" in done.stderr
    assert "sandbox" not in done.stderr


def test_auto_without_a_key(terminal: Terminal) -> None:
    code, told = terminal.json("solve")
    assert (code, told["verdict"], told["solver"]) == (0, "green", "offline")
    (terminal.root / "calc.py").write_text(STUB)
    code, told = terminal.json("solve")
    assert (code, told["verdict"]) == (1, "stuck")
    assert "writing it takes a model" in told["reason"]
    assert "OPENAI_API_KEY" in told["reason"]


def test_what_would_be_sent(terminal: Terminal) -> None:
    """Nobody is asked, not even for a key; and nothing secret is in it."""
    key = "sk-proj-" + "x1Y2z3W4" * 5
    (terminal.root / "calc.py").write_text(f'{BROKEN}\nKEY = "{key}"\n')
    code, told = terminal.json("solve", "--solver", "model", "--show-prompt", "--note", "Only add is wrong.")
    assert code == 0
    assert [message["role"] for message in told["messages"]] == ["system", "user"]
    sent = told["messages"][1]["text"]
    assert "expected: 3" in sent and "def add" in sent and "Only add is wrong." in sent
    assert key not in str(told) and str(terminal.root) not in str(told)
    assert [tool["name"] for tool in told["tools"]][-1] == "give_up"
    done = terminal.run("solve", "--solver", "model", "--show-prompt")
    assert done.stdout.startswith("=== system ===") and "[redacted-1]" in done.stdout

    (terminal.root / "test_calc.py").write_text("def test_it():\n    assert True\n")
    code, told = terminal.json("solve", "--solver", "model", "--show-prompt")
    assert (code, told["messages"]) == (0, [])
    assert "Nothing would be sent" in told["reason"]


def test_a_recording_plays_without_a_server(terminal: Terminal, tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    script = [
        say("Add subtracts.") + call("edit_file", path="calc.py", old="a - b", new="a * b"),
        say("done"),
        call("edit_file", path="calc.py", old="a * b", new="a + b") + call("run_tests"),
    ]
    with openai_server(script) as server:
        terminal.environment["UNTILGREEN_MODEL_BASE_URL"] = server.base_url
        recorded = terminal.json("solve", "--solver", "model", "--model", "scripted", "--record", str(tape))
    del terminal.environment["UNTILGREEN_MODEL_BASE_URL"]
    played = terminal.json("solve", "--solver", "model", "--replay", str(tape))
    assert recorded[0] == played[0] == 0, (recorded, played)
    for name in ("verdict", "solver", "patch", "fixed", "tokens"):
        assert recorded[1][name] == played[1][name], name
    assert (played[1]["tokens"], played[1]["solver"]) == (360, "model")


def test_text_and_apply(terminal: Terminal) -> None:
    with openai_server([say(BLOCK.format(path="calc.py", old=WRONG, new=RIGHT))]) as server:
        terminal.environment["UNTILGREEN_MODEL_BASE_URL"] = server.base_url
        terminal.environment["UNTILGREEN_MODEL_TOOLS"] = "off"
        done = terminal.run("solve", "--solver", "model", "--model", "scripted", "--apply")
    assert done.returncode == 0, done.stderr
    assert (terminal.root / "calc.py").read_text() == BROKEN.replace("a - b", "a + b")
    assert "model: scripted gets about" in done.stderr, "the forecast comes before the first call"


@pytest.mark.parametrize(
    "program",
    [
        "import untilgreen.cli.app",
        "import untilgreen.lsp.server",
        "import untilgreen.engine, untilgreen.ladder\n"
        "from untilgreen.settings import Settings\n"
        "untilgreen.ladder.build(Settings(solver='offline'), {})",
    ],
    ids=["terminal", "editor", "offline"],
)
def test_nobody_waits_for_a_library_that_is_not_used(program: str) -> None:
    unwanted = "{'openai', 'anthropic', 'genai_prices', 'httpx'} & set(sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{program}\nprint({unwanted})"], capture_output=True, text=True
    )
    assert done.stdout == "set()\n", done.stdout + done.stderr
