"""Two parts of a plan that take about as long, and what is collected late in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.solve.sharing import EACH_SECONDS, importing, shares

FILES = ("a.py", "b.py", "c.py", "d.py")


@given(
    st.dictionaries(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), st.floats(0, 10), min_size=1),
    st.sets(st.sampled_from(FILES)),
)
def test_each_test_once_files_together_and_late_ones_last(
    costs: dict[tuple[str, int], float], late: set[str]
) -> None:
    seconds = {f"{file}.py::test_{n}": cost for (file, n), cost in costs.items()}
    parts = shares(seconds, seconds, late)
    if not parts:
        return
    assert sorted(test_id for part in parts for test_id in part) == sorted(seconds)
    files = [list(dict.fromkeys(test_id.split("::")[0] for test_id in part)) for part in parts]
    assert not set(files[0]) & set(files[1])
    for part in files:
        assert sorted(part, key=late.__contains__) == part
    for file in FILES:
        of_file = [test_id for test_id in seconds if test_id.startswith(file)]
        assert [one for part in parts for one in part if one.startswith(file)] == of_file


@given(st.dictionaries(st.sampled_from([f"{n}.py::test" for n in range(9)]), st.floats(0, 10), min_size=1))
def test_neither_part_takes_most_of_the_time(seconds: dict[str, float]) -> None:
    whole = {test_id: cost + EACH_SECONDS for test_id, cost in seconds.items()}
    for part in shares(seconds, seconds):
        assert sum(whole[one] for one in part) <= 0.75 * sum(whole.values()) + 1e-9


def test_one_large_file_is_not_shared() -> None:
    seconds = {"a.py::test_1": 1.0, "a.py::test_2": 1.0, "b.py::test_1": 0.5}
    assert shares(seconds, seconds) == ()
    seconds["b.py::test_2"] = 1.0
    assert shares(seconds, seconds) == (("a.py::test_1", "a.py::test_2"), ("b.py::test_1", "b.py::test_2"))


def test_what_is_collected_late_counts_for_more() -> None:
    plan = [f"{file}::test_{n}" for file in ("a.py", "b.py", "c.py") for n in range(100)]
    # With b.py it takes as long as the two others together, but for what is collected.
    seconds = {test_id: EACH_SECONDS if test_id.startswith("b.py") else 0.0 for test_id in plan}
    first, second = shares(plan, seconds, late={"b.py"})
    assert {one.split("::")[0] for one in first} == {"b.py"}
    assert {one.split("::")[0] for one in second} == {"a.py", "c.py"}


@pytest.mark.parametrize(
    ("line", "imports"),
    [
        ("from shop.cart import Cart", True),
        ("import shop.cart as c", True),
        ("    from shop import cart", True),
        ("from shop.cart import (", True),
        ("from . import cart", True),
        ("import shop.cart_items", False),
        ("# import shop.cart", False),
        ("import shop  # not cart", False),
        ("cart = 1", False),
    ],
)
def test_who_imports_a_module(line: str, imports: bool) -> None:
    texts = {"test_a.py": f"import os\n{line}\n", "test_b.py": "import os\n"}
    assert importing(texts, ["src/shop/cart.py"]) == ({"test_a.py"} if imports else set())


def test_a_package_is_known_by_its_folder() -> None:
    texts = {"test_a.py": "import shop\n", "test_b.py": "import __init__\n"}
    assert importing(texts, ["src/shop/__init__.py"]) == {"test_a.py"}
    assert importing(texts, []) == set()
