"""What the names of a module stand for: `run` may be `subprocess.run`, however it came to be called so."""

from __future__ import annotations

import ast
import builtins
import sys
from collections.abc import Iterator, Mapping

from untilgreen.solve.scan.constants import fold

BUILTINS = frozenset(dir(builtins))
_ANYWHERE = frozenset({"sys", "builtins", "gc"})
"""Whose attribute it may be, this is the module of that name."""
_SHARED = _ANYWHERE | frozenset(
    {
        *("os", "subprocess", "importlib", "inspect", "ctypes", "threading", "signal", "traceback"),
        *("linecache", "atexit", "socket", "types", "io"),
    }
)
"""Modules that other ones have imported: os.sys is sys."""
_SAME = {"posix": "os", "nt": "os", "_socket": "socket", "_io": "io", "_signal": "signal"}
_PRIVATE = {"_sys": "sys", "_os": "os", "_builtins": "builtins", "_gc": "gc"}
_IMPORTERS = ("importlib.import_module", "builtins.__import__", "importlib.__import__")
_LOCATORS = ("pkgutil.resolve_name", "pydoc.locate")
_GETTERS = ("builtins.getattr", "inspect.getattr_static", "builtins.object.__getattribute__")
_OWN_GETTERS = ("__getattribute__", "__getattr__")
_TAKING = ("get", "pop", "__getitem__", "setdefault")
_ATTRGETTER = "operator.attrgetter "
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Shadows = Mapping[str, str | None]
"""What parameters stand for where they hide other names; None for what a caller gives."""
_NONE: Shadows = {}


