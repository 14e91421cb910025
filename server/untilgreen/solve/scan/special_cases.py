"""Answers that were copied from the tests: asked for exactly this, the code returns exactly that."""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

from untilgreen.solve.scan.cases import Case, Computed, Def, Group, Raised, functions_in, groups_in
from untilgreen.solve.scan.examples import Example
from untilgreen.solve.scan.literals import (
    atoms_of,
    is_alike,
    is_distinctive,
    is_fact,
    is_number,
    is_ordinary,
    is_sample,
    is_word,
    key_of,
    literal_keys,
    value_of,
)
from untilgreen.solve.scan.names import own_nodes
from untilgreen.solve.scan.sign import Sign

_PARTS = re.compile(r"-?\d+(?:\.\d+)?|[^\W\d_]+")
_SHORT = 3
Pair = tuple[Hashable, ...]


def special_cases(
    tree: ast.Module,
    old: Sequence[ast.Module],
    examples: Sequence[Example],
    skipped: frozenset[ast.AST] = frozenset(),
) -> Iterator[Sign]:
    """Cases of the new tree that a test asks for and that no old one had."""
    groups = [
        group for group in groups_in(tree, skipped) if any(is_tested(one, examples) for one in group.cases)
    ]
    if not groups:
        return
    literals = frozenset(key for one in old for key in literal_keys(one))
    old_functions = {name: function for one in old for name, function in functions_in(one)}
    old_pairs = {pair_of(case) for one in old for group in groups_in(one) for case in group.cases}
    functions = dict(functions_in(tree))
    spoken = {name: _names_in(function) for name, function in functions.items()}
    tables = _table_lines(tree)
    for group in groups:
        users = [group.name] if group.function else _users(group, tables, spoken)
        every = [one[name] for name in users for one in (functions, old_functions) if name in one]
        fresh = [case for case in group.cases if not _was_there(case, literals)]
        chosen = [
            *copied(group.cases, fresh, old_pairs, examples, every),
            *_only_these(group, old_pairs, examples),
        ]
        for case in chosen:
            yield Sign("copied-literal", _told(case), case.line, case.line, group.name)


def copied(
    every: Sequence[Case],
    fresh: Iterable[Case],
    old: set[Pair],
    examples: Sequence[Example],
    functions: Sequence[Def] | None = None,
) -> Iterator[Case]:
    """Those of a group that answer the tests, where the group knows little else.

    `functions` are those that use it, now and before; None when nobody knows.
    """
    known = [case for case in fresh if pair_of(case) not in old and is_tested(case, examples)]
    if not known:
        return
    computes = functions is None or any(map(_computes, functions))
    rows = {pair_of(case) for case in every if not isinstance(case.answer, Computed | Raised)}
    others = len(rows - {pair_of(case) for case in known})
    several = len({pair_of(case) for case in known if _stands_out(case)})
    if _counts(every) and not computes:
        # The first, the second, the third … have names of their own.
        return
    for case in known:
        if _is_special(case, several, others, computes=computes):
            yield case


def _only_these(group: Group, old: set[Pair], examples: Sequence[Example]) -> Iterator[Case]:
    """Numbers that are treated in a way of their own, and no test asks for any other."""
    cases = [
        case
        for case in group.cases
        if isinstance(case.answer, Computed)
        and not case.computed
        and not case.alike
        and pair_of(case) not in old
    ]
    numbers = {case.asked[0] for case in cases if len(case.asked) == 1 and is_number(case.asked[0])}
    name = group.name.rpartition(".")[2]
    asking = [one for one in examples if one.inputs and (name in one.called or not one.called)]
    keys = {key_of(number) for number in numbers}
    if len(numbers) < 2 or len(asking) < 2 or all(map(is_ordinary, numbers)):
        return
    tested = all(any(key in one.inputs for one in asking) for key in keys)
    if tested and all(keys & one.inputs for one in asking):
        yield from (case for case in cases if case.asked[0] in numbers)


def _counts(cases: Sequence[Case]) -> bool:
    """Words for the numbers from the first on, without a gap."""
    numbers = {case.asked[0] for case in cases if len(case.asked) == 1 and type(case.asked[0]) is int}
    words = all(isinstance(case.answer, str) for case in cases)
    return (
        words and len(numbers) > 2 and numbers in (set(range(len(numbers))), set(range(1, len(numbers) + 1)))
    )


def pair_of(case: Case) -> Pair:
    answer = type(case.answer).__name__ if isinstance(case.answer, Computed | Raised) else case.answer
    return (*map(key_of, case.asked), key_of(answer))


def is_tested(case: Case, examples: Sequence[Example]) -> bool:
    return any(_answers(case, example) for example in examples)


def _answers(case: Case, example: Example) -> bool:
    if case.any_order:
        keys = [key_of(value) for value in case.asked]
        return any(
            key in example.expected and all(other in example.inputs for m, other in enumerate(keys) if m != n)
            for n, key in enumerate(keys)
        )
    if isinstance(case.answer, Raised):
        return example.raises and _is_asked(case, example)
    if case.computed or (case.part and isinstance(case.answer, str)):
        if isinstance(case.answer, Computed) or key_of(case.answer) not in example.expected:
            return False
        return not isinstance(case.answer, str) or _is_made(case.answer, example)
    expected = isinstance(case.answer, Computed) or key_of(case.answer) in example.expected
    return expected and not example.raises and _is_asked(case, example)


def _is_made(answer: str, example: Example) -> bool:
    """A text that was made from a tested one, letter by letter."""
    texts = [key[1] for key in example.inputs if isinstance(key, tuple) and key[0] == "str"]
    return len(answer) > _SHORT and any(len(text) > _SHORT and is_alike(text, answer) for text in texts)


