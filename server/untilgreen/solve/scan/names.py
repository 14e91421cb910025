"""What the names of a module stand for: `run` may be `subprocess.run`, however it came to be called so."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator

BUILTINS = frozenset(dir(builtins))
_SHARED = frozenset({"sys", "os", "builtins", "gc", "subprocess", "importlib"})
_SAME = {"posix": "os", "nt": "os", "_socket": "socket", "_io": "io", "_signal": "signal"}
_IMPORTERS = ("importlib.import_module", "builtins.__import__")
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


class Names:
    """Made once for a tree. But for parameters, a name is taken to mean one thing in a whole file."""

    def __init__(self, tree: ast.AST) -> None:
        self._aliases: dict[str, str] = {}
        self.modules: set[str] = set()
        """Local names that certainly are modules."""
        self.stars: set[str] = set()
        """Modules that all names were imported from."""
        self._own: set[str] = set()
        for node in ast.walk(tree):
            self._look(node)
        # Twice: an alias of an alias may stand before it.
        for _ in range(2):
            for node in ast.walk(tree):
                self._look_for_alias(node)

    def resolve(self, node: ast.AST, shadows: frozenset[str] = frozenset()) -> str | None:
        """The dotted name of what an expression is, from its import on; None when that cannot be told."""
        match node:
            case ast.Name(id=name):
                if name in shadows:
                    return None
                if name in self._aliases:
                    return self._aliases[name]
                if name == "__builtins__":
                    return "builtins"
                return f"builtins.{name}" if name in BUILTINS and name not in self._own else None
            case ast.Attribute(value=value, attr=attr):
                base = self.resolve(value, shadows)
                # A module that another one has imported is still itself: os.sys is sys.
                if base in sys.stdlib_module_names and attr in _SHARED:
                    return attr
                return f"{base}.{attr}" if base else None
            case ast.Subscript(value=value, slice=index):
                return self._member(value, fold(index), shadows)
            case ast.Call(func=function, args=[first, *rest]):
                called = self.resolve(function, shadows)
                if called == "builtins.getattr" and rest:
                    return self._attribute(self.resolve(first, shadows), fold(rest[0]))
                if called in _IMPORTERS:
                    return fold(first)
                if called == "sys.modules.get":
                    return fold(first)
        return None

    def _member(self, value: ast.AST, key: str | None, shadows: frozenset[str]) -> str | None:
        """`sys.modules["os"]` is os, and `vars(os)["_exit"]` or `os.__dict__["_exit"]` is os._exit."""
        if key is None:
            return None
        if (
            isinstance(value, ast.Call)
            and self.resolve(value.func, shadows) == "builtins.vars"
            and value.args
        ):
            return self._attribute(self.resolve(value.args[0], shadows), key)
        if key == "__builtins__" and isinstance(value, ast.Call):
            return "builtins"
        base = self.resolve(value, shadows)
        if base == "sys.modules":
            return key
        if base == "builtins":
            return f"builtins.{key}"
        if base and base.endswith(".__dict__"):
            return self._attribute(base.removesuffix(".__dict__"), key)
        return None

    @staticmethod
    def _attribute(base: str | None, name: str | None) -> str | None:
        return f"{base}.{name}" if base and name else None

    def _look(self, node: ast.AST) -> None:
        match node:
            case ast.Import(names=aliases):
                for alias in aliases:
                    local = alias.asname or alias.name.split(".")[0]
                    meant = alias.name if alias.asname else local
                    self._aliases[local] = _SAME.get(meant, meant)
                    self.modules.add(local)
            case ast.ImportFrom(module=module, names=aliases, level=level):
                base = "." * level + _SAME.get(module or "", module or "")
                for alias in aliases:
                    if alias.name == "*":
                        self.stars.add(base)
                    else:
                        self._aliases[alias.asname or alias.name] = f"{base}.{alias.name}"
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                self._own.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                self._own.add(name)

    def _look_for_alias(self, node: ast.AST) -> None:
        match node:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                same = isinstance(value, ast.Name) and value.id == name
                found = f"builtins.{name}" if same and name in BUILTINS else self.resolve(value)
                # A plain value of a built-in type is no other name for something.
                if found and name not in self.modules:
                    self._aliases.setdefault(name, found)
                if found and isinstance(value, ast.Call):
                    self.modules.add(name)


def fold(node: ast.AST) -> str | None:
    """The text that an expression of constant texts makes."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Constant(value=bytes(data)):
            return data.decode("latin-1")
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [fold(left), fold(right)]
        case ast.JoinedStr(values=values):
            parts = [fold(value) for value in values]
        case ast.FormattedValue(value=value):
            return fold(value)
        case (
            ast.Call(func=ast.Attribute(value=separator, attr="join"), args=[ast.List(elts=elements)])
            | ast.Call(func=ast.Attribute(value=separator, attr="join"), args=[ast.Tuple(elts=elements)])
        ):
            between = fold(separator)
            texts = [fold(element) for element in elements]
            return None if between is None or None in texts else between.join(text or "" for text in texts)
        case ast.Call(func=ast.Attribute(value=inner, attr="lower" | "upper" | "decode" | "strip" as method)):
            whole = fold(inner)
            return getattr(whole, method)() if whole is not None and method != "decode" else whole
        case ast.Subscript(value=inner, slice=ast.Slice(lower=None, upper=None, step=ast.UnaryOp())):
            whole = fold(inner)
            return whole[::-1] if whole is not None else None
        case _:
            return None
    return None if None in parts else "".join(part or "" for part in parts)


def parameters(node: Function) -> frozenset[str]:
    every = (
        *node.args.posonlyargs,
        *node.args.args,
        *node.args.kwonlyargs,
        node.args.vararg,
        node.args.kwarg,
    )
    return frozenset(one.arg for one in every if one is not None)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function or module, without those of functions and classes inside it."""
    waiting = list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