class Names:
    """Made once for a tree. But for parameters, a name is taken to mean one thing in a whole file."""

    def __init__(self, tree: ast.AST, exported: Mapping[str, str] | None = None) -> None:
        self._aliases: dict[str, str] = {}
        self._exported = exported or {}
        self.modules: set[str] = set()
        """Local names that certainly are modules."""
        self.stars: set[str] = set()
        """Modules that all names were imported from."""
        self.classes: set[str] = set()
        """Classes that are made here."""
        self._own: set[str] = set()
        self._returned: dict[str, ast.expr | None] = {}
        self.values: dict[str, ast.expr | None] = {}
        """The one expression that is ever assigned to a name; None when there are several."""
        for node in ast.walk(tree):
            self._look(node)
        # Twice: an alias of an alias may stand before it.
        for _ in range(2):
            for node in ast.walk(tree):
                self._look_for_alias(node)

    def meanings(self) -> dict[str, str]:
        return self._aliases

    def exports(self) -> dict[str, str]:
        """Other names for parts of the standard library, which another file may import from here."""
        return {
            name: meant
            for name, meant in self._aliases.items()
            if meant.split(".")[0] in sys.stdlib_module_names
        }

    def resolve(self, node: ast.AST, shadows: Shadows = _NONE) -> str | None:
        """The dotted name of what an expression is, from its import on; None when that cannot be told."""
        match node:
            case ast.Name(id=name):
                return self._named(name, shadows)
            case ast.Attribute(value=value, attr=attr):
                return self._attribute(self.resolve(value, shadows), attr)
            case ast.Subscript(value=value, slice=index):
                return self._member(value, self.text(index), shadows)
            case ast.Call(func=function, args=arguments):
                return self._called(function, arguments, shadows)
        return None

    def text(self, node: ast.AST) -> str | None:
        """A constant text, also when it has a name."""
        if isinstance(node, ast.Name) and (value := self.values.get(node.id)) is not None:
            return fold(value)
        return fold(node)

    def _named(self, name: str, shadows: Shadows) -> str | None:
        if name in shadows:
            return shadows[name]
        if name in self._aliases:
            return self._aliases[name]
        if name == "__builtins__":
            return "builtins"
        return f"builtins.{name}" if name in BUILTINS and name not in self._own else None

    def _called(self, function: ast.expr, arguments: list[ast.expr], shadows: Shadows) -> str | None:
        """What a call gives, where it only fetches something."""
        if isinstance(function, ast.Name) and function.id not in shadows:
            returned = self._returned.get(function.id)
            if isinstance(returned, ast.Name | ast.Attribute) and _is_dotted(returned):
                return self.resolve(returned, shadows)
        if not arguments:
            return None
        first, *rest = arguments
        if isinstance(function, ast.Attribute):
            if function.attr in _OWN_GETTERS and not rest:
                return self._attribute(self.resolve(function.value, shadows), self.text(first))
            if function.attr in _TAKING and (found := self._member(function.value, fold(first), shadows)):
                return found
        called = self.resolve(function, shadows) or ""
        if (called in _GETTERS or called.endswith(_OWN_GETTERS)) and rest:
            return self._attribute(self.resolve(first, shadows), self.text(rest[0]))
        if called == "builtins.vars":
            return self._attribute(self.resolve(first, shadows), "__dict__")
        if called in _IMPORTERS:
            return self.text(first)
        if called in _LOCATORS and (path := self.text(first)):
            return path.replace(":", ".")
        if called == "operator.attrgetter" and (path := self.text(first)):
            return _ATTRGETTER + path
        if called.startswith(_ATTRGETTER):
            return self._attribute(self.resolve(first, shadows), called.removeprefix(_ATTRGETTER))
        return None

    def _member(self, value: ast.AST, key: str | None, shadows: Shadows) -> str | None:
        """`sys.modules["os"]` is os, and `vars(os)["_exit"]` or `os.__dict__["_exit"]` is os._exit."""
        if key is None:
            return None
        if isinstance(value, ast.Call) and self.resolve(value.func, shadows) == "builtins.globals":
            return "builtins" if key == "__builtins__" else self._named(key, _NONE)
        if key == "__builtins__" and isinstance(value, ast.Call | ast.Attribute):
            return "builtins"
        base = self.resolve(value, shadows)
        if base == "sys.modules":
            return key
        if base == "builtins":
            return f"builtins.{key}"
        if base and base.endswith(".__dict__"):
            return self._attribute(base.removesuffix(".__dict__"), key)
        return None

    def _attribute(self, base: str | None, name: str | None) -> str | None:
        if not name:
            return None
        last = _PRIVATE.get(name.rpartition(".")[2], name.rpartition(".")[2])
        shared = last in _SHARED and base and base != last
        if last in _ANYWHERE or (shared and str(base).split(".")[0] in sys.stdlib_module_names):
            return last
        return self._meant(f"{base}.{name}") if base else None

    def _meant(self, dotted: str) -> str:
        """Files of one patch may hand such names to each other."""
        return self._exported.get(".".join(dotted.split(".")[-2:]), dotted)

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
                        found = self._attribute(base, alias.name) or alias.name
                        self._aliases[alias.asname or alias.name] = found
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                self._own.add(name)
                returned = [one.value for one in own_nodes(node) if isinstance(one, ast.Return)]
                single = returned[0] if len(returned) == 1 and name not in self._returned else None
                self._returned[name] = single
            case ast.ClassDef(name=name):
                self._own.add(name)
                self.classes.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                self._own.add(name)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.values[name] = None if name in self.values else value
            case ast.AugAssign(target=ast.Name(id=name)) | ast.For(target=ast.Name(id=name)):
                self.values[name] = None

    def _look_for_alias(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Lambda(body=body)):
                self._returned.setdefault(name, body)
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
                | ast.NamedExpr(target=ast.Name(id=name), value=value)
            ):
                same = isinstance(value, ast.Name) and value.id == name
                found = f"builtins.{name}" if same and name in BUILTINS else self.resolve(value)
                # A plain value of a built-in type is no other name for something.
                if found and name not in self.modules:
                    self._aliases.setdefault(name, found)
                if found in sys.stdlib_module_names or (
                    isinstance(value, ast.Call) and self.resolve(value.func) in _IMPORTERS
                ):
                    self.modules.add(name)


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


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
