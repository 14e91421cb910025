"""Candidates that end, fork or disturb the process, and patches that touch what is not theirs."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.runner_tricks import BROKEN

FORGERIES = (
    Forgery("exit at import", {"calc.py": "\n            import os\n            os._exit(0)\n" + BROKEN}),
    Forgery(
        "sys.exit at import", {"calc.py": "\n            import sys\n            sys.exit(0)\n" + BROKEN}
    ),
    Forgery(
        "exit at the end",
        {
            "calc.py": """
            import atexit
            import os

            atexit.register(os._exit, 0)
"""
            + BROKEN
        },
    ),
    Forgery(
        "the child reports",
        {
            "calc.py": """
            import os

            if os.fork():
                os.wait()
                os._exit(0)
"""
            + BROKEN
        },
    ),
    Forgery(
        "a signal that ends the test well",
        {
            "calc.py": """
            import os
            import signal


            def handler(number, frame):
                os._exit(0)


            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.05)
"""
            + BROKEN
        },
    ),
    Forgery(
        "pytest ends with success",
        {"calc.py": "\n            import pytest\n            pytest.exit('done', returncode=0)\n" + BROKEN},
    ),
    Forgery(
        "the whole module is skipped",
        {
            "calc.py": "\n            import pytest\n            pytest.skip('x', allow_module_level=True)\n"
            + BROKEN
        },
    ),
    Forgery(
        "a conftest",
        {
            "conftest.py": """
            def pytest_pyfunc_call(pyfuncitem):
                return True
            """
        },
    ),
    Forgery(
        "a plugin in the metadata",
        {
            "helper.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
            "helper-1.0.dist-info/entry_points.txt": "[pytest11]\nhelper = helper\n",
            "helper-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n",
        },
    ),
    Forgery(
        "a plugin in the metadata of an egg",
        {
            "helper.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n",
            "helper.egg-info/entry_points.txt": "[pytest11]\nhelper = helper\n",
            "helper.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: helper\nVersion: 1.0\n",
        },
    ),
    Forgery("the tests are others", {"test_calc.py": "def test_add():\n    assert True\n"}),
    Forgery("the tests are gone", {"test_calc.py": None}),
    Forgery("the configuration is another", {"pytest.ini": "[pytest]\naddopts = --collect-only\n"}),
    Forgery(
        "a module in the place of pytest",
        {"pytest.py": "def main(*a, **k):\n    return 0\n", "calc.py": BROKEN},
    ),
    Forgery(
        "a module in the place of unittest",
        {"unittest/__init__.py": "class TestCase:\n    pass\n"},
        "classes",
    ),
)
