"""How things stand in a watched workspace, in a line. Pure."""

from __future__ import annotations

from untilgreen.watching.causes import count
from untilgreen.watching.known import Known
from untilgreen.watching.steps import Apply, Solve, Step, Test


def doing(step: Step | None) -> str:
    """What runs now; empty when nothing does that is worth telling."""
    match step:
        case Test(part="first"):
            return "running the tests that may be affected"
        case Test(part="rest"):
            return "running the other tests"
        case Test():
            return "running all tests"
        case Solve(tests):
            return f"looking for a fix of {count(len(tests), 'test')}"
        case Apply():
            return "writing a fix"
    return ""


def standing(known: Known, waiting: str) -> str:
    """What is known, when nothing runs."""
    if known.red and (known.unread or waiting):
        return f"waiting: {known.unread or waiting}"
    if known.red:
        return f"{count(len(known.red), 'test')} not green"
    if known.blocked:
        return f"{count(len(known.blocked), 'test')} blocked: {next(iter(known.blocked.values()))}"
    return "watching"
