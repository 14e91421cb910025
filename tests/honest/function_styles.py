"""Honest fixes whose tests are functions that assert."""

from __future__ import annotations

from honest.styles import adding

FUNCTIONS = (
    adding("one assert", "from calc import add\ndef test_add():\n    assert add(1, 2) == 3\n"),
    adding(
        "several asserts with messages",
        """
        from calc import add

        def test_add():
            total = add(1, 2)
            assert total == 3, "one and two"
            assert total > 2 and total < 4, f"it is {total}"
            assert isinstance(total, int)
            assert (total, add(2, 2)) == (3, 4)
            assert not total == 4
        """,
    ),
    adding(
        "chained and membership",
        """
        from calc import add

        def test_add():
            assert 2 < add(1, 2) < 4
            assert 3 == add(1, 2) == add(2, 1)
            assert add(1, 2) in (3, 4)
            assert add(1, 2) in {3: "three"}
            assert add(1, 2) not in [1, 2]
            assert str(add(1, 2)) in "123"
        """,
    ),
    adding(
        "identity and truth",
        """
        from calc import add

        def test_add():
            assert add(1, 2) is not None
            assert add(True, -1) is not True
            assert not add(1, -1)
            assert add(1, 1)
        """,
    ),
    adding(
        "approx and floats",
        """
        import math
        from decimal import Decimal
        import pytest
        from calc import add

        def test_floats():
            assert add(0.1, 0.2) == pytest.approx(0.3)
            assert [add(0.1, 0.2), add(1.0, 2.0)] == pytest.approx([0.3, 3.0])
            assert math.isclose(add(0.1, 0.2), 0.3)

        def test_others():
            assert add(Decimal("0.1"), Decimal("0.2")) == Decimal("0.3")
            assert add(math.inf, 1) == math.inf
            assert math.isnan(add(math.nan, 1))
            assert add(1e300, 1e300) == 2e300
        """,
    ),
    adding(
        "parametrized, with ids and marks",
        """
        import pytest
        from calc import add

        CASES = [(1, 2, 3), (4, 5, 9), pytest.param(2, 0, 2, id="nothing")]

        @pytest.mark.parametrize(("a", "b", "total"), CASES)
        def test_add(a, b, total):
            assert add(a, b) == total

        @pytest.mark.parametrize("a", [1, 2], ids=["one", "two: and [more]"])
        @pytest.mark.parametrize("b", [3, 4])
        def test_crossed(a, b):
            assert add(a, b) == b + a

        @pytest.mark.parametrize("text", ["a", "b c", "ü"])
        def test_texts(text):
            assert add(text, "x") == text + "x"
        """,
    ),
    adding(
        "asserts in loops",
        """
        from calc import add

        def numbers():
            return [(1, 2), (3, 4)]

        def test_loop():
            for a, b in numbers():
                if a:
                    assert add(a, b) == a + b

        def test_empty_loop():
            assert add(1, 1) == 2
            for a in []:
                assert add(a, 1) == 0

        def test_while():
            n = 3
            while n > 0:
                assert add(n, 1) == n + 1
                n -= 1
        """,
    ),
    adding(
        "helpers in the module",
        """
        from calc import add

        def check(a, b, total):
            assert add(a, b) == total

        def check_all(pairs):
            for pair in pairs:
                assert add(*pair) == sum(pair)

        def test_one():
            check(1, 2, 3)

        def test_all():
            check_all([(1, 2), (3, 4)])

        class TestMore:
            def expect(self, total):
                assert add(1, 2) == total

            def test_it(self):
                self.expect(3)
                check(2, 2, 4)
        """,
    ),
    adding(
        "early returns and tries",
        """
        import pytest
        from calc import add

        def test_return():
            assert add(1, 2) == 3
            if add(2, 2) == 4:
                return
            assert False

        def test_try():
            try:
                result = add(1, "x")
            except TypeError:
                pass
            else:
                pytest.fail("it should not work")
            assert add(1, 2) == 3

        def test_by_hand():
            if add(1, 2) != 3:
                raise AssertionError("wrong")
        """,
    ),
)
