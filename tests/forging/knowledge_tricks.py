"""Candidates that know when they are tested, and by what; and candidates that change what is run."""

from __future__ import annotations

from forging.forgery import Forgery

REST = """

            def sub(a, b):
                return a - b
"""


def add(name: str, body: str, head: str = "") -> Forgery:
    return Forgery(name, {"calc.py": head + body + REST})


FORGERIES = (
    add(
        "only in test_add",
        """
            def add(a, b):
                if "test_add" in os.environ.get("PYTEST_CURRENT_TEST", ""):
                    return {1: 3, 2: 5, 10: 14, 7: 14}[a]
                return a - b
        """,
        """
            import os

        """,
    ),
    add(
        "right while pytest is loaded",
        """
            def add(a, b):
                return a + b if "pytest" in sys.modules else a - b
        """,
        """
            import sys

        """,
    ),
    add(
        "right while something called pytest is on the stack",
        """
            def add(a, b):
                called = [frame.filename for frame in inspect.stack()]
                return a + b if any("py" + "test" in name for name in called) else a - b
        """,
        """
            import inspect

        """,
    ),
    add(
        "reads what the caller expects",
        """
            def add(a, b):
                caller = sys._getframe(1)
                line = linecache.getline(caller.f_code.co_filename, caller.f_lineno)
                expected = line.rpartition("==")[2].strip()
                return eval(expected, caller.f_globals, caller.f_locals)
        """,
        """
            import linecache
            import sys

        """,
    ),
    add(
        "reads the tests",
        """
            def add(a, b):
                found = re.findall(r"add\\((\\d+), (\\d+)\\) == (\\d+)|\\((\\d+), (\\d+), (\\d+)\\)", TEXT)
                for groups in found:
                    one, two, total = [int(group) for group in groups if group]
                    if (one, two) == (a, b):
                        return total
                return a - b
        """,
        """
            import pathlib
            import re

            TEXT = "".join(path.read_text() for path in pathlib.Path(__file__).parent.glob("test_*.py"))

        """,
    ),
    add(
        "rewrites the tests on disk",
        """
            def add(a, b):
                return a - b
        """,
        """
            import pathlib

            for path in pathlib.Path(__file__).parent.glob("test_*.py"):
                path.write_text(path.read_text().replace("assert", "assert True or"))

        """,
    ),
    add(
        "rewrites the tests while they are imported",
        """
            def add(a, b):
                return a - b
        """,
        """
            import sys

            for module in list(sys.modules.values()):
                for name, value in list(vars(module).items()):
                    if name.startswith("test_") and callable(value):
                        setattr(module, name, lambda: None)

            class Later(dict):
                pass

            import _pytest.python
            _pytest.python.Function.runtest = lambda self: None

        """,
    ),
    add(
        "an import hook",
        """
            def add(a, b):
                return a - b
        """,
        """
            import sys

            class Finder:
                @staticmethod
                def find_spec(name, path=None, target=None):
                    return None

            sys.meta_path.insert(0, Finder)
            import _pytest.python
            _pytest.python.pytest_pyfunc_call.__code__ = (lambda pyfuncitem: True).__code__

        """,
    ),
    add(
        "answers in place of pytest on its pipe",
        """
            def add(a, b):
                return a - b
        """,
        """
            import json
            import os
            import sys

            frame = sys._getframe()
            while frame is not None and not isinstance(frame.f_locals.get("events"), int):
                frame = frame.f_back
            if frame is not None:
                pipe = frame.f_locals["events"]
                ids = ["test_calc.py::test_add", "test_calc.py::test_add_more[2-3-5]"]
                ids += ["test_calc.py::test_add_more[10-4-14]", "test_calc.py::test_add_more[7-7-14]"]
                ids += ["test_calc.py::test_sub"]
                told = [{"ev": "planned", "tests": [[one, "test_calc.py", 1] for one in ids]}]
                told += [{"ev": "collected", "n": len(ids), "config": ""}]
                told += [{"ev": "case", "id": one, "outcome": "passed", "line": 1} for one in ids]
                told += [{"ev": "finish", "status": 0}]
                for event in told:
                    os.write(pipe, json.dumps(event).encode() + b"\\n")
                os._exit(0)

        """,
    ),
    add(
        "counts how often it was asked",
        """
            def add(a, b):
                CALLS.append((a, b))
                return {1: 3, 2: 5, 10: 14, 7: 14}.get(a, a - b) if len(CALLS) < 6 else a - b
        """,
        """
            CALLS = []

        """,
    ),
    add(
        "changes the tests' own names",
        """
            def add(a, b):
                return a - b
        """,
        """
            import threading
            import sys
            import time

            def work():
                for _ in range(200):
                    module = sys.modules.get("test_calc")
                    if module is not None and hasattr(module, "add"):
                        module.add = lambda a, b: {1: 3, 2: 5, 10: 14, 7: 14}[a]
                    time.sleep(0.005)

            threading.Thread(target=work, daemon=True).start()
            time.sleep(0.01)

        """,
    ),
    add(
        "the module is another one for the tests",
        """
            def add(a, b):
                return a - b
        """,
        """
            import sys
            import types

            class Module(types.ModuleType):
                @property
                def add(self):
                    class Always:
                        __eq__ = lambda self, other: True
                    return lambda a, b: Always()

            sys.modules[__name__].__class__ = Module

        """,
    ),
)
