"""The doctor says what is there, what is missing and what to do; clean gives back what is ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import docker
import pytest

from cli.terminal import FIXED, Terminal
from untilgreen_sandbox.image import LABEL


@pytest.fixture
def backend() -> str:
    return "docker"


def _check(told: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = [check for check in told["checks"] if check["name"] == name]
    return dict(found)


def test_all_is_well(terminal: Terminal) -> None:
    code, told = terminal.json("doctor", "--images")
    assert (code, told["can_solve"]) == (0, True)
    assert _check(told, "docker")["state"] == "good"
    assert _check(told, "bubblewrap")["state"] == "good"
    assert "Python 3." in _check(told, "python")["detail"]
    assert "2 files" in _check(told, "workspace")["detail"]
    plain = terminal.run("doctor")
    assert plain.returncode == 0
    assert plain.stdout.splitlines()[-1] == "ready"


def test_nothing_is_there(terminal: Terminal, tmp_path: Path) -> None:
    terminal.environment |= {"PATH": str(tmp_path), "DOCKER_HOST": f"unix://{tmp_path}/no.sock"}
    code, told = terminal.json("doctor", "--images")
    assert (code, told["can_solve"]) == (3, False)
    assert "start Docker" in _check(told, "docker")["remedy"]
    assert "apt-get install bubblewrap" in _check(told, "bubblewrap")["remedy"]
    assert told["images"] == []


def test_what_is_odd_is_told(terminal: Terminal) -> None:
    (terminal.root / ".venv/bin").mkdir(parents=True)
    (terminal.root / ".venv/bin/python").write_text("#!/bin/sh\nexit 0\n")
    (terminal.root / ".env").write_text("SECRET=1\n")
    _, told = terminal.json("doctor")
    assert _check(told, "python")["state"] == "note"
    assert ".venv" in _check(told, "python")["detail"]
    assert ".env" in _check(told, "workspace")["detail"]


def test_a_workspace_that_is_too_large_is_bad(terminal: Terminal) -> None:
    (terminal.root / "data.bin").write_bytes(b"x" * (2 << 20))
    terminal.environment["UNTILGREEN_WORKSPACE_MAX_MB"] = "1"
    code, told = terminal.json("doctor")
    assert (code, _check(told, "workspace")["state"]) == (3, "bad")
    assert "data.bin" in _check(told, "workspace")["detail"]


def test_clean_removes_our_images_and_with_all_the_journal(terminal: Terminal) -> None:
    assert terminal.json("test")[0] == 1
    assert terminal.json("doctor", "--images")[1]["images"] != []
    terminal.json("solve", "--solver", terminal.propose({"calc.py": FIXED}), "--apply")
    client = docker.from_env()
    try:
        ours = {image.id for image in client.images.list(filters={"label": LABEL})}
        # Whatever runs beside this may use one, and may build another meanwhile.
        used = in_use(client)
        code, told = terminal.json("clean")
        assert code == 0 and len(told["removed"]) >= len(ours - used)
        left = {image.id for image in client.images.list(filters={"label": LABEL})}
        used |= in_use(client)
        assert ours and ours & left <= used
        assert client.images.get(terminal.environment["UNTILGREEN_SANDBOX_BASE"]), "the base is not ours"
    finally:
        client.close()
    assert terminal.json("undo")[0] == 0, "clean alone keeps the journal"
    *images, journal = terminal.json("clean", "--all")[1]["removed"]
    assert journal == str(terminal.state)
    assert all(image.startswith("untilgreen:") for image in images)
    assert not terminal.state.exists()


def in_use(client: docker.DockerClient) -> set[str]:
    """Images of containers, as these tell it: an image may be gone by the time that one asks for it."""
    return {container.attrs["Image"] for container in client.containers.list(all=True, ignore_removed=True)}
