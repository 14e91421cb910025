"""Runs in the test process: whether candidates answer alike, on inputs that were seen and others like them.

Tests are asked once more on the user's own code, and what functions are called with is kept. Then every
candidate is called with each input in a fork of its own. Its source comes to that process in its request, so
it imports nothing of ours.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import hashlib
import inspect
import os
import time
from typing import Any, Dict, List, Optional, Tuple

MOST_SEEN, MOST_INPUTS, LEAST_INPUTS = 24, 144, 16
DEARER = 1.3
"""How much longer a candidate may take than the user's own code."""
MOST_TIMEOUTS = 3
LIMIT = 0.05
"""CPU seconds of one call."""
QUICK = 0.02
"""CPU seconds of a call on the user's own code that is worth repeating with every candidate."""
MOST_CONSUMED = 50
TEXT = 300
RAISED, STUMBLED = "raises", "raises!"
STUMBLES = (
    *("IndexError", "KeyError", "TypeError", "AttributeError", "NameError", "UnboundLocalError"),
    *("ZeroDivisionError", "RecursionError"),
)
"""How code ends that was not made for what it is given; a refusal is mostly of another kind."""
ALWAYS, SEVERAL = "it always answers the same", 3
"""Of a candidate, where the user's own code had at least so many answers."""


class Input:
    """What one function is called with."""

    def __init__(self, place: int, arguments: Any, seen: bool) -> None:
        self.place = place
        self.arguments = arguments
        """Those by position, and those by name."""
        self.seen = seen


