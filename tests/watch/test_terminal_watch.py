"""The terminal's door to watch mode: real files, watcher and sandbox; the journal is the witness."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from boxes import eventually, processes_with
from watch.project import BUGS, CALC, GOOD, TESTS, Project
from watch.session import PATIENCE, environment, watching

pytestmark = pytest.mark.timeout(900)
FIXED = "✓ fixed calc.py: 1 test passes again. Take it back with: untilgreen undo "


def test_a_day_of_bugs(project: Project) -> None:
    """Broken, fixed without a model, undone, left alone, and fixed again when it is another bug."""
    with watching(project, "--mode", "fix") as session:
        session.until_learnt()
        project.write({"calc.py": BUGS["add"]})
        session.until(FIXED)
        assert project.read() == CALC
        assert project.causes() == ["watch: started", "watch: the other tests", "watch: saved calc.py"]
        assert project.causes("solve") == ["watch: saved calc.py; tests fail"]
        # Touched, and rewritten with what it holds: no change.
        os.utime(project.root / "calc.py")
        project.write({"calc.py": CALC})
        undone = session.command("undo")
        assert undone.returncode == 0 and project.read() == BUGS["add"]
        session.until("it is not made again")
        assert project.read() == BUGS["add"], "the user's wish"
        project.write({"calc.py": BUGS["largest"]})
        session.until(FIXED, 2)
        assert project.read() == CALC
        assert all(cause == "watch: saved calc.py" for cause in project.causes()[2:] if "other" not in cause)
        project.write({"calc.py": BUGS["sub"]})
        session.until(FIXED, 3)
        project.write({"calc.py": CALC.replace("a + b", "a * b")})
        session.until("was fixed 3 times within ten minutes")
        assert "a * b" in project.read(), "quiet from here on"
        begun = time.monotonic()
        assert session.end() == 130
        assert time.monotonic() - begun < 10
    eventually(lambda: not processes_with(str(project.root)))


def test_a_suggestion_is_accepted_and_modes_switch(project: Project) -> None:
    solver = project.propose({"calc.py": CALC})
    with watching(project, "--mode", "suggest", solver=solver) as session:
        session.until("tests green")
        project.write({"calc.py": BUGS["sub"]})
        session.until("? a verified fix for calc.py")
        assert project.read() == BUGS["sub"], "nothing is written"
        session.key("a")
        session.until(FIXED)
        assert project.read() == CALC
        session.key("u")
        session.until("! Undone: calc.py")
        assert project.read() == BUGS["sub"]
        session.key("m")
        session.until("mode fix")
        session.until("it is not made again")
        project.write({"calc.py": BUGS["add"]})
        session.until(FIXED, 2)
        session.key("m")
        session.until("mode diagnose")
        project.write({"calc.py": BUGS["largest"]})
        session.until("test_calc.py::test_largest  ")
        session.key("p")
        session.until("paused: you pressed p")
        jobs = len(project.jobs())
        project.write({"calc.py": CALC})
        session.key("p")
        eventually(lambda: len(project.jobs()) > jobs, PATIENCE)
        assert "largest" not in project.causes("solve")[-1] and project.read() == CALC
        session.key("r")
        session.until("· test: watch: asked to run again")
        session.key("q")
        assert session.process.wait(30) == 0


def test_only_what_this_session_wrote_is_undone_by_its_key(project: Project) -> None:
    solver = project.propose({"calc.py": CALC})
    project.write({"calc.py": BUGS["largest"]})
    with watching(project, "--mode", "fix", solver=solver) as session:
        session.until(FIXED)
    with watching(project, "--mode", "fix", solver=solver) as session:
        session.until("tests green")
        for times, bug in enumerate(("sub", "add"), start=1):
            project.write({"calc.py": BUGS[bug]})
            session.until(FIXED, times)
        undone = session.command("undo")
        assert undone.returncode == 0 and project.read() == BUGS["add"]
        session.until("it is not made again")
        session.key("u")
        session.until("is undone already")
        project.write({"calc.py": CALC})
        session.until("· test: watch: saved calc.py", 4)
        session.key("u")
        session.until("! Undone: calc.py")
        assert project.read() == BUGS["sub"]
        session.key("u")
        session.until("! No fix of this session is left to undo")
        assert project.read() == BUGS["sub"], "what an earlier session wrote is left alone"


def test_many_saves_are_one_and_unfinished_code_waits(project: Project) -> None:
    many = {f"part{n}.py": f"N = {n}\n" for n in range(30)}
    project.write(many)
    with watching(project, "--mode", "fix", solver=project.propose({"calc.py": CALC})) as session:
        session.until_learnt()
        project.write({name: text + "# all saved\n" for name, text in many.items()})
        eventually(
            lambda: "watch: saved part0.py, part1.py, part10.py, 27 more" in project.causes(), PATIENCE
        )
        # A formatter comes after the save, again and again: still one.
        for spaces in range(1, 4):
            project.write({"calc.py": BUGS["add"] + "\n" * spaces})
        session.until(FIXED)
        assert len([job for job in project.jobs() if job.kind == "solve" and job.verdict == "green"]) == 1
        project.write({"calc.py": CALC + "\n\ndef mean(numbers"})
        session.until("waiting: calc.py does not parse yet (line 17)")
        project.write({"calc.py": BUGS["add"] + "\n\ndef mean(numbers):\n    pass\n"})
        session.until("waiting: mean in calc.py has just been begun")
        solves = project.causes("solve")
        project.write({"calc.py": CALC + "\n\ndef mean(numbers):\n    return sum(numbers) / len(numbers)\n"})
        session.until("tests green", 2)
        assert project.causes("solve") == solves, "nobody looked for a fix meanwhile"


def test_an_edit_during_a_run_is_what_counts(project: Project) -> None:
    slow = TESTS + "\n\ndef test_slow():\n    import time\n\n    time.sleep(1.5)\n"
    project.write({"test_calc.py": slow})
    with watching(project, "--mode", "diagnose") as session:
        session.until("· test: watch: started")
        for n in range(3):
            project.write({"calc.py": BUGS["add"] + f"# {n}\n"})
            session.until("· test: watch: ", n + 2)
        project.write({"calc.py": BUGS["sub"]})
        session.until("test_calc.py::test_sub  ")
        jobs = project.jobs()
        assert "stopped" in [job.verdict for job in jobs], "what was overtaken ended early"
        last = [job for job in jobs if job.verdict == "stuck"][-1]
        assert last.outcomes["test_calc.py::test_sub"] == "failed"
        assert last.outcomes["test_calc.py::test_add"] == "passed"


def test_git_and_floods_make_it_pause(project: Project) -> None:
    (project.root / ".gitignore").write_text("*.log\nmade.py\n")
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "good")
    project.git("checkout", "-qb", "bad")
    project.write({"calc.py": BUGS["add"]})
    project.git("commit", "-qam", "bad")
    project.git("checkout", "-q", "main")
    with watching(project, "--mode", "fix", solver=project.propose({"calc.py": CALC})) as session:
        session.until_learnt()
        # What is ignored, and what git itself keeps, is nothing to run tests for.
        project.write({"made.py": "X = 1\n", "run.log": "1\n"})
        project.git("add", "-A")
        project.git("checkout", "-q", "bad")
        session.until("paused: another branch was checked out")
        session.until("✗ 1 of 3 tests not green")
        assert project.causes()[2] == "watch: another branch was checked out"
        assert not [cause for cause in project.causes() if "saved" in cause]
        assert project.read() == BUGS["add"] and project.causes("solve") == []
        project.git("checkout", "-q", "main")
        session.until("tests green", 2)
        flood = project.root.parent / "flood"
        flood.mkdir()
        for n in range(500):
            (flood / f"part{n}.py").write_text(f"N = {n}\n")
        flood.rename(project.root / "flood")
        session.until("paused: 500 files changed at once")
        session.until("· test: watch: 500 files changed at once")
        session.until("tests green", 3)
        project.write({"calc.py": BUGS["sub"]})
        session.until(FIXED)
        assert project.read() == CALC


@pytest.mark.parametrize("polling", ["", "true"], ids=["told", "polled"])
def test_folders_come_and_go(project: Project, monkeypatch: pytest.MonkeyPatch, polling: str) -> None:
    """Also where the operating system tells nothing."""
    if polling:
        monkeypatch.setenv("WATCHFILES_FORCE_POLLING", polling)
    package = {
        "shop/__init__.py": "",
        "shop/calc.py": CALC,
        "test_calc.py": TESTS.replace("calc", "shop.calc", 1),
    }
    (project.root / "calc.py").unlink()
    project.write(package)
    aside = project.root.parent / "aside"
    with watching(project, "--mode", "diagnose") as session:
        session.until("tests green")
        (project.root / "shop").rename(aside)
        session.until("shop is not there")
        aside.rename(project.root / "shop")
        session.until("tests green", 2)
        project.root.rename(aside)
        project.write({**package, "shop/calc.py": BUGS["add"]})
        session.until("test_calc.py::test_add  ")
        project.write({"shop/calc.py": CALC})
        session.until("tests green", 3)


def test_once_is_one_round(project: Project) -> None:
    from watch.session import Session

    project.write({"calc.py": BUGS["add"]})
    session = Session(project, "--once", "--mode", "fix")
    assert session.process.wait(PATIENCE) == 0, session.lines
    assert project.read() == CALC
    red = Session(project, "--once", "--mode", "diagnose", "test_calc.py::test_sub")
    project.write({"calc.py": BUGS["sub"]})
    assert red.process.wait(PATIENCE) == 1, red.lines
    none = Session(project, "--once", "calc.py")
    assert none.process.wait(PATIENCE) == 1, none.lines
    eventually(lambda: none.told("! No test matches calc.py."))
    assert not none.told("green"), "no test is not green"
    project.write({"test_calc.py": "import numbers_of_others\n\n\ndef test_it():\n    assert True\n"})
    blocked = Session(project, "--once", "--mode", "fix")
    assert blocked.process.wait(PATIENCE) == 3, blocked.lines
    wrong = Session(project, "--mode", "sometimes")
    assert wrong.process.wait(PATIENCE) == 2
    eventually(lambda: wrong.told("There is no mode 'sometimes'"))
    for done in (session, red, none, blocked, wrong):
        for pipe in (done.process.stdin, done.process.stdout):
            assert pipe is not None
            done._reader.join(10)
            pipe.close()


def test_it_ends_when_nobody_reads_any_more(project: Project) -> None:
    command = [sys.executable, "-m", "untilgreen", "watch", "--mode", "diagnose"]
    process = subprocess.Popen(
        command, cwd=project.root, env=environment(project), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == b"watching\n"
        # As `head` does when it has seen enough.
        process.stdout.close()
        assert process.wait(60) == 130, "the first run has something to tell"
        process.stdin.close()
    finally:
        process.kill()
        process.wait(30)
    eventually(lambda: not processes_with(str(project.root)))


def test_it_outlives_its_terminal_when_it_should(project: Project) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        # As nohup starts it.
        with watching(project, "--mode", "diagnose") as session:
            session.until_learnt()
            session.process.send_signal(signal.SIGHUP)
            project.write({"calc.py": BUGS["add"]})
            session.until("not green")
            assert session.end(signal.SIGTERM) == 143
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_commit_between_two_saves_is_no_reason_to_pause(project: Project) -> None:
    project.git("init", "-q")
    project.git("add", ".")
    project.git("commit", "-qm", "good")
    with watching(project, "--mode", "fix", solver=project.propose({"calc.py": CALC})) as session:
        session.until_learnt()
        project.write({"calc.py": CALC + "# one\n"})
        session.until("tests green", 2)
        project.git("commit", "-qam", "two")
        project.write({"calc.py": BUGS["add"]})
        session.until(FIXED)
        assert project.read() == CALC and not session.told("paused")


def test_a_fix_on_docker(project: Project) -> None:
    with watching(
        project, "--mode", "fix", backend="docker", solver=project.propose({"calc.py": CALC})
    ) as session:
        session.until("tests green")
        project.write({"calc.py": BUGS["add"]})
        session.until(FIXED)
        assert project.read() == CALC
        assert session.end(signal.SIGTERM) == 143
    assert GOOD["test_calc.py"] == project.read("test_calc.py")
