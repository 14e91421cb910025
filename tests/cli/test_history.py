"""What happened can be seen and checked again; what was written can be taken back, and taken back again."""

from __future__ import annotations

import pytest

from cli.terminal import BROKEN, FIXED, TESTS, Terminal

WRONG = "def add(a, b):\n    return a * b\n"


@pytest.fixture
def backend() -> str:
    return "bubblewrap"


def test_the_way_of_a_job(terminal: Terminal) -> None:
    assert terminal.json("history") == (0, {"schema": 1, "jobs": []})
    assert "No job has run" in terminal.run("history").stdout
    cheat = {"test_calc.py": "def test_add(): pass\n"}
    solver = terminal.propose({"calc.py": WRONG}, cheat, {"calc.py": FIXED})
    _, solved = terminal.json("solve", "test_calc.py::test_add", "--solver", solver, "--apply")
    job = solved["job"]

    code, told = terminal.json("history")
    assert code == 0
    (row,) = told["jobs"]
    assert (row["job"], row["kind"], row["verdict"], row["state"]) == (job, "solve", "green", "applied")
    assert (row["tests"], row["paths"]) == (["test_calc.py::test_add"], ["calc.py"])
    assert row["cause"] == "untilgreen solve" and row["seconds"] > 0

    code, told = terminal.json("history", job)
    steps = told["timeline"]
    runs = [(step["attempt"], step["passed"], step["tests"]) for step in steps if step["tests"]]
    assert runs == [(0, 1, 2), (1, 1, 2), (3, 2, 2)]
    assert any(step["attempt"] == 2 and "refused" in step["text"] for step in steps)
    assert steps[-1]["text"] == "written: calc.py"
    plain = terminal.run("history", job).stdout
    assert "[2 of 2 pass]" in plain and f"untilgreen undo {job}" in plain

    undone = terminal.json("undo")[1]
    assert undone["undoes"] == job
    rows = terminal.json("history")[1]["jobs"]
    assert [(row["kind"], row["state"]) for row in rows] == [("undo", "applied"), ("solve", "undone")]
    assert terminal.json("undo", undone["job"])[0] == 0
    assert (terminal.root / "calc.py").read_text() == FIXED
    shown = terminal.run("history").stdout
    assert f"undo {job}" in shown and "green" in shown
    assert len(terminal.json("history", "--most", "1")[1]["jobs"]) == 1
    assert terminal.json("history", "--root", str(terminal.root.parent))[1]["jobs"] == []


def test_an_edit_that_an_undo_would_lose_is_shown(terminal: Terminal) -> None:
    calc = terminal.root / "calc.py"
    terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    calc.write_text(FIXED + "# mine\n")
    code, told = terminal.json("undo")
    assert (code, told["exit_code"]) == (1, 1)
    assert "+# mine\n" in told["lost"] and "-    return" not in told["lost"]
    plain = terminal.run("undo")
    assert (plain.returncode, plain.stdout) == (1, "")
    assert "+# mine" in plain.stderr and "--force" in plain.stderr
    _, undone = terminal.json("undo", "--force")
    assert calc.read_text() == BROKEN
    terminal.json("undo", undone["job"])
    assert calc.read_text() == FIXED + "# mine\n"


def test_a_verdict_is_checked_again(terminal: Terminal) -> None:
    calc, tests = terminal.root / "calc.py", terminal.root / "test_calc.py"
    _, solved = terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    job = solved["job"]
    # As the fix left the tree, and as it was before.
    for text in (FIXED, BROKEN):
        calc.write_text(text)
        code, told = terminal.json("history", job, "--verify")
        assert (code, told["confirmed"], told["differs"], told["sandbox"]) == (0, True, [], "bubblewrap"), (
            told
        )
        assert "2 of 2 tests pass" in told["reason"]
    tests.write_text(TESTS.replace("3", "4"))
    (terminal.root / "new.py").write_text("")
    code, told = terminal.json("history", job, "--verify")
    assert (code, told["confirmed"], told["differs"]) == (1, False, ["new.py", "test_calc.py"])
    assert "new.py, test_calc.py" in told["reason"]
    assert terminal.json("history", "--verify")[0] == 2
    assert terminal.json("history", "0", "--verify")[0] == 2


def test_a_test_that_tells_something_else_now_is_not_confirmed(terminal: Terminal) -> None:
    # Outside of the tree that is compared: the environment that every test sees.
    (terminal.root / "test_calc.py").write_text(
        "import os\n\ndef test_home():\n    assert os.cpu_count() != 0\n\ndef test_bad():\n    assert 0\n"
    )
    assert terminal.json("test")[0] == 1
    job = terminal.json("history")[1]["jobs"][0]["job"]
    code, told = terminal.json("history", job, "--verify")
    assert (code, told["verdict"], told["confirmed"]) == (1, "stuck", True), "confirmed, and still not green"
    log = terminal.state / "jobs" / f"{job}.jsonl"
    log.write_text(log.read_text().replace('"outcome":"failed"', '"outcome":"error"'))
    code, told = terminal.json("history", job, "--verify")
    assert (code, told["confirmed"], told["tests"]) == (1, False, ["test_calc.py::test_bad"])
    assert "was error and is failed now" in told["reason"]
