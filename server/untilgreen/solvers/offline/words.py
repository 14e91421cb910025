"""What the search tells people. Pure."""

from __future__ import annotations

from untilgreen_sandbox.trace import Observation


def hypothesis(path: str, function: str, sentence: str) -> str:
    """`In cart/prices.py, total: compare with <= instead of <.`"""
    where = f"In `{path}`, `{function}`" if function else f"In `{path}`"
    said = sentence.rstrip(".")
    return f"{where}: {said[:1].lower()}{said[1:]}." if said else f"{where}: a small change."


def composed(parts: tuple[str, ...]) -> str:
    """Several changes, each with its own sentence."""
    return " ".join(dict.fromkeys(parts))


def call(seen: Observation) -> str:
    """`total(lines=[], limit=3) returned 0 in test_it.py::test_total`"""
    name = seen.function.partition(":")[2]
    given = ", ".join(f"{value.name}={value.shown}" for value in seen.arguments)
    how = "did not end"
    if seen.returned is not None:
        how = f"returned {seen.returned.shown}"
    elif seen.raised is not None:
        how = f"raised {seen.raised.type}{seen.raised.shown}"
    return f"{name}({given}) {how} in {seen.test}"[:500]
