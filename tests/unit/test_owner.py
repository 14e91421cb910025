"""Only a process that certainly runs no more is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.owner import Owner, is_gone, parse_stat, this_process

words = st.text("0123456789abcdef-", max_size=12)


@given(st.builds(Owner, words.filter(bool), words, words, st.integers(0, 2**31), words))
def test_text_and_parse_are_inverse(owner: Owner) -> None:
    assert Owner.parse(owner.text()) == owner


@pytest.mark.parametrize("text", ["", "a.b.c.1", "a.b.c.x.1", "a.b.c.-1.1", ".b.c.1.1", "a.b.c.²."])
def test_parse_refuses_what_text_never_writes(text: str) -> None:
    assert Owner.parse(text) is None


def test_this_process_is_not_gone() -> None:
    assert this_process() == this_process()
    assert not is_gone(this_process())


def test_an_ended_child_is_gone_even_as_a_zombie() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    owner = replace(this_process(), pid=child.pid, started="")
    assert not is_gone(owner)
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(owner), "the zombie has not been waited for"
    child.communicate()
    assert is_gone(owner)


def test_a_reused_pid_is_another_process() -> None:
    assert is_gone(replace(this_process(), started="1"))


def test_a_restart_of_the_machine_ends_every_process() -> None:
    assert is_gone(replace(this_process(), boot="another"))


def test_what_we_cannot_see_is_never_gone() -> None:
    stranger = replace(this_process(), boot="another", pid=2**22 + 1, started="1")
    assert is_gone(stranger)
    assert not is_gone(replace(stranger, machine="another"))
    assert not is_gone(replace(stranger, namespace="another"))


@given(st.text(), st.sampled_from("RSDZT"), st.integers(0, 10**9))
def test_the_command_cannot_disturb_the_start_time(command: str, state: str, started: int) -> None:
    line = f"12 ({command}) {state} " + " ".join(["7"] * 18) + f" {started} " + " ".join(["9"] * 30)
    stat = parse_stat(line)
    assert stat is not None
    assert (stat.state, stat.started) == (state, str(started))