class Comparing:
    """One comparison. A fork of its own records and calls; this process only tells what it says."""

    def __init__(self, evaluating: Any) -> None:
        self.evaluating = evaluating
        self.workers, self.asking, self.asker = evaluating.workers, evaluating.asking, evaluating.asker
        self.versions, self.describing = evaluating.modules["versions"], evaluating.modules["describing"]
        self.inputs: List[Input] = []

    def run(self) -> None:
        evaluating = self.evaluating
        tests = [*evaluating.failing, *evaluating.learn_passing()]
        candidates = self._compiled()
        spent = evaluating.cpu()
        worker = self.workers.Worker(
            lambda board: self._compare(board, tests, candidates, spent), lambda step: (60.0, 60.0)
        )
        while not worker.ended:
            self.workers.wait([worker])
            if evaluating.spent(worker.used()):
                worker.kill()
        evaluating.reaped += worker.cpu
        for record in worker.board.news():
            with contextlib.suppress(ValueError, TypeError, LookupError):
                if record[0] == "answered":
                    _, n, how, answers, why, stumbles = record
                    evaluating.set(int(n), how, why=str(why), answers=answers, stumbles=int(stumbles))
                elif record[0] == "differing":
                    evaluating.differing = str(record[1])

    def _compiled(self) -> List[Tuple[int, Any]]:
        found = []
        for n, (place, source) in enumerate(self.evaluating.sources):
            target = self.evaluating.targets[place]
            try:
                if not target.functions:
                    raise self.versions.Unfit("it was not found")
                found.append((n, target.version(source)))
            except SyntaxError as error:
                self.evaluating.set(n, "invalid", why=str(error))
            except self.versions.Unfit as error:
                self.evaluating.set(n, "unfit", why=str(error))
        return found

    def _compare(self, board: Any, tests: List[Any], candidates: List[Any], spent: float) -> None:
        """In the fork that records, and that all others are forked from."""
        evaluating = self.evaluating
        evaluating.begun, evaluating.reaped = 0.0, spent
        self.asker.enter(forbids=False)
        self._record(tests)
        found = self.versions.constants([version.code for _, version in candidates])
        takes_any = {
            n
            for n, target in enumerate(evaluating.targets)
            if any(code.co_flags & inspect.CO_VARARGS for code in target.codes)
        }
        self.inputs += self.describing.others_like(self.inputs, MOST_INPUTS, Input, found, takes_any)
        spent = evaluating.cpu()
        known, quick = self._answers(None)
        kept = [k for k in range(len(self.inputs)) if known.get(k) and k in quick]
        affordable = _affordable(
            len(self.inputs), evaluating.cpu() - spent, len(candidates), evaluating.seconds - evaluating.cpu()
        )
        kept = _some(kept, affordable)
        self.inputs = [self.inputs[k] for k in kept]
        if not self.inputs:
            return  # Nothing could be kept; that none differs then says nothing.
        before = len({known[k] for k in kept})
        first: Optional[Tuple[Any, Dict[int, str]]] = None
        told = False
        for n, version in candidates:
            answers, _ = self._answers(version)
            if evaluating.spent(0.0):
                return
            row = [answers.get(k, "none") for k in range(len(self.inputs))]
            how = "plausible" if len(answers) == len(self.inputs) else "crashed"
            why = ALWAYS if before >= SEVERAL and len(set(row)) == 1 else ""
            stumbles = 100 * sum(map(self._stumbles, row, (known[k] for k in kept))) // len(row)
            how = "timeout" if "over" in row else how
            board.say("answered", n, how, _hashed("".join(row)), why, stumbles)
            if first is None:
                first = version, answers
            elif not told and answers != first[1]:
                told = True
                board.say("differing", self._difference(self._telling(first[1], answers), first[0], version))

    def _stumbles(self, answer: str, before: str) -> bool:
        """Over what the user's own code does not, or as that does in the tests that fail."""
        if not answer.startswith(STUMBLED):
            return False
        kind = answer[len(STUMBLED) :].partition(":")[0]
        return not before.startswith(STUMBLED) or any(test.detail == kind for test in self.evaluating.failing)

    def _telling(self, one: Dict[int, str], other: Dict[int, str]) -> int:
        """The input that shows best how two differ: answered by both, seen in a test, short."""
        differ = [k for k in range(len(self.inputs)) if one.get(k) != other.get(k)]

        def worth(k: int) -> Tuple[bool, bool, int]:
            raised = any(found.get(k, RAISED).startswith((RAISED, "over")) for found in (one, other))
            words = len(self.describing.call(self.inputs[k].arguments))
            return raised, not self.inputs[k].seen, words

        return min(differ, key=worth)

    def _record(self, tests: List[Any]) -> None:
        seen = set()

        def keep(place: int, arguments: Any) -> None:
            if sum(one.place == place for one in self.inputs) < MOST_SEEN:
                with contextlib.suppress(Exception):
                    key = (place, self.describing.described(arguments))
                    if key not in seen:
                        self.inputs.append(Input(place, copy.deepcopy(arguments), True))
                        seen.add(key)

        for place, target in enumerate(self.evaluating.targets):
            for function in target.functions:
                self.versions.each(function, lambda *arguments, place=place: keep(place, arguments))
        for test in tests:
            if test.calls and test.how not in (self.asking.OVER, self.asking.DIED):
                self.asker.ask(test, False, max(0.25, 8 * test.cpu))
        for target in self.evaluating.targets:
            target.restore()

    def _answers(self, version: Any) -> Tuple[Dict[int, str], List[int]]:
        """By number of the input, as far as the process came; and which of them took little time."""
        worker = self.workers.Worker(lambda board: self._call_all(board, version), lambda step: (LIMIT, 0.5))
        while not worker.ended:
            self.workers.wait([worker])
        self.evaluating.reaped += worker.cpu
        answers: Dict[int, str] = {}
        quick = []
        for record in worker.board.news():
            with contextlib.suppress(ValueError, TypeError, LookupError):
                _, k, answer, is_quick = record
                answers[int(k)] = str(answer)
                quick += [int(k)] if is_quick else []
        if worker.killed or worker.status >> 8 == self.workers.TIME_OVER:
            answers[worker.board.position()[0]] = "over"
        return answers, quick

    def _call_all(self, board: Any, version: Any) -> None:
        self.asker.rejoin()
        if version is not None:
            version.put()
        timeouts = 0
        for k, one in enumerate(self.inputs):
            board.at(k, 1)
            text, seconds = self._call(one)
            timeouts += text == "over"
            kind = RAISED if text.startswith(RAISED) else ""
            name = text.partition("\0")[0].rpartition(" ")[2]
            if kind and name in STUMBLES:
                kind = "%s%s:" % (STUMBLED, name)
            board.say("answer", k, text if text == "over" else kind + _hashed(text), seconds < QUICK)
            if timeouts >= MOST_TIMEOUTS:
                os._exit(self.workers.TIME_OVER)

    def _call(self, one: Input) -> Tuple[str, float]:
        """What the function answers and what it does to its arguments, as a text."""
        positional, named = copy.deepcopy(one.arguments)
        function = self.evaluating.targets[one.place].functions[0]
        answer = ""

        def call() -> None:
            nonlocal answer
            answer = self.describing.described(_consumed(function(*positional, **named)))

        begun = time.process_time()
        how, detail = self.asker.guarded(call, LIMIT)
        seconds = time.process_time() - begun
        if how == self.asking.OVER:
            return "over", seconds
        if how != self.asking.PASSED:
            # An input that no caller would give is refused in more than one way.
            refused = not one.seen and detail in ("TypeError", "AttributeError")
            answer = "%s %s" % (RAISED, "TypeError" if refused else detail)
        with contextlib.suppress(Exception):
            answer += "\0" + self.describing.described((positional, named))
        return answer, seconds

    def _difference(self, k: int, *versions: Any) -> str:
        one = self.inputs[k]
        texts = []
        for version in versions:
            worker = self.workers.Worker(
                lambda board, version=version: self._say(board, one, version), lambda step: (LIMIT, 0.5)
            )
            while not worker.ended:
                self.workers.wait([worker])
            said = [record[1] for record in worker.board.news() if record[0] == "said"]
            texts.append(str(said[0])[:TEXT] if said else "the process ends")
        name = ".".join(self.evaluating.targets[one.place].names)
        words = self.describing.call(one.arguments)[:TEXT]
        return "%s(%s): %s, or %s" % (name, words, texts[0], texts[1])

    def _say(self, board: Any, one: Input, version: Any) -> None:
        self.asker.rejoin()
        version.put()
        before = self.describing.described(one.arguments)
        answer, _, after = self._call(one)[0].partition("\0")
        if after and after != before and answer in ("None", ""):
            answer += ", its arguments become %s" % after
        board.say("said", "it takes too long" if answer == "over" else answer)


def _affordable(n_inputs: int, seconds: float, n_candidates: int, left: float) -> int:
    """So many inputs that there is time for every candidate: one that is not asked says nothing at all."""
    each = max(seconds, 0.001) / max(1, n_inputs)
    return max(LEAST_INPUTS, int(left / (each * DEARER * max(1, n_candidates))))


def _some(kept: List[int], most: int) -> List[int]:
    """The first ones were seen in tests; of all of them some here and there."""
    if len(kept) <= most:
        return kept
    return [kept[i * len(kept) // most] for i in range(most)]


def _consumed(answer: Any) -> Any:
    """What comes out of a generator or a coroutine in the end."""
    if inspect.iscoroutine(answer):
        return asyncio.run(answer)
    if inspect.isgenerator(answer) or isinstance(answer, (map, filter, zip)):
        found = []
        for item in answer:
            found.append(item)
            if len(found) >= MOST_CONSUMED:
                break
        return ("one after the other", found)
    return answer


def _hashed(text: str) -> str:
    return hashlib.sha1(text.encode("utf-8", "replace")).hexdigest()[:16]
