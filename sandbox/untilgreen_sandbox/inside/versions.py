"""Runs in the test process: other versions of functions, and how a living function becomes one of them.

Only the text of the function is compiled, inside of classes with the right names, so that `super()` and
private names mean what they mean in the file. Every living function with the code of the original gets the
new one, however it is decorated, wrapped or called. Its source comes to that process in its request, so it
imports nothing of ours.
"""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import inspect
import os
import types
from typing import Any, Dict, List, Tuple

MAX_SOURCE = 1 << 18
_FUTURE = functools.reduce(
    lambda flags, name: flags | getattr(__future__, name).compiler_flag, __future__.all_feature_names, 0
)
_KINDS = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_CHANGING = (list, dict, set, bytearray)
_ERRORS = (SyntaxError, ValueError, TypeError, RecursionError, MemoryError, OverflowError, AssertionError)


class Target:
    """One function that candidates are versions of."""

    def __init__(self, root: str, path: str, name: str, line: int, living: Any) -> None:
        self.file = os.path.join(root, path)
        self.names = name.split(".")
        self.line = line
        found = living.functions.get((self.file, line, self.names[-1]))
        if found is None:
            found = living.functions.get((os.path.realpath(self.file), line, self.names[-1]), [])
        self.functions = found
        self.flags = 0
        self.surroundings: Any = None
        """The key of the code around it: decorators, defaults and annotations of the original."""
        self.decorators: List[str] = []
        self.key: Any = None
        self.known = False
        self.codes = [function.__code__ for function in self.functions]
        # Before any test has run: what tests did to default values must not decide about candidates.
        self.defaults = [_kept_defaults(function) for function in self.functions]
        if self.functions:
            self.flags = self.functions[0].__code__.co_flags & _FUTURE

    def _learn_original(self) -> None:
        self.known = True
        try:
            with open(self.file, encoding="utf-8") as file:
                lines = file.read().splitlines(keepends=True)
            source = "".join(inspect.getblock(lines[self.line - 1 :]))
            self.decorators = [ast.dump(node) for node in self._parsed(source).decorator_list]
            code, self.surroundings = self.compiled(source)
            self.key = (key_of(code), None)
        except (OSError, LookupError, UnicodeError, *_ERRORS):
            return  # Then each candidate is looked at as if its head were another.

    def restore(self) -> None:
        for n, function in enumerate(self.functions):
            function.__code__ = self.codes[n]

    def renew_defaults(self) -> None:
        for n, function in enumerate(self.functions):
            if (before := self.defaults[n]) is not None:
                function.__defaults__, function.__kwdefaults__ = copy.deepcopy(before)

    def version(self, source: str) -> Version:
        """Raises SyntaxError for what is no version of it, and Unfit for what cannot be exchanged."""
        if not self.known:
            self._learn_original()
        try:
            if len(source) > MAX_SOURCE:
                raise SyntaxError("it is too long")
            code, surroundings = self.compiled(source)
            defaults = None
            if surroundings != self.surroundings:
                defaults = self._defaults(self._parsed(source))
            key = (key_of(code), None if defaults is None else repr(defaults))
        except _ERRORS as error:
            raise SyntaxError(type(error).__name__) from None
        return Version(self, code, defaults, key)

    def compiled(self, source: str) -> Tuple[Any, Any]:
        """The code of the function at its line, and a key of what stands around it."""
        whole = self._wrapped(source)
        outer = compile(whole, self.file, "exec", flags=self.flags, dont_inherit=True)
        inner = outer
        for name in self.names:
            inner = _named(inner, name)
        depth = whole.count("\n", 0, len(whole) - len(source))
        return _moved(inner, self.line - 1 - depth), key_of(outer, inner)

    def _wrapped(self, source: str) -> str:
        indent = source[: len(source) - len(source.lstrip(" \t\f"))]
        classes = self.names[:-1]
        if len(indent) < len(classes):
            raise SyntaxError("it is not indented")
        head = "".join("%sclass %s:\n" % (indent[:n], name) for n, name in enumerate(classes))
        if indent and not classes:
            head = "if 1:\n"
        return head + source

    def _parsed(self, source: str) -> Any:
        node: Any = ast.parse(self._wrapped(source))
        while not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            (node,) = node.body
        return node

    def _defaults(self, node: Any) -> Tuple[Any, Any]:
        """Positional ones and those by keyword; only what can be known without running anything."""
        if [ast.dump(one) for one in node.decorator_list] != self.decorators:
            raise Unfit("its decorators run at import")
        names = self.functions[0].__globals__
        kind = node.args
        positional = tuple(_value(one, names) for one in kind.defaults) or None
        named = {
            argument.arg: _value(kind.kw_defaults[n], names)
            for n, argument in enumerate(kind.kwonlyargs)
            if kind.kw_defaults[n] is not None
        }
        return positional, named or None


class Unfit(Exception):
    """It cannot be exchanged while it lives."""


class Version:
    """One candidate, compiled."""

    def __init__(self, target: Target, code: Any, defaults: Any, key: Any) -> None:
        self.target = target
        self.code = code
        self.defaults = defaults
        self.key = key

    def put(self) -> Swap:
        self.target.renew_defaults()
        swap = Swap(self.target.functions)
        try:
            for function in self.target.functions:
                if function.__code__.co_freevars == self.code.co_freevars:
                    function.__code__ = self.code
                else:
                    function.__code__ = _with_cells(function, self.code, self.target.names)
                if self.defaults is not None:
                    function.__defaults__, function.__kwdefaults__ = copy.deepcopy(self.defaults)
        except (ValueError, LookupError, AttributeError):
            swap.undo()
            raise Unfit("it needs other variables of its surroundings") from None
        return swap


