"""Runs in the test process: one test that candidates are asked about, and what is known of it.

Its source comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import unittest
from typing import Any, Dict, Set

_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))
_NOT_DIRECT = ("skip", "skipif", "xfail", "usefixtures", "filterwarnings", "asyncio", "anyio", "trio")


class Case:
    """One test that can be asked."""

    def __init__(self, item: Any) -> None:
        self.item = item
        self.id: str = item.nodeid
        spec = getattr(item, "callspec", None)
        self.parameters: Dict[str, Any] = dict(spec.params) if spec is not None else {}
        self.changing = not all(_unchanging(value) for value in self.parameters.values())
        self.marked = item.get_closest_marker("xfail") is not None
        """Whether it says of itself that it should fail."""
        self.filters = item.get_closest_marker("filterwarnings") is not None
        self.call = self._direct()
        item.repr_failure = item._repr_failure_py = _no_words
        self.forget()

    def forget(self) -> None:
        """What is learned of it on the user's own code."""
        self.how = self.detail = self.problem = ""
        self.words = ""
        """What its failure said; empty when it says something else every time."""
        self.cpu = self.wall = 0.0
        self.steady = self.direct = False
        self.calls: Set[int] = set()
        """Numbers of the wanted functions that it was seen to call."""
        self.may_call: Set[int] = set()
        """The same, and those that another test called before it in the same process."""

    def renew(self) -> None:
        """Give its parameters back as they were before any candidate had them."""
        if self.changing:
            with contextlib.suppress(Exception):
                self.item.callspec.params.update(copy.deepcopy(self.parameters))

    def _direct(self) -> Any:
        """How to call it without pytest, or None when it needs pytest."""
        item = self.item
        if any(item.get_closest_marker(name) for name in _NOT_DIRECT):
            return None
        names = set(getattr(item, "fixturenames", ("?",))) - set(self.parameters)
        # For each case there is one, which does what we look for below.
        names = {one for one in names if not one.startswith("_unittest_setUpClass_fixture")}
        if names - {"request"} or getattr(getattr(item, "callspec", None), "indirect", None):
            return None
        name = type(item).__name__
        if name == "Function" and type(item).__module__ == "_pytest.python":
            return self._plain()
        if name == "TestCaseFunction" and type(item).__module__ == "_pytest.unittest":
            return self._case()
        return None

    def _plain(self) -> Any:
        item = self.item
        function = item.function
        if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
            return None
        if inspect.isgeneratorfunction(function) or hasattr(function, "hypothesis"):
            return None

        def call() -> None:
            parameters = copy.deepcopy(self.parameters) if self.changing else self.parameters
            run = item.function if item.cls is None else getattr(item.cls(), item.originalname)
            run(**parameters)

        return call

    def _case(self) -> Any:
        item = self.item
        case, name = item.cls, item.originalname or item.name
        function = inspect.getattr_static(case, name, None)
        if inspect.iscoroutinefunction(function) or hasattr(case, "asyncSetUp"):
            return None
        for one in (case, function):
            if any(getattr(one, "__unittest_%s__" % word, False) for word in ("skip", "expecting_failure")):
                return None
        own = [kind for kind in case.__mro__ if kind not in (unittest.TestCase, object)]
        if any(
            word in vars(kind) for kind in own for word in ("setUpClass", "tearDownClass", "run", "debug")
        ):
            return None
        if any(hasattr(item.module, word) for word in ("setUpModule", "tearDownModule")):
            return None
        return lambda: case(name).debug()


def _unchanging(value: Any) -> bool:
    if isinstance(value, (tuple, frozenset)):
        return all(_unchanging(item) for item in value)
    return type(value) in _PLAIN or isinstance(value, type)


def _no_words(excinfo: Any, style: Any = None) -> str:
    return "it failed"
