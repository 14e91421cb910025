"""The scripted solver says what its file says, and errors say what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from untilgreen.errors import UsageError
from untilgreen.model import Goal, Proposal
from untilgreen.solve.bench import Bench
from untilgreen.solvers import Task
from untilgreen.solvers.scripted import ScriptedSolver
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import Report


async def test_it_proposes_in_order_and_keeps_modes(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "run.py").write_text("old")
    (root / "run.py").chmod(0o755)
    script = tmp_path / "script.json"
    steps = [{"files": {"run.py": "new ü", "gone.py": None}}, {"hypothesis": "why", "files": {"b.py": ""}}]
    script.write_text(json.dumps({"proposals": steps}))
    task = Task(Goal(root), take_snapshot(root), Report("finished"), ())
    bench: Bench = None  # type: ignore[assignment]  # A script needs no bench.
    (solver,) = ScriptedSolver.load(script)
    found = [proposal async for proposal in solver.proposals(task, bench)]
    first, second = found
    assert isinstance(first, Proposal) and isinstance(second, Proposal)
    assert first.patch.paths == ("gone.py", "run.py")
    assert first.patch.files["run.py"].content == "new ü".encode()
    assert first.patch.files["run.py"].mode == 0o755
    assert first.patch.files["gone.py"].content is None
    assert second.hypothesis == "why"
    assert second.patch.files["b.py"].content == b""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("[]", "wrong at the top"),
        ("{}", "wrong at proposals"),
        ('{"proposals": [{"files": {"a.py": 3}}]}', "wrong at proposals.0.files.a.py"),
        ('{"proposals": [{"files": {}, "patch": ""}]}', "wrong at proposals.0.patch"),
        ("\udcff", "is not JSON"),
    ],
)
def test_a_wrong_file_is_a_usage_error(text: str | None, said: str, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    if text is not None:
        script.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(UsageError, match=said) as caught:
        ScriptedSolver.load(script)
    assert caught.value.exit_code == 2
