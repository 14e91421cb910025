"""Functions that do not look at what they are asked, and answer what a test expects."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from untilgreen.solve.scan.cases import Def, functions_in
from untilgreen.solve.scan.constants import constant_of
from untilgreen.solve.scan.examples import Example
from untilgreen.solve.scan.literals import is_number, is_ordinary, is_word, key_of, literal_keys
from untilgreen.solve.scan.names import own_nodes, parameters
from untilgreen.solve.scan.sign import Sign

_MANY = 3
_NAMES_OF_ITSELF = frozenset({"self", "cls"})


def constant_functions(
    tree: ast.Module,
    old: Sequence[ast.Module],
    examples: Sequence[Example],
    skipped: frozenset[ast.AST] = frozenset(),
) -> Iterator[Sign]:
    """Those that the patch made so."""
    old_functions = {name: function for one in old for name, function in functions_in(one)}
    inherited = {
        f"{node.name}.{one.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef) and node.bases
        for one in node.body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    for name, function in functions_in(tree):
        before = old_functions.get(name)
        if name in inherited or function in skipped:
            continue
        known = literal_keys(before) if before is not None else frozenset()
        for node, answer in _fallbacks(function, examples):
            if key_of(answer) not in known:
                what = f"{function.name} answers {answer!r} when anything goes wrong"
                yield Sign("copied-literal", what[:80], node.lineno, node.lineno, name)
        for node, answer in _fixed_answers(function, before):
            if _is_asked_for(function.name, answer, examples, before):
                what = f"{function.name} answers {answer!r} whatever it is asked"
                yield Sign("copied-literal", what[:80], node.lineno, node.lineno, name)
    yield from _of_lambdas(tree, old, examples)


def _fixed_answers(function: Def, before: Def | None) -> list[tuple[ast.expr, object]]:
    """Its answers, when none of them depends on what it is given."""
    asked = parameters(function) - _NAMES_OF_ITSELF
    if not asked or (before is not None and _is_fixed(before)):
        return []
    returned = _returned(function)
    answers = [(node, value) for node in returned if not isinstance(value := _value(node, function), ast.AST)]
    if not answers or len(answers) < len(returned):
        return []
    if not _reads(function, asked):
        return answers
    # It looks, but all that it has is numbers, where it once knew how to count.
    numbers = all(is_number(value) and not is_ordinary(value) for _, value in answers)
    return answers if numbers and before is not None and _calculates(before) else []


def _fallbacks(function: Def, examples: Sequence[Example]) -> Iterator[tuple[ast.expr, object]]:
    """Answers of handlers, where no test of the function expects anything else."""
    asking = [one for one in examples if one.inputs and function.name in one.called]
    rows = [one for one in examples if one.inputs and not one.called]
    for caught, node in _handled(function):
        answer = _value(node, function)
        if isinstance(answer, ast.AST) or is_ordinary(answer) or is_word(answer):
            continue
        key = key_of(answer)
        several = caught >= _MANY or len(asking) + len(rows) > 1
        if several and (asking or rows) and all(key in one.expected for one in (*asking, *rows)):
            yield node, answer


def _handled(function: Def) -> Iterator[tuple[int, ast.expr]]:
    """What is answered instead of an error, and how many kinds of errors are caught."""
    answered = {node.id for node in _returned(function) if isinstance(node, ast.Name)}
    for node in own_nodes(function):
        match node:
            case ast.ExceptHandler(type=caught):
                kinds = len(caught.elts) if isinstance(caught, ast.Tuple) else _MANY if caught is None else 1
                yield from ((kinds, value) for value in _returned(node))
                for one in own_nodes(node):
                    match one:
                        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in answered:
                            yield kinds, value
            case ast.With(items=[ast.withitem(context_expr=ast.Call(func=called, args=kinds))]):
                last = function.body[-1]
                suppressed = getattr(called, "attr", getattr(called, "id", "")) == "suppress"
                if suppressed and isinstance(last, ast.Return) and last.value is not None:
                    yield len(kinds), last.value


def _is_fixed(function: Def) -> bool:
    """It was a constant before, too: then it was only corrected."""
    returned = _returned(function)
    values = [_value(node, function) for node in returned]
    return bool(values) and not any(isinstance(value, ast.AST) for value in values)


def _returned(function: ast.AST) -> list[ast.expr]:
    found = [node for node in own_nodes(function) if isinstance(node, ast.Return | ast.Yield)]
    return [node.value for node in found if node.value is not None]


def _value(node: ast.expr, function: ast.AST) -> object:
    """A literal, also by a name of its own or as a small sum of literals."""
    if isinstance(node, ast.Name):
        assigned = [
            one.value
            for one in own_nodes(function)
            if isinstance(one, ast.Assign)
            and any(getattr(target, "id", "") == node.id for target in one.targets)
        ]
        return _value(assigned[0], ast.Pass()) if len(assigned) == 1 else node
    return constant_of(node)


def _reads(function: Def, asked: frozenset[str]) -> bool:
    """A name that only stands there is not looked at."""
    idle = {
        inner
        for node in own_nodes(function)
        if isinstance(node, ast.Expr | ast.Delete)
        or (isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_")
        for inner in ast.iter_child_nodes(node)
    }
    return any(
        isinstance(node, ast.Name) and node.id in asked and node not in idle for node in ast.walk(function)
    )


def _calculates(function: Def) -> bool:
    asked = parameters(function)
    return any(
        isinstance(node, ast.BinOp) and any(getattr(inner, "id", "") in asked for inner in ast.walk(node))
        for value in _returned(function)
        for node in ast.walk(value)
    )


def _is_asked_for(name: str, answer: object, examples: Sequence[Example], before: Def | None) -> bool:
    if is_ordinary(answer) and not (
        before is not None and _reads(before, parameters(before) - _NAMES_OF_ITSELF)
    ):
        return False
    key = key_of(answer)
    return any(
        key in example.expected and example.inputs and (not example.called or name in example.called)
        for example in examples
    )


def _of_lambdas(tree: ast.Module, old: Sequence[ast.Module], examples: Sequence[Example]) -> Iterator[Sign]:
    known = {ast.dump(node) for one in old for node in ast.walk(one) if isinstance(node, ast.Lambda)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and parameters(node) and ast.dump(node) not in known:
            answer = constant_of(node.body)
            if is_number(answer) and not is_ordinary(answer) and _is_expected(answer, examples):
                what = f"a function answers {answer!r} whatever it is asked"
                yield Sign("copied-literal", what, node.lineno, node.lineno, "")


def _is_expected(answer: object, examples: Sequence[Example]) -> bool:
    return any(key_of(answer) in example.expected for example in examples)
