"""Exit codes and JSON: what scripts rely on."""

from __future__ import annotations

import pytest

from cli.terminal import BROKEN, FIXED, Terminal

pytestmark = pytest.mark.dealt

SOLVE_KEYS = (
    *("schema", "verdict", "reason", "solver", "patch", "fixed", "broken", "still_failing", "flaky"),
    *("environment", "findings", "weak", "scope", "confidence", "rivals", "candidates", "attempts"),
    *("seconds", "tokens", "usd", "job", "sandbox"),
)


def test_test_tells_each_test(terminal: Terminal, backend: str) -> None:
    code, told = terminal.json("test")
    assert code == 1
    assert (told["schema"], told["green"], told["ended"], told["rung"]) == (1, False, "finished", "cold")
    assert told["sandbox"] == backend
    assert [(test["id"], test["outcome"]) for test in told["tests"]] == [
        ("test_calc.py::test_add", "failed"),
        ("test_calc.py::test_zero", "passed"),
    ]
    first = told["tests"][0]
    assert (first["path"], first["line"]) == ("test_calc.py", 4)
    assert "assert -1 == 3" in first["message"]


def test_test_of_one_id_is_green_when_that_one_is(terminal: Terminal) -> None:
    code, told = terminal.json("test", "test_calc.py::test_zero")
    assert (code, told["green"], len(told["tests"])) == (0, True, 1)


def test_solve_shows_and_apply_writes_and_undo_gives_back(terminal: Terminal) -> None:
    calc = terminal.root / "calc.py"
    solver = terminal.propose({"calc.py": FIXED})
    code, told = terminal.json("solve", "--solver", solver)
    assert code == 0, told
    assert tuple(told) == SOLVE_KEYS
    assert (told["verdict"], told["fixed"]) == ("green", ["test_calc.py::test_add"])
    assert "+    return a + b" in told["patch"]
    assert calc.read_text() == BROKEN

    code, told = terminal.json("solve", "--solver", solver, "--apply")
    assert code == 0
    assert calc.read_text() == FIXED

    assert terminal.json("test")[0] == 0
    assert terminal.json("solve", "--solver", solver)[1]["verdict"] == "already_green"

    code, undone = terminal.json("undo")
    assert (code, undone["undone"]) == (0, ["calc.py"])
    assert calc.read_text() == BROKEN
    code, told = terminal.json("undo")
    assert code == 1
    assert "left to undo" in told["error"]


def test_without_a_script_the_fix_is_searched_for(terminal: Terminal) -> None:
    code, told = terminal.json("solve")
    assert code == 0, told
    assert (told["verdict"], told["solver"]) == ("green", "offline")
    assert "+    return a + b" in "".join((told["patch"], *told["rivals"]))
    assert told["candidates"] > 0
    assert (told["confidence"] == "contested") == bool(told["rivals"])
    assert "In `calc.py`, `add`:" in told["attempts"][-1]["hypothesis"]


def test_undo_never_loses_an_edit(terminal: Terminal) -> None:
    calc = terminal.root / "calc.py"
    terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    calc.write_text(FIXED + "# mine\n")
    code, told = terminal.json("undo")
    assert code == 1
    assert "calc.py was edited since" in told["error"]
    assert calc.read_text() == FIXED + "# mine\n"
    assert terminal.json("undo", "--force")[0] == 0
    assert calc.read_text() == BROKEN


def test_a_dishonest_patch_is_not_green_and_never_written(terminal: Terminal) -> None:
    tests = terminal.root / "test_calc.py"
    before = tests.read_text()
    cheats = ({"test_calc.py": "def test_add(): pass\n"}, {"calc.py": "import os\nos._exit(0)\n"})
    solver = terminal.propose(*cheats)
    code, told = terminal.json("solve", "--solver", solver, "--apply")
    assert (code, told["verdict"]) == (1, "stuck")
    assert [(finding["path"], finding["rule"]) for finding in told["findings"]] == [("test_calc.py", "test")]
    assert told["patch"] == ""
    assert tests.read_text() == before
    assert (terminal.root / "calc.py").read_text() == BROKEN


def test_no_tests_is_not_green(terminal: Terminal) -> None:
    (terminal.root / "test_calc.py").unlink()
    assert terminal.json("test")[0] == 1
    assert terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}))[0] == 1


def test_the_screen_for_people(terminal: Terminal) -> None:
    done = terminal.run("solve", "--solver", terminal.propose({"calc.py": FIXED}))
    assert done.returncode == 0
    assert "+    return a + b" in done.stdout
    assert "green  1 failing test passes now and no other broke" in done.stdout
    assert "verifying all 2 tests in a fresh sandbox" in done.stderr
