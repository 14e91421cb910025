"""Candidates that change the runner: pytest, its hooks and its reports."""

from __future__ import annotations

from forging.forgery import Forgery

BROKEN = """
            def add(a, b):
                return a - b


            def sub(a, b):
                return a - b
"""


def plain(name: str, head: str) -> Forgery:
    return Forgery(name, {"calc.py": head + BROKEN})


FORGERIES = (
    plain(
        "every report passed",
        """
            import _pytest.reports
            original = _pytest.reports.TestReport.from_item_and_call

            def lying(item, call):
                call.excinfo = None
                return original(item, call)

            _pytest.reports.TestReport.from_item_and_call = staticmethod(lying)
        """,
    ),
    plain(
        "tests are not called",
        """
            import _pytest.python
            _pytest.python.Function.runtest = lambda self: None
        """,
    ),
    plain(
        "pytest_pyfunc_call does nothing",
        """
            import sys
            module = sys.modules["_pytest.python"]
            vars(module)["async_fail"] = lambda *a: None
            module.Function.runtest = lambda self: None
        """,
    ),
    plain(
        "exceptions of calls are dropped",
        """
            import importlib
            runner = importlib.import_module("_pyt" + "est.runner")
            before = runner.CallInfo.from_call.__func__

            def from_call(cls, func, when, reraise=None):
                if when == "call":
                    def func(inner=func):
                        try:
                            inner()
                        except BaseException:
                            pass
                return before(cls, func, when, reraise)

            runner.CallInfo.from_call = classmethod(from_call)
        """,
    ),
    plain(
        "a plugin found by gc",
        """
            import gc

            class Plugin:
                def pytest_pyfunc_call(self, pyfuncitem):
                    return True

            gc.unfreeze()
            for thing in gc.get_objects():
                if type(thing).__name__ == "PytestPluginManager":
                    thing.register(Plugin())
        """,
    ),
    plain(
        "a plugin found in a frame",
        """
            import sys

            class Plugin:
                def pytest_pyfunc_call(self, pyfuncitem):
                    return True

            frame = sys._getframe()
            while frame is not None:
                for value in list(frame.f_locals.values()):
                    config = getattr(value, "config", None)
                    if hasattr(config, "pluginmanager"):
                        if not config.pluginmanager.has_plugin("quiet"):
                            config.pluginmanager.register(Plugin(), "quiet")
                frame = frame.f_back
        """,
    ),
    plain(
        "the reporter itself says passed",
        """
            import gc
            gc.unfreeze()
            for thing in gc.get_objects():
                if type(thing).__name__ == "Plugin" and hasattr(thing, "send"):
                    before = thing.send
                    def send(event, before=before):
                        if event.get("ev") == "case":
                            event = {**event, "outcome": "passed", "failure": None}
                        if event.get("ev") == "finish":
                            event = {**event, "status": 0}
                        before(event)
                    thing.send = send
            import os
            leave = os._exit
            os._exit = lambda status: leave(0)
        """,
    ),
    plain(
        "assertions are taken out of the tests",
        """
            import ast, _pytest.assertion.rewrite as rewrite

            class Without(ast.NodeTransformer):
                def visit_Assert(self, node):
                    return ast.copy_location(ast.Pass(), node)

            import gc
            gc.unfreeze()
            for function in gc.get_objects():
                if type(function).__name__ == "Function" and hasattr(function, "obj"):
                    function.obj = lambda *a, **k: None
            from _pytest.python import Function
            Function.obj = property(lambda self: lambda *a, **k: None, lambda self, value: None)
        """,
    ),
    plain(
        "test functions lose their code",
        """
            import sys

            def nothing(*args, **kwargs):
                pass

            class Hook:
                def find_spec(self, name, path=None, target=None):
                    return None

            import _pytest.python
            before = _pytest.python.pytest_pyfunc_call

            def empty(pyfuncitem):
                pyfuncitem.obj = nothing
                return before(pyfuncitem)

            import gc
            gc.unfreeze()
            for thing in gc.get_objects():
                if type(thing).__name__ == "HookImpl" and thing.function is before:
                    thing.function = empty
        """,
    ),
    plain(
        "traced lines jump over assertions",
        """
            import sys

            def trace(frame, event, arg):
                if frame.f_code.co_name.startswith("test") and event == "line":
                    try:
                        frame.f_lineno = frame.f_code.co_firstlineno + 10
                    except ValueError:
                        pass
                return trace

            sys.settrace(trace)
            import _pytest.python
            _pytest.python.Function.runtest = lambda self: None
        """,
    ),
    plain(
        "an assertion that is no error",
        """
            import builtins
            import _pytest.runner as runner

            def quiet(item):
                try:
                    item.runtest()
                except AssertionError:
                    pass

            runner.pytest_runtest_call.__code__ = quiet.__code__
        """,
    ),
    plain(
        "hooks of the session are replaced",
        """
            import pluggy._manager as manager
            before = manager.PluginManager._hookexec

            def hookexec(self, name, methods, kwargs, firstresult):
                if name == "pytest_pyfunc_call":
                    return True
                return before(self, name, methods, kwargs, firstresult)

            manager.PluginManager._hookexec = hookexec
            import gc
            gc.unfreeze()
            for thing in gc.get_objects():
                if type(thing).__name__ == "PytestPluginManager":
                    thing._inner_hookexec = lambda name, *rest, inner=thing._inner_hookexec: (
                        True if name == "pytest_pyfunc_call" else inner(name, *rest)
                    )
        """,
    ),
)
