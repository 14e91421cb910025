"""Small broken projects, repaired without any model, from the first run to the verified fix."""

from __future__ import annotations

import os
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from boxes import Backend
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.events import Searching
from untilgreen.journal import Journal
from untilgreen.model import Goal, Verdict
from untilgreen.settings import read

SHOP = """\
    RATE = 20


    class Cart:
        currency = "EUR"

        def __init__(self):
            self.lines = []

        def add(self, name, cents, count=1):
            self.lines.append((name, cents, count))

        def total(self):
            return sum(cents * count for _, cents, count in self.lines)

        def free_shipping(self, limit=5000):
            return self.total() >= limit


    def with_tax(cents):
        return cents + cents * RATE // 100


    def search(sorted_items, wanted):
        low, high = 0, len(sorted_items) - 1
        while low <= high:
            middle = (low + high) // 2
            if sorted_items[middle] < wanted:
                low = middle + 1
            elif sorted_items[middle] > wanted:
                high = middle - 1
            else:
                return middle
        return None
    """
TESTS = """\
    import subprocess
    import sys

    import pytest

    import shop


    def filled():
        cart = shop.Cart()
        cart.add("tea", 450, 2)
        cart.add("pot", 4100)
        return cart


    def test_total():
        assert filled().total() == 5000


    def test_shipping():
        cart = filled()
        assert cart.free_shipping()
        assert not cart.free_shipping(5001)


    def test_currency():
        assert shop.Cart().currency == "EUR"


    @pytest.mark.parametrize("cents, taxed", [(100, 120), (0, 0), (55, 66), (10000, 12000)])
    def test_tax(cents, taxed):
        assert shop.with_tax(cents) == taxed


    def test_search():
        assert shop.search([1, 3, 5, 7], 7) == 3
        assert shop.search([1, 3], 1) == 0
        assert shop.search([1, 3], 2) is None
    """


@dataclass(frozen=True)
class Bug:
    name: str
    changes: tuple[tuple[str, str], ...]
    """What is right, and what stands there instead."""
    says: str
    """A part of the hypothesis."""
    more: dict[str, str] = field(default_factory=dict)


BUGS = (
    Bug("comparison in a method", (("self.total() >= limit", "self.total() > limit"),), "compare with `>=`"),
    Bug("operator in a function", (("cents + cents * RATE", "cents - cents * RATE"),), "`with_tax`"),
    Bug("a constant", (("RATE = 20", "RATE = 21"),), "In `shop.py`: use `20`"),
    Bug("a class attribute", (('currency = "EUR"', 'currency = "eur"'),), "EUR"),
    Bug("a default", (("limit=5000", "limit=50000"),), "5000"),
    Bug("a name", (("for _, cents, count in self.lines", "for _, cents, count in self.lnes"),), "lines"),
    Bug("endless", (("low = middle + 1", "low = middle"),), "`search`"),
    Bug("a colon", (("def with_tax(cents):", "def with_tax(cents)"),), "colon"),
    Bug(
        "two places",
        (("self.total() >= limit", "self.total() > limit"), ("cents + cents * RATE", "cents - cents * RATE")),
        "`with_tax`",
    ),
    Bug(
        "in another process",
        (("cents + cents * RATE", "cents - cents * RATE"),),
        "`with_tax`",
        {
            "test_shop.py": """\
                import subprocess
                import sys

                def test_tax():
                    code = "import shop; print(shop.with_tax(100), shop.with_tax(50))"
                    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
                    assert done.stdout == "120 60\\n"
                """
        },
    ),
)
DOCKER = ("comparison in a method", "a constant")


async def solved(
    backend: Backend, folder: Path, files: dict[str, str], said: list[str] | None = None, **settings: object
) -> Verdict:
    root = folder / "project"
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(textwrap.dedent(text))
    raw = {"sandbox": backend, "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", ""), **settings}
    chosen, problems = read(raw)
    assert problems == ()
    async with Engine(chosen, Journal(folder / "state")) as engine:
        job = engine.solve(Goal(root), DiskDesk(root, folder / "intents"), "a test")
        async for event in job.events():
            if said is not None and isinstance(event, Searching):
                said.append(event.text)
        assert job.verdict is not None, job.error
        return job.verdict


@pytest.fixture(autouse=True)
def plain_python(monkeypatch: pytest.MonkeyPatch) -> None:
    # The distribution's own Python is the one that the base image holds, too.
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
async def test_a_bug_is_repaired(bug: Bug, tmp_path: Path) -> None:
    await check(bug, "bubblewrap", tmp_path)


@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug.name in DOCKER], ids=lambda bug: bug.name)
async def test_a_bug_is_repaired_in_docker(bug: Bug, tmp_path: Path) -> None:
    await check(bug, "docker", tmp_path)


