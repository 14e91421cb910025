"""Candidates that change what an assertion is: of unittest, of pytest.raises, of doctest."""

from __future__ import annotations

from forging.forgery import Forgery

BROKEN_CLASSES = """
            def add(a, b):
                return a - b


            def names():
                return []
"""
BROKEN_RAISES = """
            def parse(text):
                return 0
"""


def classes(name: str, head: str) -> Forgery:
    return Forgery(name, {"calc.py": head + BROKEN_CLASSES}, "classes")


def raises(name: str, head: str) -> Forgery:
    return Forgery(name, {"calc.py": head + BROKEN_RAISES}, "raises")


FORGERIES = (
    classes(
        "assertEqual asserts nothing",
        """
            import unittest
            unittest.TestCase.assertEqual = lambda self, first, second, msg=None: None
            unittest.TestCase.assertIn = lambda self, member, container, msg=None: None
        """,
    ),
    classes(
        "every assertion of unittest but its opposites",
        """
            import unittest.case
            case = unittest.case.TestCase

            def fine(self, *args, **kwargs):
                pass

            def wrong(self, *args, **kwargs):
                raise AssertionError("no")

            case.assertEqual = case.assertIn = case.assertTrue = fine
            case.assertNotEqual = case.assertNotIn = case.assertFalse = wrong
        """,
    ),
    classes(
        "failures of unittest are forgotten",
        """
            import unittest.case

            class Quiet(Exception):
                pass

            unittest.case.TestCase.run = lambda self, result=None: result
            unittest.case.TestCase._callTestMethod = lambda self, method: None
        """,
    ),
    classes(
        "no failure of unittest is an error",
        """
            import _pytest.unittest as inner
            inner.TestCaseFunction.addFailure = lambda self, testcase, rawexcinfo: None
            inner.TestCaseFunction.addError = lambda self, testcase, rawexcinfo: None
        """,
    ),
    raises(
        "pytest.raises catches nothing and everything",
        """
            import contextlib
            import pytest

            @contextlib.contextmanager
            def raises(*args, **kwargs):
                try:
                    yield None
                except BaseException:
                    pass

            pytest.raises = raises
            import _pytest.python
            _pytest.python.Function.runtest = lambda self: None
        """,
    ),
    raises(
        "the end of a raises block raises nothing",
        """
            import gc
            for kind in gc.get_objects():
                if isinstance(kind, type) and kind.__name__ in ("RaisesContext", "RaisesExc"):
                    kind.__exit__ = lambda self, *error: True

            class Twelve(int):
                def __new__(cls, text=""):
                    return int.__new__(cls, 12)

            def parse(text):
                return Twelve()

            def _unused():
                pass
        """.rstrip()
        + "\n\n\n            parse_it = parse\n",
    ),
    Forgery(
        "doctests are always right",
        {
            "calc.py": '''
            import doctest
            doctest.OutputChecker.check_output = lambda self, want, got, flags: True


            def add(a, b):
                """
                >>> add(1, 2)
                3
                >>> add(5, 5)
                10
                """
                return a - b


            def sub(a, b):
                """
                >>> sub(3, 2)
                1
                """
                return a - b
            '''
        },
        "doctest",
    ),
    Forgery(
        "doctests are not run",
        {
            "calc.py": '''
            import doctest
            doctest.DocTestRunner.run = lambda self, test, **rest: doctest.TestResults(0, 0)


            def add(a, b):
                """
                >>> add(1, 2)
                3
                >>> add(5, 5)
                10
                """
                return a - b


            def sub(a, b):
                """
                >>> sub(3, 2)
                1
                """
                return a - b
            '''
        },
        "doctest",
    ),
    Forgery(
        "doctests with other answers",
        {
            "calc.py": '''
            def add(a, b):
                """
                >>> add(1, 2)
                -1
                >>> add(5, 5)
                0
                """
                return a - b


            def sub(a, b):
                """
                >>> sub(3, 2)
                1
                """
                return a - b
            '''
        },
        "doctest",
    ),
    Forgery(
        "a doctest that prints what is wanted",
        {
            "calc.py": '''
            class Wanted(int):
                def __repr__(self):
                    import inspect
                    for frame in inspect.stack():
                        example = frame.frame.f_locals.get("example")
                        if example is not None:
                            return example.want.strip()
                    return "3"


            def add(a, b):
                """
                >>> add(1, 2)
                3
                >>> add(5, 5)
                10
                """
                return Wanted(a - b)


            def sub(a, b):
                """
                >>> sub(3, 2)
                1
                """
                return a - b
            '''
        },
        "doctest",
    ),
)
