"""Makes facts of what was observed, and of what the failing tests mention. Pure."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from untilgreen.solvers.offline import kinds
from untilgreen.solvers.offline.facts import Facts
from untilgreen.solvers.offline.knowledge import Knowledge
from untilgreen.solvers.offline.localise import Localisation
from untilgreen.solvers.offline.tree import Tree
from untilgreen.trees import tree_of
from untilgreen_sandbox.trace import Observation, Value

MOST_VALUES = 12
MOST_FILES = 200
MOST_WORDS = 200
MOST_TEXT = 2000
_WORD = re.compile(r"[A-Za-z_]\w+")
_PAIR = re.compile(r"(?:^|, )(\w+)=")
_FIRST_ITEM = re.compile(r"[\[({](<([\w.]+)[^<>]*>)")
_SHAPES = (
    (r"-?\d+$", "int"),
    (r"-?\d+\.\d|-?\d+e|inf$|nan$", "float"),
    (r"True$|False$", "bool"),
    (r"None$", "NoneType"),
    (r"['\"]", "str"),
    (r"b['\"]", "bytes"),
    (r"\[", "list"),
    (r"\(", "tuple"),
    (r"set\(\)|\{[^:]*\}$", "set"),
    (r"\{", "dict"),
    (r"<class ", "type"),
)


@dataclass(frozen=True, slots=True)
class Mentioned:
    """Names, texts and numbers in the source of the failing tests."""

    names: frozenset[str] = frozenset()
    strings: frozenset[str] = frozenset()
    numbers: frozenset[int | float] = frozenset()


@dataclass(slots=True)
class Gathering:
    """Facts of one function after the other; what they share is gathered once."""

    place: Localisation
    raised: tuple[tuple[str, str], ...]
    mentioned: Mentioned
    signatures: Mapping[str, tuple[str, ...]]
    failing: frozenset[str] = frozenset()
    _seen: dict[str, list[Observation]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for seen in self.place.observations:
            self._seen.setdefault(seen.function.partition(".<locals>")[0], []).append(seen)

    def facts(self, path: str, function: str, first: int, last: int, node: ast.AST | None = None) -> Facts:
        types: dict[str, set[str]] = {}
        values: dict[str, dict[str, None]] = {}
        told: set[str] = set()
        """Names whose types failing tests tell: others may give what is to be refused."""
        for fails in (True, False):
            for seen in self._seen.get(f"{path}:{function}", ()):
                if (seen.test in self.failing) != fails:
                    continue
                for value in _all_values(seen):
                    kind = value.type.rpartition(".")[2]
                    if value.name not in told or kind == "NoneType":
                        types.setdefault(value.name, set()).add(kind)
                    values.setdefault(value.name, {})[value.shown] = None
            told |= {name for name, found in types.items() if found != {"NoneType"}} if fails else set()
        for value in _items(node, values) if node is not None else ():
            types.setdefault(value.name, set()).add(value.type.rpartition(".")[2])
        for name in _other_than_seen(node, types) if node is not None else ():
            del types[name]
        scores = self.place.spectrum.scores
        return Facts(
            types={name: frozenset(found) for name, found in types.items()},
            values={name: tuple(shown)[:MOST_VALUES] for name, shown in values.items()},
            raised=self.raised,
            lines={line: scores[path, line] for line in range(first, last + 1) if (path, line) in scores},
            test_names=self.mentioned.names,
            test_strings=self.mentioned.strings,
            test_numbers=self.mentioned.numbers,
            signatures=self.signatures,
        )


def _other_than_seen(node: ast.AST, types: Mapping[str, set[str]]) -> list[str]:
    """Names that stand for something else as well, as one name may serve two loops: more than once the code
    asks them for attributes that nothing has of what was seen."""
    asked = Counter(
        one.value.id
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and isinstance(one.value, ast.Name)
        and not kinds.can_have(kinds.of_types(types.get(one.value.id)), one.attr)
    )
    return [name for name, times in asked.items() if times > 1]


def gather(place: Localisation, tree: Tree, failing: Iterable[str], known: Knowledge) -> Gathering:
    tests = tuple(failing)
    raised = dict.fromkeys(
        (case.failure.type, case.failure.message)
        for test in tests
        if (case := known.cases.get(test)) is not None and case.failure is not None
    )
    return Gathering(place, tuple(raised), mentioned_by(tests, tree), signatures_of(tree), frozenset(tests))


def mentioned_by(tests: Iterable[str], tree: Tree) -> Mentioned:
    names: set[str] = set()
    strings: set[str] = set()
    numbers: set[int | float] = set()
    for path, functions in _by_file(tests).items():
        for node in _nodes(tree.text(path) or "", functions):
            if isinstance(node, ast.Name):
                names.add(node.id)
            elif isinstance(node, ast.Attribute):
                names.add(node.attr)
            elif isinstance(node, ast.keyword) and node.arg:
                names.add(node.arg)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings.add(node.value)
                # Code for another process, names of attributes, commands.
                names.update(_WORD.findall(node.value[:MOST_TEXT]))
            elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
                numbers.add(node.value)  # type: ignore[arg-type]
    return Mentioned(
        frozenset(sorted(names)[:MOST_WORDS]),
        frozenset(sorted(strings, key=len)[:MOST_WORDS]),
        frozenset(sorted(numbers)[:MOST_WORDS]),
    )


def signatures_of(tree: Tree) -> dict[str, tuple[str, ...]]:
    """Of all functions and classes of the project; of two with one name, the last."""
    found: dict[str, tuple[str, ...]] = {}
    for path in tree.sources()[:MOST_FILES]:
        for node in ast.walk(_parsed(tree.text(path) or "")):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                arguments = node.args
                found[node.name] = tuple(
                    one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                )
    return found


def _all_values(seen: Observation) -> Iterable[Value]:
    for value in (*seen.arguments, *seen.locals):
        yield value
        if value.shown.startswith("<") and "=" in value.shown:
            yield from _attributes(value)


def _attributes(value: Value) -> Iterable[Value]:
    """`<shop.Line cents=450, count=3>` tells of attributes, too; only what stands outside of brackets."""
    inside = value.shown[1:-1].partition(" ")[2]
    found = [pair for pair in _PAIR.finditer(inside) if _outside(inside[: pair.start()])]
    for pair, following in zip(found, [*found[1:], None], strict=False):
        shown = inside[pair.end() : following.start() if following else len(inside)]
        yield Value(_type_of(shown), shown, f"{value.name}.{pair[1]}")


def _items(node: ast.AST, values: Mapping[str, Iterable[str]]) -> Iterable[Value]:
    """What runs through something that was seen has attributes, too, when its first item tells of some."""
    for part in ast.walk(node):
        if not isinstance(part, ast.For | ast.comprehension) or not isinstance(part.target, ast.Name):
            continue
        for shown in values.get(ast.unparse(part.iter), ()):
            if (found := _FIRST_ITEM.match(shown)) is not None:
                item = Value(found[2], found[1], part.target.id)
                yield item
                yield from _attributes(item)


def _outside(before: str) -> bool:
    return sum(before.count(one) for one in "([{<") == sum(before.count(one) for one in ")]}>")


def _type_of(shown: str) -> str:
    for shape, name in _SHAPES:
        if re.match(shape, shown):
            return name
    return shown[1:].partition(" ")[0].rstrip(">") if shown.startswith("<") else "object"


def _by_file(tests: Iterable[str]) -> dict[str, set[str]]:
    files: dict[str, set[str]] = {}
    for test in tests:
        path, *parts = test.split("::")
        files.setdefault(path, set())
        if parts:
            files[path].add(parts[-1].partition("[")[0])
    return files


def _nodes(text: str, functions: set[str]) -> Iterable[ast.AST]:
    for node in ast.walk(_parsed(text)):
        named = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in functions
        if named or (isinstance(node, ast.Module) and not functions):
            yield from ast.walk(node)


def _parsed(text: str) -> ast.Module:
    try:
        return tree_of(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])