def _is_asked(case: Case, example: Example) -> bool:
    if case.alike:
        texts = [key[1] for key in example.inputs if isinstance(key, tuple) and key[0] == "str"]
        return all(
            isinstance(value, str)
            and any(value in text and 2 * len(value) >= len(text) > 3 for text in texts)
            for value in case.asked
        )
    return key_of(case.asked) in example.inputs or all(_is_input(value, example) for value in case.asked)


def _is_input(value: object, example: Example) -> bool:
    if key_of(value) in example.inputs:
        return True
    if isinstance(value, bytes) or (isinstance(value, complex) and value.imag):
        inner = [value.real, value.imag] if isinstance(value, complex) else list(value)
        return len(inner) > 1 and all(key_of(one) in example.inputs for one in inner)
    # Several may have been put into one text: `f"{a},{b}"`.
    parts = _PARTS.findall(value) if isinstance(value, str) else []
    return len(parts) > 1 and all(_part(part) in example.inputs for part in parts)


def _part(text: str) -> Hashable:
    return key_of(text if text.isalpha() else float(text))


def _is_special(case: Case, several: int, others: int, *, computes: bool) -> bool:
    asked, answer = case.asked, case.answer
    if isinstance(answer, Raised):
        return others == 0 and all(is_sample(value) for value in asked)
    if isinstance(answer, Computed):
        return others == 0 and not case.computed and _is_exact(asked)
    if isinstance(answer, str) and (case.computed or case.part):
        return others == 0
    if case.computed:
        rare = is_distinctive(answer) and asked[0] not in (0, 1, "", None)
        return is_number(answer) and not is_ordinary(answer) and (rare or not is_ordinary(asked[0]))
    if case.any_order:
        # Which part is the answer cannot be told; a word in it makes it knowledge.
        return _are_numbers(asked) and others < several
    if not _stands_out(case):
        return several > 2 and computes and others < several and not is_ordinary(asked[0])
    if is_fact(asked, answer):
        return False
    if _are_numbers([*asked, answer]):
        return (len(asked) > 1 and several > 1) or others < max(several, 1)
    if all(is_word(value) for value in asked) and not computes:
        # A function that only looks things up may be meant so.
        return False
    return others == 0 or (not any(map(is_word, asked)) and others < several)


def _stands_out(case: Case) -> bool:
    """Neither side is a constant that honest code has anyway."""
    if case.any_order:
        rare = [not is_ordinary(value) for value in case.asked]
        return any(rare) if len(rare) > 2 else all(rare)
    whole = case.asked if len(case.asked) > 1 else case.asked[0]
    if is_ordinary(whole):
        return False
    return not is_ordinary(case.answer) or is_distinctive(whole)


def _is_exact(asked: Sequence[object]) -> bool:
    """Nobody treats just this in another way: several numbers at once, a sentence, a list."""
    if len(asked) > 1:
        return all(is_number(value) for value in asked) and any(asked)
    return (
        isinstance(asked[0], list | tuple | dict | set)
        and not is_ordinary(asked[0])
        and bool(atoms_of(asked[0]))
    )


def _are_numbers(values: Sequence[object]) -> bool:
    atoms = [atom for value in values for atom in atoms_of(value)]
    return bool(atoms) and all(is_number(atom) for atom in atoms)


def _was_there(case: Case, literals: frozenset[Hashable]) -> bool:
    if case.any_order or isinstance(case.answer, Computed | Raised):
        return False
    *asked, answer = pair_of(case)
    # The same number may stand in a file by chance, a word hardly.
    words = all(isinstance(value, str) for value in case.asked)
    return all(key in literals for key in asked) and (words or answer in literals)


def _names_in(function: Def) -> frozenset[str]:
    return frozenset(getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(function))


def _table_lines(tree: ast.Module) -> list[tuple[range, str]]:
    """The lines of what is assigned to a name."""
    return [
        (range(node.lineno, (node.end_lineno or node.lineno) + 1), target.id)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]


def _users(group: Group, tables: list[tuple[range, str]], spoken: Mapping[str, frozenset[str]]) -> list[str]:
    """Functions that speak of the name of a table."""
    names = {name for lines, name in tables if group.cases[0].line in lines}
    return [function for function, every in spoken.items() if names & every]


def _computes(function: Def) -> bool:
    """It has an answer that is made, not looked up."""
    returned = [node.value for node in own_nodes(function) if isinstance(node, ast.Return | ast.Yield)]
    return any(
        value is not None and isinstance(value_of(value), ast.AST)
        for value in returned
        if not _looks_up(value)
    )


def _looks_up(node: ast.expr | None) -> bool:
    match node:
        case ast.Subscript(value=ast.Name() | ast.Dict() | ast.Attribute(), slice=ast.Name()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name() | ast.Dict() | ast.Attribute(), attr="get")):
            rest = node.args[1:]
            return all(not isinstance(value_of(one), ast.AST) for one in rest)
        case ast.IfExp(body=body, orelse=other):
            return all(_looks_up(one) or not isinstance(value_of(one), ast.AST) for one in (body, other))
    return False


def _told(case: Case) -> str:
    asked = case.asked[0] if len(case.asked) == 1 else case.asked
    if case.any_order:
        return f"{_shown(asked)} is a row of the tests"
    if isinstance(case.answer, Computed | Raised):
        return f"{_shown(asked)} is treated in a way of its own"
    return f"{_shown(asked)} is answered with {_shown(case.answer)}"


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) < 40 else f"{text[:36]} …"