class Swap:
    """What functions were before; default values that calls may change are given back as they were."""

    def __init__(self, functions: List[Any]) -> None:
        self.kept = []
        for function in functions:
            before = _kept_defaults(function) or (function.__defaults__, function.__kwdefaults__)
            self.kept.append((function, function.__code__, before))

    def undo(self) -> None:
        for function, code, (defaults, named) in self.kept:
            function.__code__ = code
            function.__defaults__, function.__kwdefaults__ = defaults, named


def _kept_defaults(function: Any) -> Any:
    """A copy of default values that calls may change; None when there are none."""
    defaults, named = function.__defaults__, function.__kwdefaults__
    values = (*(defaults or ()), *(named or {}).values())
    changing = any(isinstance(value, _CHANGING) for value in values)
    return copy.deepcopy((defaults, named)) if changing else None


def each(function: Any, note: Any) -> None:
    """Have `note` called with the arguments of every call of the function."""
    made = types.FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    made.__kwdefaults__ = function.__kwdefaults__

    def every(*args: Any, **kwargs: Any) -> Any:
        note(args, kwargs)
        return made(*args, **kwargs)

    function.__code__ = _calling(every, function.__code__.co_freevars, function.__code__.co_flags)


def once(function: Any, note: Any) -> None:
    """Have `note` called at the next call of the function, which then is what it was."""
    before = function.__code__

    def first(*args: Any, **kwargs: Any) -> Any:
        function.__code__ = before
        note(args, kwargs)
        return function(*args, **kwargs)

    function.__code__ = _calling(first, before.co_freevars, before.co_flags)


def _calling(other: Any, freevars: Tuple[str, ...], flags: int) -> Any:
    """Code that calls another function with whatever it is called with, and is of the same kind."""

    def caller(*args: Any, **kwargs: Any) -> Any:
        function: Any = "the other"
        return function(*args, **kwargs)

    def generator(*args: Any, **kwargs: Any) -> Any:
        function: Any = "the other"
        return (yield from function(*args, **kwargs))

    async def coroutine(*args: Any, **kwargs: Any) -> Any:
        function: Any = "the other"
        return await function(*args, **kwargs)

    async def both(*args: Any, **kwargs: Any) -> Any:
        function: Any = "the other"
        async for value in function(*args, **kwargs):
            yield value

    kinds = {
        inspect.CO_GENERATOR: generator,
        inspect.CO_COROUTINE: coroutine,
        inspect.CO_ASYNC_GENERATOR: both,
    }
    code = next((kind for flag, kind in kinds.items() if flags & flag), caller).__code__
    consts = tuple(other if const == "the other" else const for const in code.co_consts)
    return code.replace(co_consts=consts, co_freevars=freevars)


def _with_cells(function: Any, code: Any, names: List[str]) -> Any:
    """The code, made to fit a function whose cells are others than those that it was written with."""
    before = function.__code__.co_freevars
    if before[: len(code.co_freevars)] == code.co_freevars:
        return code.replace(co_freevars=before)
    cells = {name: function.__closure__[n] for n, name in enumerate(before)}
    if "__class__" in code.co_freevars and "__class__" not in cells:
        owner: Any = function.__globals__[names[0]]
        for name in names[1:-1]:
            owner = getattr(owner, name)
        if not isinstance(owner, type):
            raise LookupError(names[0])
        cells["__class__"] = types.CellType(owner)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    made.__kwdefaults__ = function.__kwdefaults__
    return _calling(made, before, code.co_flags)


def key_of(code: Any, but: Any = None) -> Any:
    """Equal for code that does the same, wherever it stands."""
    return (
        *(code.co_code, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars),
        *(code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount),
        getattr(code, "co_exceptiontable", b""),
        tuple(
            (None if const is but else key_of(const, but)) if type(const) is type(code) else repr(const)
            for const in code.co_consts
        ),
    )


def constants(codes: List[Any]) -> List[Any]:
    """Numbers and short texts in any of them, each once and always in the same order."""
    found: Dict[Any, Any] = {}
    waiting = list(codes)
    while waiting:
        for const in waiting.pop(0).co_consts:
            if type(const) in (int, float) or (type(const) is str and len(const) <= 20):
                found.setdefault((type(const), const), const)
            elif isinstance(const, types.CodeType):
                waiting.append(const)
    return list(found.values())


def _named(code: Any, name: str) -> Any:
    inner = [const for const in code.co_consts if type(const) is type(code)]
    found = [one for one in inner if one.co_name == name]
    for one in inner:
        if not found and one.co_name.startswith("<generic parameters of"):
            return _named(one, name)
    if len(found) != 1:
        raise SyntaxError("it is not this function")
    return found[0]


def _moved(code: Any, by: int) -> Any:
    consts = tuple(_moved(one, by) if type(one) is type(code) else one for one in code.co_consts)
    return code.replace(co_firstlineno=code.co_firstlineno + by, co_consts=consts)


def _value(node: Any, names: Dict[str, Any]) -> Any:
    parts: List[str] = []
    inner = node
    while isinstance(inner, ast.Attribute):
        parts.append(inner.attr)
        inner = inner.value
    if isinstance(inner, ast.Name):
        if inner.id not in names:
            raise Unfit("a default value is computed at import")
        found = names[inner.id]
        for part in reversed(parts):
            found = inspect.getattr_static(found, part)
        return found
    try:
        return ast.literal_eval(node)
    except ValueError:
        raise Unfit("a default value is computed at import") from None
