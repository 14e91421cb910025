"""Runs in the test process: what functions were called with, and how their calls ended, in short texts.

No method of the code under test is called for it, and no object is kept. Its source comes to that process in
its request, so it imports nothing of ours.
"""

from __future__ import annotations

import itertools
import opcode
import types
from typing import Any, Dict, List, Optional, Set

Event = Dict[str, Any]

MAX_FUNCTIONS = 300
MAX_CALLS = 4
"""Of one function in one test."""
MAX_ALL = 4000
MAX_NAMES = 24
MAX_ITEMS = 6
MAX_DEPTH = 2
MAX_TEXT = 80
MAX_SHOWN = 300
_PLAIN = (bool, float, complex, type(None), type(Ellipsis), type(NotImplemented))
_BRACKETS: Dict[type, Any] = {list: "[]", tuple: "()", set: "{}", frozenset: ("frozenset({", "})")}
_NAME = type.__dict__["__qualname__"]
_MODULE = type.__dict__["__module__"]
_MRO = type.__dict__["__mro__"]
_OWN = type.__dict__["__dict__"]
_RETURNS = [opcode.opmap[name] for name in ("RETURN_VALUE", "RETURN_CONST") if name in opcode.opmap]


class Observer:
    """Observes the calls of the functions that were asked for; `*` stands for every one."""

    def __init__(self, asked: List[str]) -> None:
        self.asked = frozenset(asked)
        self.known: Dict[str, bool] = {}
        self.open: Dict[int, Event] = {}
        self.raised: Dict[int, List[str]] = {}
        self.told: Set[int] = set()
        self.counts: Dict[str, int] = {}
        self.ready: List[Event] = []
        self.n_all = 0
        self.limited = False

    def asking(self, asked: List[str]) -> Observer:
        self.asked, self.known = frozenset(asked), {}
        return self

    def wants(self, function: str) -> bool:
        if function not in self.known:
            wanted = bool(function) and (function in self.asked or "*" in self.asked)
            if wanted and sum(self.known.values()) >= MAX_FUNCTIONS:
                self.limited, wanted = True, False
            self.known[function] = wanted
        return self.known[function]

    def begin(self) -> None:
        """Another test."""
        self.counts, self.open, self.raised, self.told = {}, {}, {}, set()

    def called(self, test: str, function: str, frame: Any) -> bool:
        """Whether it is observed; of what is called often enough only the first calls are."""
        if id(frame) in self.open:
            return True  # A generator that goes on is no new call.
        count = self.counts.get(function, 0)
        if count >= MAX_CALLS:
            return False
        if self.n_all >= MAX_ALL:
            self.limited = True
            return False
        self.counts[function] = count + 1
        self.n_all += 1
        code = frame.f_code
        n_arguments = code.co_argcount + code.co_kwonlyargcount
        n_arguments += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        told: Event = {"ev": "observed", "n": self.n_all, "id": test, "function": function}
        told["arguments"] = named(frame, code.co_varnames[:n_arguments])
        self.open[id(frame)] = told
        return True

    def returned(self, frame: Any, value: object) -> None:
        self._ended(frame, "returned", shown_with_type(value))

    def raises(self, frame: Any, error: Any) -> None:
        """It may still be caught there."""
        if id(frame) in self.open:
            self.raised[id(frame)] = shown_error(error)

    def unwound(self, frame: Any, error: Optional[BaseException] = None) -> None:
        told = shown_error(error) if error is not None else self.raised.get(id(frame), ["BaseException", ""])
        self._ended(frame, "raised", told)

    def left(self, frame: Any, value: object) -> None:
        """Out of a frame, says a tracer, which is not told why: only the instruction knows."""
        if id(frame) in self.open:
            at = frame.f_code.co_code[frame.f_lasti]
            if value is not None or at in _RETURNS:
                if opcode.opname[at] != "YIELD_VALUE":
                    self.returned(frame, value)
            elif opcode.opname[at] != "YIELD_VALUE":
                self.unwound(frame)

    def take(self, unfinished: bool) -> List[Event]:
        """What was observed since the last time. Of calls that are under way their arguments, and if they
        ever end, all of it under the same number."""
        found, self.ready = self.ready, []
        if unfinished:
            found += [dict(call) for n, call in list(self.open.items()) if n not in self.told]
            self.told.update(self.open)
        return found

    def _ended(self, frame: Any, how: str, told: List[str]) -> None:
        call = self.open.pop(id(frame), None)
        self.told.discard(id(frame))
        self.raised.pop(id(frame), None)
        if call is not None:
            names = frame.f_code.co_varnames + frame.f_code.co_cellvars + frame.f_code.co_freevars
            call["locals"] = named(frame, names)
            call[how] = told
            self.ready.append(call)


