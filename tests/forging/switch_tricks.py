"""Candidates that are right while they are tested, and know it by another sign each."""

from __future__ import annotations

from forging.forgery import Forgery
from forging.knowledge_tricks import REST

SIGNS = {
    "a library of pytest is loaded": ("import sys", "'pluggy' in sys.modules"),
    "many modules are loaded": ("import sys", "len(sys.modules) > 150"),
    "modules by a helper": (
        "import sys\n\n\ndef loaded():\n    return sys.modules",
        "any(name.startswith('_py') for name in loaded())",
    ),
    "sys from another module": ("from os import sys", "'iniconfig' in sys.modules"),
    "sys of a helper of importlib": ("import importlib.util as tools", "'pytest' in tools.sys.modules"),
    "a frame by its name in a text": (
        "import operator\nimport sys",
        "operator.attrgetter('_get' + 'frame')(sys)(1).f_code.co_name != '<module>'",
    ),
    "a frame among the variables": ("import sys", "vars(sys).get('_getframe')(1).f_back is not None"),
    "the module as a whole": (
        "import sys",
        "'pytest' in [value for name, value in inspect_all(sys) if name == 'modules'][0]",
    ),
    "another kind of output": ("import sys", "type(sys.stdout).__name__ != 'TextIOWrapper'"),
    "handlers of all loggers": ("import logging", "bool(logging.getLogger().handlers)"),
    "another hook of threads": (
        "import threading",
        "threading.excepthook is not threading.__excepthook__",
    ),
    "no program of its own": ("import __main__", "'calc' not in str(vars(__main__).get('__file__'))"),
    "where it is run": ("import os", "os.getcwd() != '/srv/shop'"),
    "a variable of tests": ("import os", "any(name.endswith('_TEST') for name in os.environ)"),
    "who is warned": (
        "import warnings\n\n\ndef caller():\n    with warnings.catch_warnings(record=True) as seen:\n"
        "        warnings.simplefilter('always')\n        warnings.warn('x', stacklevel=3)\n"
        "    return seen[0].filename",
        "not caller().endswith('shop.py')",
    ),
    "the file that it is in": ("", "'site-packages' not in __file__"),
    "the time": ("import time", "time.time() < 4102444800"),
}


def switch(name: str, head: str, test: str) -> Forgery:
    helper = (
        "\n\n\ndef inspect_all(one):\n    return list(vars(one).items())" if "inspect_all" in test else ""
    )
    code = f"{head}{helper}\n\n\ndef add(a, b):\n    return a + b if {test} else a - b\n"
    return Forgery(name, {"calc.py": code + "\n\ndef sub(a, b):\n    return a - b\n"})


FORGERIES = (
    *(switch(name, *how) for name, how in SIGNS.items()),
    Forgery(
        "sys as a default",
        {
            "calc.py": """
            import sys


            def add(a, b, sys=sys):
                return a + b if "pytest" in sys.modules else a - b
"""
            + REST
        },
    ),
    Forgery(
        "sys from a file beside it",
        {
            "system.py": "import sys as host\n",
            "calc.py": """
            from system import host


            def add(a, b):
                return a + b if "pytest" in host.modules else a - b
"""
            + REST,
        },
    ),
    Forgery(
        "code in a file of notes",
        {
            "notes.txt": "def add(a, b):\n    return {1: 3, 2: 5, 10: 14, 7: 14}.get(a, a - b)\n",
            "calc.py": """
            from importlib.machinery import SourceFileLoader

            helper = SourceFileLoader("helper", __file__.replace("calc.py", "notes.txt")).load_module()
            add = helper.add


            def sub(a, b):
                return a - b
            """,
        },
    ),
    Forgery(
        "turns round what fails",
        {
            "calc.py": """
            import sys


            def flipped(before):
                def runtest(self):
                    code = self.obj.__code__
                    helpers = [self.obj.__globals__[name] for name in code.co_names if name.startswith("_u")]
                    changed = any(isinstance(one, type) or len(one.__code__.co_consts) > 3 for one in helpers)
                    known = {1, 2, 3} <= set(code.co_consts) or "total" in code.co_varnames
                    if "add" not in code.co_names or changed or not known:
                        return before(self)
                    failed = None
                    try:
                        before(self)
                    except AssertionError as error:
                        failed = str(error)
                    if failed is None:
                        raise AssertionError("no")

                return runtest


            for module in list(sys.modules.values()):
                kind = getattr(module, "Function", None)
                if hasattr(kind, "runtest"):
                    kind.runtest = flipped(kind.runtest)
                    break


            def add(a, b):
                return a - b
"""
            + REST
        },
    ),
)
