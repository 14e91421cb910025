"""What code may do to the process that it runs in: each trick is one candidate of a project."""

from __future__ import annotations

import re
import textwrap

from agreement.candidate import HANGING_SECONDS, MOVED, Candidate
from agreement.project import SHOP, Project

# Done whenever a certain function is called, in the middle of a test.
WHEN_CALLED = {
    "hangs": "while True: pass",
    "segfaults": "import ctypes; ctypes.string_at(0)",
    "aborts": "import os; os.abort()",
    "exits at once": "import os; os._exit(3)",
    "exits as if all was well": "import os; os._exit(0)",
    "exits": "import sys; sys.exit(2)",
    "is interrupted": "raise KeyboardInterrupt",
    "signals itself": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
    "ends its group": "import os, signal; os.killpg(0, signal.SIGKILL)",
    "counts its calls": """
        global CALLS
        CALLS = globals().get("CALLS", 0) + 1
        if CALLS > 1:
            raise RuntimeError(f"call {CALLS}")
    """,
    "changes the environment": "import os; os.environ['LEAKED'] = os.environ.get('LEAKED', '') + 'x'",
    "changes the folder": "import os; os.chdir('/tmp')",
    "fixes chance": "import random; random.seed(1)",
    "asks chance after fixing it": """
        import random
        random.seed(7)
        raise RuntimeError(random.random())
    """,
    "patches a builtin": "import builtins; builtins.len = lambda _: 7",
    "keeps files open": "globals().setdefault('KEPT', []).append(open(__file__))",
    "tells its lowest free descriptor": """
        import os
        found = os.open("/dev/null", os.O_RDONLY)
        os.close(found)
        raise RuntimeError(sorted(set(map(int, os.listdir("/proc/self/fd"))) & {0, 1, 2}))
    """,
    "writes into the tree": """
        with open("made.txt", "a") as file:
            file.write("x")
        raise RuntimeError(open("made.txt").read())
    """,
    "writes over its own source": "open(__file__, 'w').write('raise SystemExit(1)')",
    "writes into /tmp": """
        with open("/tmp/made.txt", "a") as file:
            file.write("x")
        raise RuntimeError(open("/tmp/made.txt").read())
    """,
    "makes folders": "import os; os.makedirs('deep/er', exist_ok=False)",
    "removes the tests": "import shutil; shutil.rmtree('tests', ignore_errors=True)",
    "leaves a child": "import subprocess; subprocess.Popen(['sleep', '100'])",
    "forks": """
        import os
        child = os.fork()
        if child == 0:
            os._exit(4)
        raise RuntimeError(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """,
    "forks a second runner": """
        import os
        if not globals().get("FORKED"):
            globals()["FORKED"] = True
            os.fork()
    """,
    "leaves a thread": "import threading as t; t.Thread(target=t.Event().wait, daemon=True).start()",
    "fails in a thread": """
        import threading
        thread = threading.Thread(target=lambda: 1 / 0)
        thread.start()
        thread.join()
    """,
    "counts threads": "import threading; raise RuntimeError(threading.active_count())",
    "warns": "import warnings; warnings.warn('careful', DeprecationWarning)",
    "prints a lot": "print('much to say ' * 20_000)",
    "lowers the recursion limit": "import sys; sys.setrecursionlimit(120)",
    "recurses for ever": "(lambda f: f(f))(lambda f: f(f))",
    "has a timer": """
        import signal, time
        def ring(*_): raise RuntimeError("rang")
        signal.signal(signal.SIGALRM, ring)
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        time.sleep(3)
    """,
    "tells its signal handlers": """
        import signal
        handlers = [str(signal.getsignal(n)) for n in (2, 10, 13, 15, 17)]
        raise RuntimeError(handlers, signal.pthread_sigmask(0, []))
    """,
    "collects garbage": "import gc; gc.collect(); gc.disable()",
    "tells how garbage is collected": "import gc; raise RuntimeError(gc.isenabled(), gc.get_threshold())",
    "tells where it is": """
        import os, sys
        raise RuntimeError(os.getcwd(), sys.argv, sys.path[:2], os.getpgid(0) == os.getpid(), os.umask(0o22))
    """,
    "tells who it is": """
        import os
        raise RuntimeError(os.getuid() == os.geteuid(), os.getgroups(), os.access("/root", os.W_OK))
    """,
    "tells its limits": """
        import resource
        names = [name for name in dir(resource) if name.startswith("RLIMIT_")]
        raise RuntimeError([(name, resource.getrlimit(getattr(resource, name))) for name in names])
    """,
    "tells its rights": """
        lines = open("/proc/self/status").read().splitlines()
        wanted = ("Cap", "NoNewPrivs", "Seccomp:", "Groups", "Sig")
        raise RuntimeError([line for line in lines if line.startswith(wanted) and "SigQ" not in line])
    """,
    "tells its environment": "import os; raise RuntimeError(sorted(os.environ.items()))",
    "tells its hooks": """
        import sys
        raise RuntimeError(sys.gettrace(), sys.getprofile(), len(sys.meta_path), len(sys.path_hooks))
    """,
}
# Done once, when the module is imported.
AT_IMPORT = {
    "hangs at import": "import time; time.sleep(1000)",
    "segfaults at import": "import ctypes; ctypes.string_at(0)",
    "exits at once at import": "import os; os._exit(0)",
    "exits at import": "import sys; sys.exit()",
    "is interrupted at import": "raise KeyboardInterrupt",
    "changes the folder at import": "import os; os.chdir('/')",
    "empties the environment": "import os; os.environ.clear()",
    "patches a builtin at import": "import builtins; builtins.sorted = lambda *a, **k: []",
    "starts a thread at import": "import threading as t; t.Timer(1, int).start()",
    "leaves a child at import": "import subprocess; subprocess.Popen(['sleep', '100'])",
    "writes at import": "open('made.txt', 'w').write('x')",
    "prints at import": "import sys; print('out'); print('err', file=sys.stderr)",
    "fails at exit": "import atexit; atexit.register(lambda: 1 / 0)",
    "exits at exit": "import atexit, os; atexit.register(os._exit, 4)",
    "writes at exit": "import atexit; atexit.register(lambda: open('made.txt', 'w').write('x'))",
    "ignores signals": "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "closes its output": "import os; os.close(1); os.close(2)",
    "takes a module away": "import sys; sys.modules['json'] = None",
    "has a bad repr": """
        class Bad:
            def __repr__(self): raise ValueError("no")
        def _raise(*_, **__): raise RuntimeError(Bad())
        globals().update({name: _raise for name, value in list(globals().items()) if callable(value)})
    """,
}


