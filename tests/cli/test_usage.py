"""Wrong usage, missing parts, the demo: what does not depend on where tests run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.terminal import Terminal
from untilgreen import __version__


@pytest.fixture
def backend() -> str:
    return "bubblewrap"


def test_the_version_is_told(terminal: Terminal) -> None:
    done = terminal.run("--version")
    assert (done.returncode, done.stdout) == (0, f"untilgreen {__version__}\n")


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("test", "nowhere.py"), 2, "nowhere.py does not exist"),
        (("test", "--root", "nowhere"), 2, "is not a folder"),
        (("test", "--sandbox", "chroot"), 2, "sandbox: input should be 'auto', 'docker' or 'bubblewrap'"),
        (("solve", "--solver", "magic"), 2, "solver"),
        (("solve", "--solver", "model"), 4, "OPENAI_API_KEY"),
        (("solve", "--solver", "offline", "--show-prompt"), 2, "asks no model"),
        (("solve", "--replay", "nowhere.jsonl"), 2, "cannot be read"),
        (("solve", "--solver", "scripted:nowhere.json"), 2, "cannot be read"),
        (("solve", "--max-attempts", "0"), 2, "max_attempts"),
        (("solve", "--max-usd", "-1"), 2, "max_usd"),
        (("undo", "../../x"), 1, "is not the name of a job"),
    ],
)
def test_wrong_usage_is_told(arguments: tuple[str, ...], code: int, said: str, terminal: Terminal) -> None:
    returned, told = terminal.json(*arguments)
    assert (returned, told["exit_code"]) == (code, code)
    assert said in told["error"]
    plain = terminal.run(*arguments)
    assert plain.returncode == code
    assert plain.stdout == ""
    assert "Traceback" not in plain.stderr


def test_without_a_sandbox_nothing_runs(terminal: Terminal, tmp_path: Path) -> None:
    terminal.environment |= {"PATH": str(tmp_path), "UNTILGREEN_SANDBOX": "auto"}
    terminal.environment["DOCKER_HOST"] = f"unix://{tmp_path}/no.sock"
    code, told = terminal.json("test")
    assert code == 3
    assert "docker: no engine answers" in told["error"]
    assert "apt-get install bubblewrap" in told["error"]


def test_events_are_json_lines_when_asked_for(terminal: Terminal) -> None:
    done = terminal.run("test", "--verbose")
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    names = [line["type"] for line in lines]
    assert (names[0], names[-1]) == ("job_started", "finished")
    journal = next((terminal.state / "jobs").glob("*.jsonl"))
    assert [json.loads(line)["type"] for line in journal.read_text().splitlines()] == names


def test_the_demo_works_and_leaves_nothing(terminal: Terminal) -> None:
    done = terminal.run("demo")
    assert done.returncode == 0, done.stderr
    assert "not green  14 of 66 tests failed." in done.stdout
    assert "14 failing tests pass now and no other broke: 66 of 66 passed in a fresh sandbox" in done.stdout
    for name in ("labels", "orders", "prices", "seasons", "stock"):
        assert f"+++ b/src/teashop/{name}.py" in done.stdout
    assert "5 files are as they were" in done.stdout
    assert list((terminal.state / "scratch").iterdir()) == []


def test_the_demo_can_be_kept(terminal: Terminal) -> None:
    assert terminal.run("demo", "--apply").returncode == 0
    kept = terminal.root / "untilgreen-demo"
    assert "if cents >= free_from:" in (kept / "src/teashop/prices.py").read_text()
    again = terminal.run("demo", "--apply")
    assert again.returncode != 0
    assert "exists already" in again.stderr
