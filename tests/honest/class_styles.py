"""Honest fixes whose tests are classes, or expect exceptions."""

from __future__ import annotations

from honest.styles import Style, adding

PARSE = "def parse(text):\n    return 0\n"
PARSES = """
def parse(text):
    if not text.isdigit():
        raise ValueError(f"no number: {text}")
    return int(text)
"""
CLASSES = (
    adding(
        "a class with setup",
        """
        from calc import add

        class TestAdd:
            def setup_method(self, method):
                self.one = 1

            def teardown_method(self):
                del self.one

            def test_add(self):
                assert add(self.one, 2) == 3

        class TestOuter:
            class TestInner:
                def test_inner(self):
                    assert add(2, 2) == 4
        """,
    ),
    adding(
        "inherited tests",
        """
        from calc import add

        class Base:
            value = 1

            def test_add(self):
                assert add(self.value, 2) == self.value + 2

        class TestOne(Base):
            pass

        class TestTwo(Base):
            value = 5

            def test_more(self):
                super().test_add()
                assert add(self.value, 1) == 6
        """,
    ),
    adding(
        "a parametrized class",
        """
        import pytest
        from calc import add

        @pytest.mark.parametrize("n", [1, 2])
        class TestAdd:
            @pytest.fixture
            def two(self):
                return 2

            def test_add(self, n, two):
                assert add(n, two) == n + 2
        """,
    ),
    adding(
        "unittest",
        """
        import unittest
        from calc import add

        class CalcTests(unittest.TestCase):
            @classmethod
            def setUpClass(cls):
                cls.one = 1

            def setUp(self):
                self.addCleanup(lambda: None)

            def test_add(self):
                self.assertEqual(add(self.one, 2), 3)
                self.assertTrue(add(1, 1))
                self.assertIsNone(None if add(1, 2) == 3 else 1)
                self.assertGreater(add(1, 2), 2)
                self.assertAlmostEqual(add(0.1, 0.2), 0.3)
                self.assertIn(add(1, 2), [3])
                self.assertListEqual([add(1, 2)], [3])
                self.assertCountEqual([add(1, 2), 1], [1, 3])

            def test_each(self):
                for n in range(3):
                    with self.subTest(n=n):
                        self.assertEqual(add(n, 1), n + 1)

            def test_logs(self):
                with self.assertLogs("x", "INFO") as logs:
                    import logging
                    logging.getLogger("x").info("%s", add(1, 2))
                self.assertEqual(logs.output, ["INFO:x:3"])
        """,
    ),
    adding(
        "asynchronous unittest",
        """
        import asyncio
        import unittest
        from calc import add

        class TestAdd(unittest.IsolatedAsyncioTestCase):
            async def asyncSetUp(self):
                self.one = 1

            async def test_add(self):
                await asyncio.sleep(0)
                self.assertEqual(add(self.one, 2), 3)

        def test_run():
            async def work():
                return add(1, 2)
            assert asyncio.run(work()) == 3
        """,
    ),
    adding(
        "tests that need their order",
        """
        import unittest
        from calc import add

        class TestSteps(unittest.TestCase):
            made = []

            def test_1_make(self):
                self.made.append(add(1, 2))
                self.assertEqual(self.made[0], 3)

            def test_2_use(self):
                self.assertEqual(add(self.made[0], 1), 4)
        """,
    ),
    Style(
        "exceptions",
        PARSE,
        PARSES,
        """
        import pytest
        from pytest import raises
        from calc import parse

        def test_refuses():
            with pytest.raises(ValueError):
                parse("x")

        def test_says_why():
            with raises(ValueError, match="no number") as caught:
                parse("y")
            assert "y" in str(caught.value)
            assert caught.type is ValueError

        def test_called():
            pytest.raises(ValueError, parse, "z")

        @pytest.mark.parametrize("text", ["", "1a"])
        def test_many(text):
            with pytest.raises((ValueError, TypeError)):
                parse(text)

        def test_reads():
            assert parse("12") == 12
        """,
    ),
    Style(
        "exceptions of unittest",
        PARSE,
        PARSES,
        """
        import unittest
        from calc import parse

        class TestParse(unittest.TestCase):
            def test_refuses(self):
                with self.assertRaises(ValueError) as caught:
                    parse("x")
                self.assertIn("x", str(caught.exception))

            def test_called(self):
                self.assertRaises(ValueError, parse, "x")

            def test_says(self):
                with self.assertRaisesRegex(ValueError, "no number"):
                    parse("x")
        """,
    ),
    Style(
        "objects with their own equality",
        """
        class Money:
            def __init__(self, cents):
                self.cents = cents

            def __eq__(self, other):
                if not isinstance(other, Money):
                    raise TypeError("no money")
                return self.cents == other.cents + 1
        """,
        """
        class Money:
            def __init__(self, cents):
                self.cents = cents

            def __eq__(self, other):
                if not isinstance(other, Money):
                    raise TypeError("no money")
                return self.cents == other.cents
        """,
        """
        from calc import Money

        def test_equal():
            assert Money(3) == Money(3)

        def test_other():
            assert not Money(3) == Money(4)
        """,
    ),
)