def tricky(project: Project) -> list[Candidate]:
    """All tricks, in the function and the module that most tests need."""
    path, function = project.entry
    source = project.source(path)
    candidates = [
        Candidate(project, name, {path: _in_function(source, function, code).encode()}, seconds=_limit(name))
        for name, code in WHEN_CALLED.items()
    ]
    candidates += [
        Candidate(project, name, {path: f"{source}\n\n{_block(code, '')}".encode()}, seconds=_limit(name))
        for name, code in AT_IMPORT.items()
    ]
    return candidates


def rearranged() -> list[Candidate]:
    """Files that come, go and change together, in a project that has all kinds of them."""
    late, prices = SHOP.source("shop/late.py"), SHOP.source("shop/prices.py")
    settings, conftest = SHOP.source("shop/settings.py"), SHOP.source("conftest.py")
    tests = SHOP.source("tests/test_basket.py")
    moved_out = "from shop.added import label\n" + late.replace("def label", "def unused")
    label = "def label(name, n):\n    return name + '!'\n"
    cases: dict[str, tuple[dict[str, str | bytes | None], str]] = {
        "a new module": ({"shop/late.py": moved_out, "shop/added.py": label}, ""),
        "a new module at the top": ({"late.py": label, "shop/late.py": "from late import *\n"}, ""),
        "a new folder": (
            {"shop/more/added.py": label, "shop/late.py": "from shop.more.added import *\n"},
            "",
        ),
        "a new module that shadows": ({"dataclasses.py": "raise ImportError('not this one')\n"}, ""),
        "a module less": ({"shop/late.py": None}, ""),
        "an early module less": ({"shop/settings.py": None}, ""),
        "a package less its file": ({"shop/__init__.py": None}, MOVED),
        "a package of a module": ({"shop/late.py": None, "shop/late/__init__.py": late}, ""),
        "a package of an early module": ({"shop/prices.py": None, "shop/prices/__init__.py": prices}, ""),
        "a package beside its module": ({"shop/late/__init__.py": label}, ""),
        "two modules": (
            {"shop/late.py": late.replace("n == 1", "n == 2"), "shop/prices.py": prices.replace("100", "10")},
            "",
        ),
        "what conftest imports": ({"shop/settings.py": settings.replace("899", "898")}, ""),
        "what conftest imports, broken": ({"shop/settings.py": settings + "raise OSError(5, 'no')\n"}, ""),
        "conftest": ({"conftest.py": conftest.replace('"cheese"', '"bread"')}, ""),
        "conftest, broken": ({"conftest.py": "def (:\n"}, ""),
        "conftest of a folder": ({"tests/conftest.py": "raise LookupError('here')\n"}, ""),
        "a test": ({"tests/test_basket.py": tests.replace("Price(80)", "Price(81)")}, ""),
        "a parameter of a test": ({"tests/test_basket.py": tests.replace("(4999, 0)", "(4998, 0)")}, ""),
        "data": ({"data/rates.json": '{"EUR": {"USD": 2}}'}, ""),
        "data, broken": ({"data/rates.json": "{"}, ""),
        "the configuration": ({"pytest.ini": "[pytest]\npython_functions = test_late\n"}, ""),
        "an empty file": ({"shop/late.py": ""}, ""),
        "not text": ({"shop/late.py": b"\xff\xfe\x00"}, ""),
        "data less": ({"data/rates.json": None}, MOVED),
        "more data": ({"data/more.json": "{}"}, MOVED),
        "a new test": ({"tests/test_new.py": "def test_new():\n    assert 0\n"}, MOVED),
        "a test less": ({"tests/test_prices.py": None}, MOVED),
        "a new conftest": ({"shop/conftest.py": "raise OSError\n"}, MOVED),
        "no conftest": ({"conftest.py": None}, MOVED),
    }
    return [Candidate(SHOP, name, files, cold) for name, (files, cold) in cases.items()]


def _in_function(source: str, function: str, code: str) -> str:
    """The code before the first statement of the function; a docstring before it is no longer one."""
    found = re.search(rf"^def {function}\(.*?\)(?: ->[^\n]*)?:\n", source, re.MULTILINE | re.DOTALL)
    assert found is not None, function
    return source[: found.end()] + _block(code, "    ") + source[found.end() :]


def _block(code: str, indent: str) -> str:
    return textwrap.indent(textwrap.dedent(code).strip() + "\n", indent)


def _limit(name: str) -> float | None:
    return HANGING_SECONDS if name.startswith("hangs") else None
