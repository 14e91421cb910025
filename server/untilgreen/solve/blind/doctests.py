"""Examples in docstrings and texts, asked again under random names, some with another answer wanted. Pure."""

from __future__ import annotations

import ast
import doctest
import random
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from untilgreen.solve.blind.module import Amount, Rewritten
from untilgreen.solve.blind.names import Names
from untilgreen.solve.blind.table import Question
from untilgreen.solve.parsing import parsed

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
TEXTS = (".txt", ".rst", ".md")


def rewrite_docstrings(
    path: str, source: bytes, amounts: Mapping[str, Amount], chance: random.Random
) -> Rewritten | None:
    """A module with more docstrings in it; None when none of these ids is one of its docstrings."""
    tree = parsed(source)
    if tree is None:
        return None
    texts = dict(_docstrings(tree, ""))
    names, added, table, unasked = Names(chance), list[str](), list[Question](), list[str]()
    for test_id, amount in amounts.items():
        full = test_id.partition("::")[2]
        found = max((name for name in texts if _is_called(full, name)), key=len, default=None)
        versions = _versions(texts[found], amount, chance, names) if found is not None else []
        if found is None or not versions:
            unasked.append(test_id)
            continue
        module = full.removesuffix(f".{found}") if found else full
        versions += [("", _canary(names.word(), passes=passes), passes) for passes in (True, False)]
        for origin, text, passes in versions:
            name = names.private()
            added.append(f"\n\ndef {name}():\n    {text!r}\n")
            table.append(Question(f"{path}::{module}.{name}", test_id if origin else "", passes))
    if not table:
        return None
    chance.shuffle(added)
    content = source + b"\n" + "".join(added).encode()
    return Rewritten(((path, content),), tuple(table), tuple(unasked))


def rewrite_text(
    path: str, source: bytes, amounts: Mapping[str, Amount], chance: random.Random
) -> Rewritten | None:
    """New texts beside the old one, of which each is one test."""
    [(test_id, amount), *more] = amounts.items()
    place, names = PurePosixPath(path), Names(chance)
    if more or test_id != f"{path}::{place.name}":
        return None
    try:
        text = source.decode()
    except UnicodeDecodeError:
        return None
    files, table = [], []
    versions = _versions(text, amount, chance, names)
    if not versions:
        return None
    versions += [("", _canary(names.word(), passes=passes), passes) for passes in (True, False)]
    for origin, content, passes in versions:
        name = f"{place.stem}_{names.word()}{place.suffix}"
        files.append((place.with_name(name).as_posix(), content.encode()))
        table.append(Question(f"{files[-1][0]}::{name}", test_id if origin else "", passes))
    return Rewritten(tuple(files), tuple(table))


def _versions(text: str, amount: Amount, chance: random.Random, names: Names) -> list[tuple[str, str, bool]]:
    """The text itself, and texts that go as far as one example and want something else of it."""
    try:
        examples = doctest.DocTestParser().get_examples(text)
    except ValueError:
        return []
    wanting = [n for n, example in enumerate(examples) if example.want and not _is_skipped(example)]
    if not wanting or any(_is_skipped(example) for example in examples):
        return []
    versions = [("real", text, True)] * amount.copies
    for _ in range(amount.siblings):
        last = chance.choice(wanting)
        kept = [_written(example, example.want) for example in examples[:last]]
        kept.append(_written(examples[last], f"{names.word()}\n"))
        versions.append(("sibling", "\n".join(kept), False))
    return versions


def _written(example: doctest.Example, want: str) -> str:
    first, *rest = example.source.rstrip("\n").split("\n")
    return "\n".join([f">>> {first}", *(f"... {line}".rstrip() for line in rest), want])


def _canary(word: str, *, passes: bool) -> str:
    return f">>> '{word}'\n'{word if passes else word[::-1] + '0'}'\n"


def _is_skipped(example: doctest.Example) -> bool:
    return bool(example.options.get(doctest.SKIP))


def _is_called(full: str, name: str) -> bool:
    """Whether a dotted name can be that of this object; the module's own is any."""
    return not name or full.endswith(f".{name}")


def _docstrings(node: Documented, prefix: str) -> Iterator[tuple[str, str]]:
    """Qualified name → docstring; that of the module has no name."""
    if text := ast.get_docstring(node):
        yield prefix, text
    for child in node.body:
        if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield from _docstrings(child, f"{prefix}.{child.name}" if prefix else child.name)
