"""A template and its forks, where both have one user: a test can end the template, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from hostile.unprivileged import Unprivileged, opened

PRISTINE = {
    "code_.py": "def answer():\n    return 41\n",
    "test_code.py": "from code_ import answer\n\ndef test_answer():\n    assert answer() == 42\n",
}
ID = "test_code.py::test_answer"
RIGHT = "def answer():\n    return 42\n"
# Each looks at the process that it was forked from.
LOOKS = """\
    import os, resource
    def answer():
        parent = os.getppid()
        for name in ("mem", "environ", "fd", "maps", "root", "cwd"):
            try:
                os.listdir(f"/proc/{parent}/fd") if name == "fd" else open(f"/proc/{parent}/{name}").read(1)
                return name
            except OSError:
                pass
        try:
            resource.prlimit(parent, resource.RLIMIT_AS, (0, 0))
            return "limits"
        except PermissionError:
            return 42
    """
KILLS = """\
    import os, signal
    def answer():
        os.kill(os.getppid(), signal.{})
        return 42
    """


@pytest.fixture(scope="module")
def unprivileged() -> Iterator[Unprivileged]:
    """Here the rung is found by the box itself."""
    with opened() as run:
        yield run


def test_runs_are_forked(unprivileged: Unprivileged) -> None:
    told = unprivileged({"code_.py": RIGHT}, {"code_.py": "1 / 0"}, {"code_.py": RIGHT}, files=PRISTINE)
    assert [one.rung for one in told] == ["checkpoint"] * 3
    assert [one.cases[ID][0] if ID in one.cases else "" for one in told] == ["passed", "", "passed"]


def test_the_template_is_closed_to_its_forks(unprivileged: Unprivileged) -> None:
    (told,) = unprivileged({"code_.py": LOOKS}, files=PRISTINE)
    assert (told.rung, told.cases) == ("checkpoint", {ID: ("passed", "")})


def test_without_its_template_a_run_is_done_again(unprivileged: Unprivileged) -> None:
    right = {"code_.py": RIGHT}
    told = unprivileged(right, {"code_.py": KILLS.format("SIGKILL")}, right, files=PRISTINE)
    assert [one.rung for one in told] == ["checkpoint", "cold", "checkpoint"]
    # In a new process its parent is the program inside, which no signal of this box can end.
    assert [one.cases[ID][0] for one in told] == ["passed"] * 3


def test_a_template_that_is_stopped_is_given_up(unprivileged: Unprivileged) -> None:
    right = {"code_.py": RIGHT}
    told = unprivileged(right, {"code_.py": KILLS.format("SIGSTOP")}, right, files=PRISTINE)
    assert [one.rung for one in told] == ["checkpoint", "cold", "checkpoint"]
    assert [one.cases[ID][0] for one in told] == ["passed"] * 3