def named(frame: Any, names: Any) -> List[List[str]]:
    """Name, type and text of those that have a value."""
    found: List[List[str]] = []
    values = frame.f_locals
    for name in dict.fromkeys(names):
        if len(found) >= MAX_NAMES:
            break
        # Names of what the runner puts into an assertion cannot be written.
        if name in values and name[0] not in "@.":
            found.append([name, *shown_with_type(values[name])])
    return found


def shown_with_type(value: object) -> List[str]:
    return [type_name(type(value)), shown(value, MAX_DEPTH)[:MAX_SHOWN]]


def shown_error(error: Any) -> List[str]:
    if isinstance(error, type):
        return [type_name(error), ""]
    arguments = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    return [type_name(type(error)), shown(arguments, MAX_DEPTH)[:MAX_SHOWN]]


def type_name(kind: type) -> str:
    """Read from the slots of `type` itself, which no metaclass can put code before."""
    name, module = _NAME.__get__(kind), _MODULE.__get__(kind)
    if type(module) is not str or module == "builtins":
        return str(name)[:MAX_TEXT]
    return ("%s.%s" % (module, name))[:MAX_TEXT]


def shown(value: Any, depth: int) -> str:
    """As `repr` would, for what is built in; what classes of the project say of themselves is not asked."""
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind is int:
        return repr(value) if value.bit_length() <= 512 else "<int of %d bits>" % value.bit_length()
    if kind in (str, bytes, bytearray):
        return repr(value) if len(value) <= MAX_TEXT else "%r... (%d)" % (value[:MAX_TEXT], len(value))
    if kind is range:
        return "range(...)" if max(map(abs, (value.start, value.stop))) >> 512 else repr(value)
    if kind in _BRACKETS or kind is dict:
        return container(value, kind, depth)
    if kind is types.ModuleType:
        return "<module>"
    if kind is types.FunctionType:
        return "<function %s>" % str(value.__code__.co_name)[:MAX_TEXT]
    if kind is type:
        return "<class %s>" % type_name(value)
    return instance(value, kind, depth)


def container(value: Any, kind: type, depth: int) -> str:
    opening, closing = _BRACKETS.get(kind, "{}")
    if depth == 0 and value:
        return "%s...%s" % (opening, closing)
    parts = []
    for item in list(itertools.islice(value.items() if kind is dict else value, MAX_ITEMS)):
        if kind is dict:
            parts.append("%s: %s" % (shown(item[0], depth - 1), shown(item[1], depth - 1)))
        else:
            parts.append(shown(item, depth - 1))
    if len(value) > MAX_ITEMS:
        parts.append("... (%d)" % len(value))
    elif kind is tuple and len(parts) == 1:
        parts[0] += ","
    elif kind in (set, frozenset):
        parts.sort()
        if not parts:
            return "%s()" % kind.__name__
    return "%s%s%s" % (opening, ", ".join(parts), closing)


def instance(value: Any, kind: type, depth: int) -> str:
    """Its class, and its attributes where they lie in a plain dictionary that nothing stands before."""
    name = type_name(kind)
    for base in _MRO.__get__(kind):
        slot = _OWN.__get__(base).get("__dict__")
        if slot is None:
            continue
        if type(slot) is not types.GetSetDescriptorType:
            break
        attributes = slot.__get__(value)
        if type(attributes) is not dict or depth == 0:
            break
        pairs = [
            "%s=%s" % (key, shown(item, depth - 1))
            for key, item in list(itertools.islice(attributes.items(), MAX_ITEMS))
            if type(key) is str
        ]
        return "<%s %s>" % (name, ", ".join(pairs)) if pairs else "<%s>" % name
    return "<%s>" % name
