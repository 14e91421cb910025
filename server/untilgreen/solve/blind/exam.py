"""One blind run: the rewritten files, the questions, and the answers that are right. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from untilgreen.solve.blind.canaries import canary_file
from untilgreen.solve.blind.doctests import TEXTS, rewrite_docstrings, rewrite_text
from untilgreen.solve.blind.module import Amount, Rewritten, rewrite_module
from untilgreen.solve.blind.nearby import Nearby, make_nearby
from untilgreen.solve.blind.replay import Replay, make_replay
from untilgreen.solve.blind.table import Question

Read = Callable[[str], bytes | None]
"""The text of a file; None when there is none."""


@dataclass(frozen=True, slots=True)
class Exam:
    files: Mapping[str, bytes]
    """What is laid over the tree."""
    table: tuple[Question, ...]
    unasked: tuple[str, ...]
    """Tests about which nothing can be asked that must fail."""
    replay: Replay | None = None
    """One more test, whose answers are compared with nothing but each other."""
    nearby: Nearby | None = None
    """Another one, whose answers are compared with those of the user's own code."""

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(question.id for question in self.table)

    def about(self, origin: str) -> tuple[Question, ...]:
        return tuple(question for question in self.table if question.origin == origin)

    @property
    def canaries(self) -> tuple[Question, ...]:
        return self.about("")


def make_exam(
    amounts: Mapping[str, Amount], read: Read, seed: int, brief: Collection[str] = (), *, near: bool = False
) -> Exam:
    """How much is asked about which test; the same seed makes the same exam of the same texts.

    What the brief ones of them call may be called elsewhere, too, and with `near` what stands beside it.
    """
    files: dict[str, bytes] = {}
    table: list[Question] = []
    unasked: list[str] = []
    by_path: dict[str, dict[str, Amount]] = {}
    for test_id, amount in amounts.items():
        by_path.setdefault(test_id.split("::")[0], {})[test_id] = amount
    for path, mine in sorted(by_path.items()):
        chance = random.Random(f"{seed} {path}")
        left = mine
        for rewritten in _rewritten(path, mine, read(path), chance):
            files |= dict(rewritten.files)
            table += rewritten.table
            left = {test_id: left[test_id] for test_id in rewritten.unasked}
        unasked += left
    if unasked:
        # Under their own names they prove little, but what is beside them must still be told as it is.
        path, content, canaries = canary_file(unasked[0].split("::")[0], random.Random(f"{seed}"))
        files[path] = content
        table += [*canaries, *(Question(test_id, test_id, True) for test_id in unasked)]
    sources = {path: source for path in by_path if brief and (source := read(path)) is not None}
    replay = make_replay((test_id for test_id in amounts if test_id in brief), sources, seed)
    nearby = make_nearby(replay, seed) if near and replay is not None else None
    return Exam(files, tuple(table), tuple(unasked), replay, nearby)


def _rewritten(
    path: str, amounts: Mapping[str, Amount], source: bytes | None, chance: random.Random
) -> Iterator[Rewritten]:
    """Functions first; what is left may be docstrings of the same file."""
    if source is None:
        return
    if not path.endswith(".py"):
        text = rewrite_text(path, source, amounts, chance) if path.endswith(TEXTS) else None
        if text is not None:
            yield text
        return
    module = rewrite_module(path, source, amounts, chance)
    if module is not None:
        yield module
        [(_, source)] = module.files
        amounts = {test_id: amounts[test_id] for test_id in module.unasked}
    docstrings = rewrite_docstrings(path, source, amounts, chance) if amounts else None
    if docstrings is not None:
        yield docstrings
