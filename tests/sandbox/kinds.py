"""A project with one test of each kind, and what a run of it must say."""

from __future__ import annotations

SUITE = {
    "pkg/__init__.py": "",
    "pkg/calc.py": """\
        def add(a, b):
            return a - b

        def outer(a):
            return inner(a)

        def inner(a):
            raise LookupError(f"no {a} here")
        """,
    "tests/test_kinds.py": """\
        import json
        import unittest

        import pytest

        from pkg import calc

        def test_pass():
            assert calc.add(2, 0) == 2

        def test_fail():
            assert calc.add(2, 2) == 4

        def test_raise():
            calc.outer("cat")

        def test_foreign_frames():
            json.loads("{")

        def test_skip():
            pytest.skip("not today")

        @pytest.mark.skip(reason="never")
        def test_skip_mark():
            raise AssertionError

        @pytest.mark.xfail(reason="known")
        def test_xfail():
            assert False

        @pytest.mark.xfail(reason="was known")
        def test_xpass():
            assert True

        @pytest.mark.xfail(strict=True, reason="must fail")
        def test_strict_xpass():
            assert True

        @pytest.mark.parametrize("n", [1, 2, 3])
        def test_many(n):
            assert n != 2

        @pytest.mark.parametrize("text", ["a b", "::", "[x]"])
        def test_odd_ids(text):
            assert text

        class TestClass:
            def test_method(self):
                assert calc.add(1, 1) == 2

            class TestInner:
                def test_deep(self):
                    pass

        class Case(unittest.TestCase):
            def test_equal(self):
                self.assertEqual(calc.add(3, 1), 4)

            def test_right(self):
                self.assertTrue(True)

            @unittest.skip("unittest skips")
            def test_skipped(self):
                pass

            @unittest.expectedFailure
            def test_expected(self):
                self.fail("as expected")

            def test_parts(self):
                for n in (1, 2):
                    with self.subTest(n=n):
                        self.assertEqual(n, 1)

        @pytest.fixture
        def broken():
            raise RuntimeError("no set-up")

        @pytest.fixture
        def bad_end():
            yield
            raise RuntimeError("no tear-down")

        def test_setup(broken):
            pass

        def test_teardown(bad_end):
            pass

        def test_both(bad_end):
            assert 1 == 2

        class Odd:
            def __repr__(self):
                raise ValueError
            def __eq__(self, other):
                return False

        def test_repr_fails():
            assert Odd() == 1

        def test_other_comparison():
            assert 1 > 2, "not greater"

        def test_exit():
            raise SystemExit(0)
        """,
    "tests/test_broken.py": "import nowhere_to_be_found\n\ndef test_never():\n    pass\n",
    "tests/test_syntax.py": "def test_one():\n    pass\n\ndef test_two(:\n    pass\n",
    "tests/test_indirect.py": "from pkg.bad import x\n",
    "pkg/bad.py": "x = 1\nraise ZeroDivisionError('at import')\n",
}
FILE = "tests/test_kinds.py"
OUTCOMES = {
    "test_pass": "passed",
    "test_fail": "failed",
    "test_raise": "failed",
    "test_foreign_frames": "failed",
    "test_skip": "skipped",
    "test_skip_mark": "skipped",
    "test_xfail": "xfailed",
    "test_xpass": "xpassed",
    "test_strict_xpass": "failed",
    "test_many[1]": "passed",
    "test_many[2]": "failed",
    "test_many[3]": "passed",
    "test_odd_ids[a b]": "passed",
    "test_odd_ids[::]": "passed",
    "test_odd_ids[[x]]": "passed",
    "TestClass::test_method": "failed",
    "TestClass::TestInner::test_deep": "passed",
    "Case::test_equal": "failed",
    "Case::test_right": "passed",
    "Case::test_skipped": "skipped",
    "Case::test_expected": "xfailed",
    "Case::test_parts": "failed",
    "test_setup": "error",
    "test_teardown": "error",
    "test_both": "failed",
    "test_repr_fails": "failed",
    "test_other_comparison": "failed",
    "test_exit": "failed",
}
COLLECT_ERRORS = ["tests/test_broken.py", "tests/test_indirect.py", "tests/test_syntax.py"]
