"""A template and its forks: where both have one user, a test can end the template, and nothing else."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import pytest

from boxes import Rig, run
from hostile.unprivileged import Unprivileged, opened
from untilgreen.model import FileChange, Patch
from untilgreen_sandbox.errors import BoxLost

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
        {}
        return 42
    """
BREAKS_OFF = "os._exit(3)"
# It says that it ends, and does not.
STAYS = """\
    import os, time
    def answer():
        os._exit = lambda status: time.sleep(60)
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


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_without_its_template_a_run_that_breaks_off_is_done_again(
    unprivileged: Unprivileged, how: str
) -> None:
    right, kills = {"code_.py": RIGHT}, {"code_.py": KILLS.format(how, BREAKS_OFF)}
    told = unprivileged(right, kills, right, files=PRISTINE)
    # In a new process its parent is the program inside, which no signal of this box can end.
    assert [one.rung for one in told] == ["checkpoint", "cold", "checkpoint"]
    assert [one.ended for one in told] == ["finished", "crashed", "finished"]
    assert [one.cases[ID][0] for one in (told[0], told[2])] == ["passed"] * 2


@pytest.mark.parametrize("how", ["SIGKILL", "SIGSTOP"])
def test_a_template_that_a_run_ended_is_made_anew(unprivileged: Unprivileged, how: str) -> None:
    right, kills = {"code_.py": RIGHT}, {"code_.py": KILLS.format(how, "")}
    told = unprivileged(right, kills, right, files=PRISTINE)
    # Whether its own run is done again depends on what is seen first: its word, or its end.
    assert [one.rung for one in (told[0], told[2])] == ["checkpoint"] * 2
    assert [one.cases[ID][0] for one in told] == ["passed"] * 3


@pytest.mark.parametrize("backend", ["bubblewrap", "docker"], indirect=True)
async def test_a_run_that_says_it_ends_and_stays_takes_its_box_with_it(rig: Rig) -> None:
    async with rig.box(PRISTINE) as box:
        told = await run(box, {"code_.py": STAYS})
        assert (told.rung, told.outcomes()) == ("checkpoint", {ID: "passed"}), told
        with pytest.raises(BoxLost):
            await run(box, {"code_.py": RIGHT})


@pytest.mark.parametrize("backend", ["bubblewrap", "docker"], indirect=True)
async def test_after_a_run_that_stays_the_next_one_has_another_box(rig: Rig) -> None:
    async with rig.bench(PRISTINE) as bench:
        for text in (STAYS, RIGHT):
            patch = Patch({"code_.py": FileChange(textwrap.dedent(text).encode())})
            assert (await bench.run(patch)).outcomes() == {ID: "passed"}
