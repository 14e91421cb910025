"""Verification by itself: what it costs, what it says when time is short, and weak evidence."""

from __future__ import annotations

from boxes import Files, Rig
from untilgreen.cli.contract import exit_code
from untilgreen.model import FileChange, Goal, Patch, Verdict
from untilgreen.solve.budget import Budget
from untilgreen.solve.loop import find_start
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import Proof, Verifier
from untilgreen.workspace import take_snapshot

PROJECT: Files = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "other.py": "def name():\n    return 'x'\n",
    "test_calc.py": "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n",
    "test_other.py": "from other import name\ndef test_name():\n    assert name() == 'x'\n",
}
FIX = b"def add(a, b):\n    return a + b\n"


async def proof_of(rig: Rig, files: Files, fix: bytes, seconds: float) -> Proof:
    async with rig.bench(files) as bench:
        snapshot = take_snapshot(rig.root)
        start = await find_start(Goal(rig.root), snapshot, bench, Budget(1, 60), lambda _event: None)
        assert isinstance(start, Start)
        verifier = Verifier(bench, start, snapshot, seconds)
        return await verifier.verify(
            Patch({"calc.py": FileChange(fix)}),
            start.baseline,
            lambda path: snapshot.read(path),
            start.failing,
        )


async def test_a_suite_that_does_not_fit_is_run_in_part_and_that_is_told(rig: Rig) -> None:
    proof = await proof_of(rig, PROJECT, FIX, 0.001)
    assert proof.judgement.green
    assert (proof.scope, list(proof.report.outcomes())) == ("affected", ["test_calc.py::test_add"])
    [finding] = proof.findings
    assert finding.rule == "not-all-run"
    assert "1 of 2 tests" in finding.reason


async def test_a_suite_that_fits_is_run_whole(rig: Rig) -> None:
    proof = await proof_of(rig, PROJECT, FIX, 600.0)
    assert proof.judgement.green
    assert (proof.scope, len(proof.report.cases), proof.findings, proof.weak) == ("full", 2, (), ())


def test_a_part_is_only_enough_for_whoever_said_so() -> None:
    partly = Verdict("green", "", scope="affected")
    assert (exit_code(partly), exit_code(partly, "affected")) == (1, 0)
    assert exit_code(Verdict("green", "")) == 0


async def test_a_blind_run_does_not_say_which_test_is_running(rig: Rig) -> None:
    source = "import os\ndef test_it():\n    assert 'PYTEST_CURRENT_TEST' not in os.environ\n"
    async with rig.bench({"test_it.py": source}) as bench:
        said = [await bench.ask(Patch(), ("test_it.py",), anonymous=hidden) for hidden in (True, False)]
    assert [report.outcomes()["test_it.py::test_it"] for report in said] == ["passed", "failed"]
