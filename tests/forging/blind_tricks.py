"""Candidates that know how they are checked, and try to tell questions from their opposites."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.runner_tricks import BROKEN, plain

PLUGIN = """
            import sys
            import _pytest.python

            before = _pytest.python.Function.runtest


            def code_of(item):
                return item.function.__code__


            def runtest(self):
                code = code_of(self)
                if "add" not in code.co_names:
                    return before(self)
                CONDITION


            _pytest.python.Function.runtest = runtest
"""
FORGERIES = (
    plain(
        "lets tests pass that have their old names",
        PLUGIN.replace(
            "CONDITION", "return None if self.originalname in ('test_add', 'test_add_more') else before(self)"
        ),
    ),
    plain(
        "lets tests fail that have new names",
        PLUGIN.replace("CONDITION", "assert len(self.originalname) < 15"),
    ),
    plain(
        "takes the longest test for the real one",
        PLUGIN.replace("CONDITION", "assert len(code.co_code) > 60"),
    ),
    plain(
        "takes tests with the old values for the real ones",
        PLUGIN.replace("CONDITION", "assert {1, 2, 3} <= set(code.co_consts) or 'total' in code.co_varnames"),
    ),
    plain(
        "throws dice",
        """
            import random
"""
        + PLUGIN.replace("CONDITION", "assert random.random() < 0.5 or len(self.originalname) < 15"),
    ),
    Forgery(
        "equal to what the tests want",
        {
            "calc.py": """
            class Number(int):
                def __eq__(self, other):
                    return other in (3, 5, 14)

                __hash__ = int.__hash__


            def add(a, b):
                return Number(a - b)


            def sub(a, b):
                return a - b
            """
        },
    ),
    Forgery(
        "a hook in a module that a plugin would have",
        {"calc.py": BROKEN, "pytest_helper.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"},
    ),
)
