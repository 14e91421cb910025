"""Answers that were copied into a file of data: rows that tests ask for, and little else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from untilgreen.solve.scan.cases import Case
from untilgreen.solve.scan.examples import Example
from untilgreen.solve.scan.literals import atoms_of
from untilgreen.solve.scan.sign import Sign
from untilgreen.solve.scan.special_cases import copied, pair_of

_LARGEST = 200_000
_ATOM = re.compile(r"-?\d+(?:\.\d+)?|[^\W\d_]+")
_KEY = re.compile(r"^\s*(.+?)\s*(?:=|:|->|\t)\s*(.+?)\s*$")


def copied_rows(new: bytes, old: bytes | None, examples: Sequence[Example]) -> Iterator[Sign]:
    if len(new) > _LARGEST or len(old or b"") > _LARGEST:
        return
    cases, before = _cases(new), {pair_of(case) for case in _cases(old or b"")}
    for case in copied(cases, cases, before, examples):
        shown = ", ".join(str(value) for value in case.asked)
        yield Sign("copied-literal", f"a row about {shown[:40]}", case.line, case.line, "")


def _cases(content: bytes) -> list[Case]:
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return []
    try:
        return list(_of_json(json.loads(text), (), text))
    except (ValueError, RecursionError):
        return list(_of_lines(text))


def _of_json(value: object, before: tuple[object, ...], text: str) -> Iterator[Case]:
    match value:
        case dict():
            for key, inner in value.items():
                if isinstance(inner, dict):
                    yield from _of_json(inner, (*before, _number(key)), text)
                else:
                    yield Case((*before, _number(key)), inner, _line(text, key))
        case list() if any(isinstance(one, list | dict) for one in value):
            for row in value:
                parts = list(row.values()) if isinstance(row, dict) else row
                if isinstance(parts, list) and len(parts) > 1:
                    yield Case(tuple(atoms_of(parts)), None, _line(text, str(parts[0])), any_order=True)


def _of_lines(text: str) -> Iterator[Case]:
    for n, line in enumerate(text.splitlines(), start=1):
        atoms = [_number(one) for one in _ATOM.findall(line)]
        if (pair := _KEY.match(line)) is not None:
            yield Case((_number(pair[1]),), _number(pair[2]), n)
        elif len(atoms) > 1 and not (n == 1 and all(isinstance(one, str) for one in atoms)):
            # Words in the first line are the names of columns.
            yield Case(tuple(atoms), None, n, any_order=True)


def _number(text: str) -> object:
    plain = text.strip("\"' ")
    try:
        return float(plain)
    except ValueError:
        return plain


def _line(text: str, key: str) -> int:
    return text[: max(text.find(key), 0)].count("\n") + 1
