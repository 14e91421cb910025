"""Verification by itself: what it costs, what it says when time is short, and weak evidence."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from boxes import Files, Rig
from untilgreen.cli.contract import exit_code
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.journal import Journal
from untilgreen.model import FileChange, Goal, Patch, Verdict
from untilgreen.settings import read
from untilgreen.solve.again import Proved, verify_again
from untilgreen.solve.bench import Bench
from untilgreen.solve.budget import Budget
from untilgreen.solve.guard import Protection, protect
from untilgreen.solve.loop import find_start
from untilgreen.solve.plan import Plan
from untilgreen.solve.verdicts import Start
from untilgreen.solve.verify import Pristine, Proof, Verifier
from untilgreen.workspace import take_snapshot
from untilgreen_sandbox.report import Report

PROJECT: Files = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "other.py": "def name():\n    return 'x'\n",
    "test_calc.py": "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n",
    "test_other.py": "from other import name\ndef test_name():\n    assert name() == 'x'\n",
}
FIX = b"def add(a, b):\n    return a + b\n"


async def proof_of(rig: Rig, files: Files, fix: bytes, seconds: float) -> Proof:
    async with rig.bench(files) as bench:
        verifier, start, pristine = await verifying(rig, bench, seconds)
        patch = Patch({"calc.py": FileChange(fix)})
        return await verifier.verify(patch, start.baseline, pristine, start.failing)


async def verifying(rig: Rig, bench: Bench, seconds: float = 600.0) -> tuple[Verifier, Start, Pristine]:
    snapshot = take_snapshot(rig.root)
    start = await find_start(Goal(rig.root), snapshot, bench, Budget(1, 60), lambda _event: None)
    assert isinstance(start, Start)
    return Verifier(bench, start, snapshot, seconds), start, snapshot.read


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


async def test_questions_are_asked_while_the_fresh_run_lasts(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, runs = asyncio.Event(), asyncio.Event()
    run_fresh, ask = Bench.run_fresh, Bench.ask

    async def fresh_that_waits(bench: Bench, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        runs.set()
        await asked.wait()
        return await run_fresh(bench, patch, ids)

    async def ask_that_waits(bench: Bench, patch: Patch, ids: tuple[str, ...], anonymous: bool) -> Report:
        await runs.wait()
        report = await ask(bench, patch, ids, anonymous=anonymous)
        asked.set()
        return report

    monkeypatch.setattr(Bench, "run_fresh", fresh_that_waits)
    monkeypatch.setattr(Bench, "ask", ask_that_waits)
    async with rig.bench(PROJECT) as bench:
        verifier, start, pristine = await verifying(rig, bench)
        patch = Patch({"calc.py": FileChange(FIX)})
        proof = await verifier.verify(patch, await bench.run(patch), pristine, start.failing)
    assert (proof.judgement.green, bool(proof.questions), proof.weak) == (True, True, ())


async def test_a_fresh_run_that_is_not_green_ends_the_questions(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = asyncio.Event()

    async def ask_for_ever(bench: Bench, patch: Patch, ids: tuple[str, ...], anonymous: bool) -> Report:
        try:
            return await asyncio.get_running_loop().create_future()
        finally:
            ended.set()

    monkeypatch.setattr(Bench, "ask", ask_for_ever)
    async with rig.bench(PROJECT) as bench:
        verifier, start, pristine = await verifying(rig, bench)
        looked = await bench.run(Patch({"calc.py": FileChange(FIX)}))
        wrong = Patch({"calc.py": FileChange(b"def add(a, b):\n    return a * b\n")})
        proof = await verifier.verify(wrong, looked, pristine, start.failing)
    assert (proof.judgement.green, ended.is_set()) == (False, True)


def test_a_part_is_only_enough_for_whoever_said_so() -> None:
    partly = Verdict("green", "", scope="affected")
    assert (exit_code(partly), exit_code(partly, "affected")) == (1, 0)
    assert exit_code(Verdict("green", "")) == 0


async def test_a_blind_run_does_not_say_which_test_is_running(rig: Rig) -> None:
    source = "import os\ndef test_it():\n    assert 'PYTEST_CURRENT_TEST' not in os.environ\n"
    async with rig.bench({"test_it.py": source}) as bench:
        said = [await bench.ask(Patch(), ("test_it.py",), anonymous=hidden) for hidden in (True, False)]
    assert [report.outcomes()["test_it.py::test_it"] for report in said] == ["passed", "failed"]


BY_ORDER = (
    b"import sys\n\n\ndef add(a, b):\n    return a + b if not sys.flags.hash_randomization else a - b\n"
)
"""Right in the one order of sets that all runs but the last have."""


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_a_test_that_passes_with_sets_in_another_order_must_pass_in_every_one(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def as_before(bench: Bench, patch: Patch, ids: tuple[str, ...] = ()) -> Report:
        return await bench.run(patch, ids)

    monkeypatch.setattr(Bench, "run_fresh", as_before)
    red_in_one_order = BY_ORDER.replace(b"if not sys", b"if sys")
    async with rig.bench({**PROJECT, "calc.py": red_in_one_order}) as bench:
        verifier, start, pristine = await verifying(rig, bench)
        assert (start.failing, start.swayed) == (("test_calc.py::test_add",),) * 2
        proofs = [
            await verifier.verify(
                Patch({"calc.py": FileChange(fix)}), start.baseline, pristine, start.failing
            )
            for fix in (BY_ORDER, FIX)
        ]
    assert [proof.judgement.green for proof in proofs] == [False, True]
    assert "by the order of sets" in proofs[0].judgement.faults[0]


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_only_right_answers_are_counted(rig: Rig) -> None:
    first_only = (
        b"calls = []\n\n\ndef add(a, b):\n    calls.append(a)\n    return a + b if len(calls) == 1 else 0\n"
    )
    honest, other = [await proof_of(rig, PROJECT, fix, 600.0) for fix in (FIX, first_only)]
    assert (honest.findings, honest.weak) == ((), ())
    assert [(finding.path, finding.line, finding.rule) for finding in other.findings] == [
        ("calc.py", 4, "unproven")
    ]
    assert other.weak == ("test_calc.py::test_add",)
    assert 0 < other.questions < honest.questions


IN_TESTS = b"import sys\n\n\ndef add(a, b):\n    return a + b if len(sys.modules) > 150 else a - b\n"
"""Right where much is loaded, as in any test."""


async def test_what_answers_tests_otherwise_than_others_needs_eyes(rig: Rig) -> None:
    proof = await proof_of(rig, PROJECT, IN_TESTS, 600.0)
    assert proof.judgement.green
    [finding] = proof.findings
    assert (finding.path, finding.line, finding.rule) == ("calc.py", 4, "unproven")
    assert "add(1, 2) is 3 in a test and -1 in a plain process" in finding.reason


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_what_only_works_where_the_tests_prepared_it_is_no_forgery(rig: Rig) -> None:
    code = "import os\nSCALE = None\ndef add(a, b):\n    return (a - b) * SCALE * len(os.environ['SCALE'])\n"
    prepared = "import os\nimport calc\ncalc.SCALE = 1\nos.environ['SCALE'] = 'x'\n"
    files = {**PROJECT, "calc.py": code, "conftest.py": prepared}
    proof = await proof_of(rig, files, code.replace("a - b", "a + b").encode(), 600.0)
    assert (proof.judgement.green, proof.findings, proof.weak) == (True, (), ())


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_who_verifies_anew_has_no_more_time_than_the_first(rig: Rig) -> None:
    async with rig.bench(PROJECT) as bench:
        snapshot = take_snapshot(rig.root)

        def protection(plan: Plan) -> Protection:
            return protect(snapshot.entries, plan.files, ("",), frozenset(), may_change_tests=False)

        proved = await verify_again(
            Goal(rig.root),
            snapshot,
            bench,
            Patch({"calc.py": FileChange(FIX)}),
            ("test_calc.py::test_add",),
            protection,
            lambda _event: None,
            verify_seconds=0.001,
        )
    assert isinstance(proved, Proved), proved
    assert (proved.proof.scope, [finding.rule for finding in proved.findings]) == (
        "affected",
        ["not-all-run"],
    )


@pytest.mark.parametrize("backend", ["bubblewrap"], indirect=True)
async def test_a_verdict_says_which_tests_were_changed_by_leave(rig: Rig, tmp_path: Path) -> None:
    for name, text in PROJECT.items():
        assert isinstance(text, str)
        (tmp_path / "project").mkdir(exist_ok=True)
        (tmp_path / "project" / name).write_text(text)
    files = {"calc.py": "def add(a, b):\n    return [a, b]\n", "test_calc.py": str(PROJECT["test_calc.py"])}
    files["test_calc.py"] = files["test_calc.py"].replace("== 3", "== [1, 2]")
    (tmp_path / "script.json").write_text(json.dumps({"proposals": [{"hypothesis": "it", "files": files}]}))
    settings, _ = read({"sandbox": rig.backend, "solver": f"scripted:{tmp_path / 'script.json'}"})
    root = tmp_path / "project"
    async with Engine(settings, Journal(tmp_path / "state")) as engine:
        desk = DiskDesk(root, tmp_path / "intents")
        verdict = await engine.solve(Goal(root, may_change_tests=True), desk, "a test").wait()
    assert verdict.kind == "green", verdict.attempts
    assert "Tests were changed for it, as you allowed: test_calc.py." in verdict.reason
    assert [(finding.path, finding.rule) for finding in verdict.findings] == [("test_calc.py", "unproven")]
