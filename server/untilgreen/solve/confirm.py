"""The way to the last word: verification, and once more when a single test may have failed by chance."""

from __future__ import annotations

from untilgreen.events import Rerunning, Verifying
from untilgreen.model import Patch
from untilgreen.solve.flaky import may_be_chance
from untilgreen.solve.listing import Emit
from untilgreen.solve.proof import Proof
from untilgreen.solve.verify import Pristine, Verifier
from untilgreen_sandbox.report import Report


async def confirm(
    verifier: Verifier,
    failing: tuple[str, ...],
    patch: Patch,
    looked: Report,
    pristine: Pristine,
    n_tests: int,
    emit: Emit,
) -> tuple[Proof, tuple[str, ...]]:
    """Whether these tests pass with this patch and nothing else breaks; and what failed once, by chance.

    Its report is that of a run that is green by itself, when it is green.
    """
    broken: tuple[str, ...] = ()
    while True:
        emit(Verifying(n_tests))
        proof = await verifier.verify(patch, looked, pristine, failing)
        judgement = proof.judgement
        if judgement.green:
            return proof, broken
        only_broken = len(judgement.faults) == len(judgement.broken)
        if broken or not only_broken or not may_be_chance(judgement, proof.report):
            return proof, ()
        broken = judgement.broken
        emit(Rerunning(broken, "all tests in another fresh sandbox, before the fix is blamed"))
