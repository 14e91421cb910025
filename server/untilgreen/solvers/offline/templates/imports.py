"""Imports: one that is missing, or of the wrong name."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import PurePosixPath

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.likeness import nearest, words
from untilgreen.solvers.offline.places import Statement, is_text
from untilgreen.solvers.offline.templates.template import Template, on_site, on_statements
from untilgreen.solvers.offline.view import View

_UNKNOWN_NAME = re.compile(r"name '(\w+)' is not defined")
_CANNOT = re.compile(r"cannot import name '(\w+)'")
_FROM = {
    **dict.fromkeys(words("defaultdict Counter deque OrderedDict namedtuple ChainMap"), "collections"),
    **dict.fromkeys(
        words("Iterable Iterator Mapping Sequence Callable Generator Hashable"), "collections.abc"
    ),
    **dict.fromkeys(
        words(
            "chain combinations permutations product groupby accumulate islice count cycle repeat takewhile "
            "dropwhile zip_longest starmap tee pairwise filterfalse"
        ),
        "itertools",
    ),
    **dict.fromkeys(
        words("reduce partial lru_cache wraps cached_property cache total_ordering singledispatch"),
        "functools",
    ),
    **dict.fromkeys(words("sqrt floor ceil gcd pi inf log isclose factorial comb prod hypot isqrt"), "math"),
    **dict.fromkeys(words("datetime timedelta timezone date"), "datetime"),
    **dict.fromkeys(words("dataclass field asdict replace astuple"), "dataclasses"),
    **dict.fromkeys(
        words("Any Optional Union List Dict Tuple Set NamedTuple Protocol TypeVar cast"), "typing"
    ),
    **dict.fromkeys(words("Enum IntEnum auto Flag"), "enum"),
    **dict.fromkeys(words("ABC abstractmethod"), "abc"),
    **dict.fromkeys(words("contextmanager suppress closing ExitStack nullcontext"), "contextlib"),
    **dict.fromkeys(words("heappush heappop heapify nlargest nsmallest"), "heapq"),
    **dict.fromkeys(words("bisect_left bisect_right insort bisect"), "bisect"),
    **dict.fromkeys(words("deepcopy copy"), "copy"),
    **dict.fromkeys(words("itemgetter attrgetter mul add"), "operator"),
    **dict.fromkeys(words("ascii_lowercase ascii_uppercase ascii_letters digits punctuation"), "string"),
    **dict.fromkeys(words("StringIO BytesIO"), "io"),
    **dict.fromkeys(words("mean median stdev mode"), "statistics"),
    "Path": "pathlib",
    "Decimal": "decimal",
    "Fraction": "fractions",
    "uuid4": "uuid",
    "dedent": "textwrap",
    "pprint": "pprint",
    "sleep": "time",
}


@on_site(1)
def missing(view: View) -> Iterator[Edit]:
    """For names that failing tests could not find; stands at the top of the file."""
    if view.site.name:
        return
    wanted = {
        name
        for kind, message in view.facts.raised
        if kind == "NameError"
        for name in _UNKNOWN_NAME.findall(message)
    }
    for name in sorted(wanted):
        for code, cost in _ways(view, name):
            yield _at_top(view, code, cost)


@on_statements(1, ast.ImportFrom)
def wrong_name(view: View, statement: Statement) -> Iterator[Edit]:
    """`from a import b`, when `a` has something else that is written nearly the same."""
    node = statement.node
    assert isinstance(node, ast.ImportFrom)
    wrong = {name for _, message in view.facts.raised for name in _CANNOT.findall(message)}
    for alias in node.names:
        if alias.name == "*":
            continue
        offered = _offered(view, node)
        start = view.site.offsets.at(alias.lineno, alias.col_offset)
        for other, likeness in nearest(alias.name, offered, 5, 0.4):
            cost = (1.6 if alias.name in wrong else 4.0) - 0.8 * likeness
            sentence = f"Import `{other}` instead of `{alias.name}`."
            end = start + len(alias.name)
            # The code below may know it by the wrong name, or whoever imports this file by the right one.
            names = (one for one in ast.walk(view.site.tree) if isinstance(one, ast.Name))
            known = any(one.id == alias.name for one in names)
            kept = f"{other} as {alias.name}"
            for bound in (other,) if alias.asname else (kept, other) if known else (other, kept):
                yield view.splice(start, end, bound, "import/name", cost, sentence, node.lineno)
                cost += 0.8
        for module, name in _SAME.get((node.module or "", alias.name), ()):
            if len(node.names) == 1 and node.level == 0:
                first, last = view.site.offsets.span(node)
                code = f"from {module} import {name}"
                yield view.splice(
                    first, last, code, "import/module", 2.4, f"Import it from `{module}`.", node.lineno
                )


def _ways(view: View, name: str) -> Iterator[tuple[str, float]]:
    """How a name can be imported, the likeliest first."""
    for stock in view.ingredients.elsewhere(view.site.path):
        bound = stock.globals.get(name)
        if isinstance(bound, ast.Import | ast.ImportFrom):
            if isinstance(bound, ast.Import) or bound.level == 0:
                one = next(
                    (one for one in bound.names if (one.asname or one.name).partition(".")[0] == name), None
                )
                if one is not None:
                    alias = one.name + (f" as {one.asname}" if one.asname else "")
                    start = f"from {bound.module} " if isinstance(bound, ast.ImportFrom) else ""
                    yield f"{start}import {alias}", 1.4
        elif bound is not None:
            for module in _modules(stock.path):
                yield f"from {module} import {name}", 1.2
            if str(PurePosixPath(stock.path).parent) == str(PurePosixPath(view.site.path).parent):
                yield f"from .{PurePosixPath(stock.path).stem} import {name}", 1.6
    if name in sys.stdlib_module_names:
        yield f"import {name}", 0.8
    if name in _FROM:
        yield f"from {_FROM[name]} import {name}", 0.8
    common = {"np": "numpy", "pd": "pandas", "plt": "matplotlib.pyplot", "dt": "datetime"}
    if name in common:
        yield f"import {common[name]} as {name}", 1.6


def _modules(path: str) -> Iterator[str]:
    """What a file may be called in an import."""
    parts = list(PurePosixPath(path).with_suffix("").parts)
    if parts and parts[-1] == "__init__":
        parts.pop()
    if parts and parts[0] in ("src", "lib"):
        parts.pop(0)
    if parts and all(part.isidentifier() for part in parts):
        yield ".".join(parts)
        if len(parts) > 1:
            yield ".".join(parts[1:])


def _at_top(view: View, code: str, cost: float) -> Edit:
    """Behind docstring and the first imports, before all else."""
    body = view.site.tree.body
    index = 1 if body and is_text(body[0]) else 0
    while index < len(body) and isinstance(body[index], ast.Import | ast.ImportFrom):
        index += 1
    newline = view.layout.newline
    lying = view.layout.lines(body[index - 1]) if index else None
    if lying is not None:
        at = lying[1]
        text = f"{code}{newline}" if not is_text(body[index - 1]) else f"{newline}{code}{newline}"
        if not view.source.endswith(("\n", "\r"), 0, at):
            text = newline + text
    else:
        first = view.layout.lines(body[0]) if body else None
        at = first[0] if first is not None and index == 0 else view.site.offsets.starts[0]
        text = f"{code}{newline}{newline}"
    line = view.site.offsets.line_of(at)
    return view.splice(at, at, text, "import/missing", cost, f"Add `{code}`.", line)


def _offered(view: View, node: ast.ImportFrom) -> list[str]:
    last = (node.module or "").rpartition(".")[2]
    for stock in view.ingredients.elsewhere(view.site.path):
        path = PurePosixPath(stock.path)
        if path.stem == last or (path.stem == "__init__" and path.parent.name == last):
            return sorted(stock.globals)
    return []


_SAME = {
    ("collections", name): (("collections.abc", name),)
    for name in ("Iterable", "Mapping", "Sequence", "Callable", "Iterator")
} | {
    ("math", "prod"): (("numpy", "prod"),),
    ("time", "datetime"): (("datetime", "datetime"),),
    ("itertools", "reduce"): (("functools", "reduce"),),
}

FAMILY = Template("import", 0.8, "An import that is missing, or of the wrong name.", (missing, wrong_name))
