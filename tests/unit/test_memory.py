"""The same code has the same name, and a job remembers what it came to, and the best of it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from untilgreen.model import NO_PATCH, Entry, FileChange, Patch, Proposal
from untilgreen.solve.judge import judge
from untilgreen.solve.memory import Memory, state_of
from untilgreen.solve.plan import Plan
from untilgreen.solve.trial import Trial
from untilgreen.solve.verdicts import Start
from untilgreen.workspace import digest_of
from untilgreen_sandbox.report import CaseResult, Failure, Outcome, Report

ENTRIES = {
    path: Entry("file", mode, 1, digest_of(data))
    for path, data, mode in (("a.py", b"a", 0o644), ("run.py", b"r", 0o755))
}
PLAN = Plan(("t.py::a", "t.py::b", "t.py::c"))

patches = st.dictionaries(
    st.sampled_from(["a.py", "run.py", "new.py"]),
    st.builds(
        FileChange, st.none() | st.sampled_from([b"a", b"r", b"x", b""]), st.sampled_from([0o644, 0o755])
    ),
).map(Patch)


@given(patches, patches)
def test_the_same_code_has_the_same_name(one: Patch, other: Patch) -> None:
    assert (state_of(one, ENTRIES) == state_of(other, ENTRIES)) == (_tree(one) == _tree(other))


def _tree(patch: Patch) -> dict[str, tuple[str, bool]]:
    tree = {path: (entry.digest, bool(entry.mode & 0o111)) for path, entry in ENTRIES.items()}
    for path, change in patch:
        if change.content is None:
            tree.pop(path, None)
        else:
            tree[path] = (digest_of(change.content), bool(change.mode & 0o111))
    return tree


def report(a: Outcome, b: Outcome, c: Outcome = "passed") -> Report:
    outcomes = zip(PLAN.ids, (a, b, c), strict=True)
    cases = [
        CaseResult(test_id, outcome, failure=None if outcome == "passed" else Failure("E", "why"))
        for test_id, outcome in outcomes
    ]
    return Report("finished", tuple(cases), PLAN.ids)


START = Start(PLAN, report("failed", "failed"), PLAN.ids[:2])


def trial(n: int, memory: Memory, told: Report) -> Trial:
    patch = Patch({"a.py": FileChange(str(n).encode())})
    judgement = judge(PLAN, START.baseline, START.failing, told)
    return Trial(n, "s", Proposal(patch), memory.state_of(patch), judgement, told)


def test_the_best_is_what_fixes_most_and_breaks_nothing() -> None:
    memory = Memory(START, ENTRIES)
    assert memory.best.proposal.patch == NO_PATCH
    assert memory.known(memory.state_of(Patch({"a.py": FileChange(b"a")}))) is memory.start
    first = trial(1, memory, report("passed", "failed"))
    worse = trial(2, memory, report("passed", "passed", "failed"))
    same = trial(3, memory, report("failed", "passed"))
    for one in (first, worse, same):
        attempt = memory.add(one)
    assert attempt.errors == (("t.py::a", "E | why | "),)
    assert memory.partial == (first, same), "of two that are as good the earlier one"
    assert memory.known(worse.state) is worse
    assert memory.reflect().pattern == "mixed"
    assert memory.begin_rung() is first
    assert memory.reflection is None
    assert memory.add(trial(4, memory, report("passed", "failed"))).still_failing == ("t.py::b",)
    assert memory.reflect().pattern == "same_error", "measured from where this solver began"


def test_a_run_that_was_stopped_is_not_known() -> None:
    memory = Memory(START, ENTRIES)
    cut = trial(1, memory, report("failed", "failed"))
    object.__setattr__(cut, "complete", False)
    memory.add(cut)
    assert memory.known(cut.state) is None