async def check(bug: Bug, backend: Backend, folder: Path) -> None:
    right = textwrap.dedent(SHOP)
    broken = right
    for good, bad in bug.changes:
        assert good in broken
        broken = broken.replace(good, bad)
    said: list[str] = []
    files = {"shop.py": broken, "test_shop.py": TESTS, **bug.more}
    verdict = await solved(backend, folder, files, said, test_seconds=4.0)
    assert verdict.kind == "green", verdict.reason
    assert verdict.solver == "offline"
    assert bug.says in verdict.attempts[-1].hypothesis
    assert verdict.patch.paths == ("shop.py",)
    assert verdict.spent.candidates > 0 and any("candidate" in text for text in said)
    assert verdict.confidence == "contested" or not verdict.rivals
    content = verdict.patch.files["shop.py"].content
    assert content is not None
    new = content.decode().split("\n")
    assert sum(one != other for one, other in zip(new, broken.split("\n"), strict=True)) == len(bug.changes)


async def test_no_test_needs_to_end(tmp_path: Path) -> None:
    files = {
        "bits.py": """\
            def ones(n):
                count = 0
                while n:
                    n |= n - 1
                    count += 1
                return count
            """,
        "test_bits.py": """\
            import pytest

            from bits import ones

            @pytest.mark.parametrize("n", [1, 7, 12, 127, 128, 1023, 4095, 65535])
            def test_ones(n):
                assert ones(n) == bin(n).count("1")
            """,
    }
    verdict = await solved("bubblewrap", tmp_path, files, test_seconds=4.0)
    assert verdict.kind == "green", verdict.reason
    assert len(verdict.fixed) == 8
    assert b"n &= n - 1" in (verdict.patch.files["bits.py"].content or b"")


async def test_a_stub_takes_a_model_and_is_told_at_once(tmp_path: Path) -> None:
    files = {
        "late.py": "def late(x):\n    raise NotImplementedError\n",
        "test_late.py": "import late\n\n\ndef test_late():\n    assert late.late(1) == 2\n",
    }
    begun = time.process_time()
    verdict = await solved("bubblewrap", tmp_path, files)
    assert verdict.kind == "stuck"
    assert "`late` in `late.py` has no body yet: writing it takes a model" in verdict.reason
    assert verdict.spent.candidates == 0
    assert time.process_time() - begun < 2


async def test_what_no_small_change_can_mend_ends_with_what_was_tried(tmp_path: Path) -> None:
    files = {
        "odd.py": "def odd(x):\n    return x\n",
        "test_odd.py": """\
            import odd

            def test_odd():
                assert [odd.odd(n) for n in range(6)] == ["q", 7, (), 3.5, "w", {1}]
            """,
    }
    verdict = await solved("bubblewrap", tmp_path, files)
    assert verdict.kind == "stuck"
    assert "no small change that makes the tests pass was found" in verdict.reason
    assert f"{verdict.spent.candidates:,} candidates" in verdict.reason and verdict.spent.candidates > 5


async def test_rivals_are_told_with_an_input_on_which_they_differ(tmp_path: Path) -> None:
    files = {
        "weak.py": "def area(width, height):\n    return width - height\n",
        "test_weak.py": """\
            from weak import area

            def test_area():
                assert area(2, 2) == 4
            """,
    }
    verdict = await solved("bubblewrap", tmp_path, files)
    assert verdict.kind == "green", verdict.reason
    assert verdict.confidence == "contested"
    assert "Contested:" in verdict.reason
    assert verdict.rival_diffs and verdict.diff not in verdict.rival_diffs
    assert all(diff.startswith("diff --git a/weak.py") for diff in verdict.rival_diffs)
    assert "area(" in verdict.difference


async def test_a_stopped_search_ends_at_once(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "shop.py").write_text(textwrap.dedent(SHOP).replace("low = middle + 1", "low = middle"))
    (root / "test_shop.py").write_text(textwrap.dedent(TESTS))
    chosen, _ = read({"sandbox": "bubblewrap", "test_seconds": 4.0})
    async with Engine(chosen, Journal(tmp_path / "state")) as engine:
        job = engine.solve(Goal(root), DiskDesk(root, tmp_path / "intents"), "a test")
        async for event in job.events():
            if isinstance(event, Searching) and "looking at search" in event.text:
                job.stop()
        assert job.verdict is not None and job.verdict.kind == "stopped"


async def test_tests_and_what_is_green_are_left_alone(tmp_path: Path) -> None:
    files = {"test_one.py": "def test_one():\n    assert 1 + 1 == 3\n"}
    verdict = await solved("bubblewrap", tmp_path, files)
    assert verdict.kind == "stuck" and verdict.patch.paths == ()
    (tmp_path / "project/test_one.py").unlink()
    right = {"shop.py": SHOP, "test_shop.py": TESTS}
    assert (await solved("bubblewrap", tmp_path, right)).kind == "already_green"
