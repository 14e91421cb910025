"""Several solvers in one job: who goes on where another one stopped, and what is never lost."""

from __future__ import annotations

from pathlib import Path

from agent.solving import PROJECT, Solved, workshop
from scripted_models import call, fault, say
from scripted_models.script import Line
from untilgreen.events import Planning
from untilgreen_sandbox.box import Interpreter

STUB = "    raise NotImplementedError\n"
TWO = {
    "calc.py": f"def add(a, b):\n{STUB}\n\ndef sub(a, b):\n{STUB}",
    "test_calc.py": """\
        from calc import add, sub


        def test_add():
            assert add(1, 2) == 3


        def test_sub():
            assert sub(5, 2) == 3
            assert sub(2, 5) == -3
    """,
}


def write(add: str, sub: str) -> Line:
    text = f"def add(a, b):\n    {add}\n\n\ndef sub(a, b):\n    {sub}\n"
    return call("write_file", path="calc.py", content=text)


def asked(solved: Solved) -> list[str]:
    return [str(request.body["model"]) for request in solved.requests]


async def test_a_stronger_model_takes_over(tmp_path: Path, bare_environment: Interpreter) -> None:
    """After two attempts that stand still, and with what was learned from them."""
    script = [
        *(write("return a - b", "raise NotImplementedError"), say("first")),
        *(write("return a * b", "raise NotImplementedError"), say("second")),
        write("return a + b", "return a - b") + call("run_tests"),
    ]
    async with workshop(tmp_path, bare_environment) as shop:
        solved = await shop.solve(TWO, script, model_strong="strong")
    assert solved.kind == "green", solved.reason
    assert asked(solved) == ["scripted"] * 4 + ["strong"]
    assert solved.verdict is not None
    assert [attempt.solver for attempt in solved.verdict.attempts] == ["model", "model", "model:strong"]
    assert "Tried before, and not enough" in solved.heard(4)
    shares = [event.attempts for event in solved.events if isinstance(event, Planning)]
    assert shares == [6, 10], "each has its own budget"


async def test_a_search_finishes_what_a_model_began(tmp_path: Path, bare_environment: Interpreter) -> None:
    script = [write("return a + b", "return b - a"), say("done")]
    async with workshop(tmp_path, bare_environment) as shop:
        solved = await shop.solve(TWO, script)
    assert solved.kind == "green", solved.reason
    assert b"return a - b" in solved.content("calc.py")
    assert solved.verdict is not None
    assert solved.verdict.spent.tokens == 240
    assert solved.unused == 0


async def test_what_was_reached_is_kept(tmp_path: Path, bare_environment: Interpreter) -> None:
    """A model that vanishes in the middle loses neither the best attempt nor edits that nobody tested yet."""
    async with workshop(tmp_path, bare_environment) as shop:
        half = [write("return a + b", "raise NotImplementedError"), say("done")]
        solved = await shop.solve(TWO, half, otherwise=fault(401))
        assert (solved.kind, solved.error) == ("better", None), solved.reason
        assert "could not be asked" in solved.reason
        assert solved.verdict is not None and solved.verdict.fixed == ("test_calc.py::test_add",)

        whole = [write("return a + b", "return a - b")]
        solved = await shop.solve(TWO, whole, otherwise=fault(402))
        assert solved.kind == "green", solved.reason


async def test_a_model_gets_the_clues_of_the_search(tmp_path: Path, bare_environment: Interpreter) -> None:
    files = {
        "shop.py": """\
            def price(n):
                return n


            def total(items, rate):
                return sum(map(price, items))
        """,
        "test_shop.py": """\
            from shop import total


            def test_total():
                assert total([100, 50], 20) == 180
                assert total([], 20) == 0
                assert total([10], 0) == 10
        """,
    }
    script = [
        call(
            "edit_file",
            path="shop.py",
            old="return sum(map(price, items))",
            new="net = sum(map(price, items))\n    return net + net * rate // 100",
        )
        + call("run_tests")
    ]
    async with workshop(tmp_path, bare_environment) as shop:
        solved = await shop.solve(files, script, solver="auto", max_seconds=40.0, note="Rates are per cent.")
    assert solved.kind == "green", solved.reason
    assert solved.verdict is not None and solved.verdict.solver == "model"
    heard = solved.heard(0)
    assert "Lines that the failing tests have in common" in heard
    assert "total(items=[100, 50], rate=20) returned 150" in heard
    assert "The user says: Rates are per cent." in heard


async def test_the_price_is_reserved_before(tmp_path: Path, bare_environment: Interpreter) -> None:
    """No call is made that the rest of the budget could not pay; what was spent is told to the token."""
    async with workshop(tmp_path, bare_environment) as shop:
        script = [call("read_file", path="calc.py").but(usage=(9_000, 900))]
        solved = await shop.solve(PROJECT, script, max_tokens=14_000, otherwise=say("never asked"))
    assert (solved.kind, len(solved.requests)) == ("budget", 1)
    assert solved.verdict is not None and solved.verdict.spent.tokens == 9_900
    assert "14,000 tokens" in solved.reason
