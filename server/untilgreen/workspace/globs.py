"""A glob as git reads it, as a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": " \\t\\n\\r\\f\\v",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


class NeverMatches(ValueError):
    """A pattern that git reads and that fits nothing."""


def expression(pattern: str, *, anchored: bool) -> str:
    """The regular expression of a glob.

    A star takes as little as it can and never gives it back, which is enough for all but the last one:
    so the time grows with the length of a name and not with the number of stars.
    """
    tokens = list(_tokens(pattern))
    if not anchored:
        return _segment(tokens)
    segments: list[list[str]] = [[]]
    for token in tokens:
        if token in ("/", "\\/"):
            segments.append([])
        else:
            segments[-1].append(token)
    # Git compares what stands before the first wildcard apart, so `**` right after it counts as a whole.
    parts: list[str] = []
    pending: list[str] = []
    wild = False
    for n, segment in enumerate(segments):
        last = n == len(segments) - 1
        head, deep = _split_deep(segment, first_wild=not wild)
        wild = wild or any(_is_wild(token) for token in segment)
        if not deep:
            pending.append(_segment(segment) + ("" if last else "/"))
        elif last:
            pending.append(_segment(head) + ".*")
        else:
            pending.append(_segment(head))
            parts.append("".join(pending))
            pending = []
    parts.append("".join(pending))
    first, *rest = parts
    if not rest:
        return f"(?s:{first})"
    middle = "".join(f"(?>(?:.*?/)??{part})" for part in rest[:-1])
    return f"(?s:{first}{middle}(?:.*/)?{rest[-1]})"


def _split_deep(segment: list[str], *, first_wild: bool) -> tuple[list[str], bool]:
    """What stands before a `**` that crosses slashes, and whether there is one."""
    if not segment or not segment[-1].startswith("**"):
        return segment, False
    head = segment[:-1]
    return head, not head or (first_wild and not any(_is_wild(token) for token in head))


def _is_wild(token: str) -> bool:
    return token[0] in "*?[\\"


def _segment(tokens: list[str]) -> str:
    stars = [n for n, token in enumerate(tokens) if token[0] == "*"]
    if not stars:
        return "".join(map(_one, tokens))
    parts = ["".join(map(_one, tokens[: stars[0]]))]
    for star, end in zip(stars, [*stars[1:], len(tokens)], strict=True):
        fixed = "".join(map(_one, tokens[star + 1 : end]))
        parts.append(f"[^/]*{fixed}" if end == len(tokens) else f"(?>[^/]*?{fixed})")
    return "".join(parts)


def _one(token: str) -> str:
    if token == "?":
        return "[^/]"
    if token[0] == "[" and len(token) > 1:
        return _bracket(token)
    return re.escape(token[1:] if len(token) > 1 else token)


def _tokens(pattern: str) -> Iterator[str]:
    """Each wildcard, set or character; a star stands for one, and two for more."""
    at = 0
    while at < len(pattern):
        end = at + 1
        if pattern[at] == "\\":
            end += 1
            if end > len(pattern):
                raise NeverMatches(pattern)
        elif pattern[at] == "*":
            while pattern[end : end + 1] == "*":
                end += 1
        elif pattern[at] == "[":
            end = _end_of_set(pattern, at)
        yield pattern[at:end]
        at = end


def _end_of_set(pattern: str, start: int) -> int:
    at = start + 1 + (pattern[start + 1 : start + 2] in ("!", "^"))
    first = at
    while at < len(pattern):
        if pattern[at] == "]" and at > first:
            return at + 1
        if pattern[at] == "\\":
            at += 2
        elif pattern.startswith("[:", at) and (close := pattern.find("]", at + 2)) > 0:
            at = close + 1 if pattern[close - 1] == ":" and close - 1 >= at + 2 else at + 1
        else:
            at += 1
    raise NeverMatches(pattern)


def _bracket(token: str) -> str:
    """A set of characters; a slash is in none of them."""
    at = 1
    negated = token[1] in "!^"
    at += negated
    parts: list[str] = []
    previous = ""
    while at < len(token) - 1:
        if (
            token.startswith("[:", at)
            and (close := token.find("]", at + 2)) < len(token) - 1
            and (token[close - 1] == ":" and close - 1 >= at + 2)
        ):
            name = token[at + 2 : close - 1]
            if name not in _CLASSES:
                raise NeverMatches(token)
            parts.append(_CLASSES[name])
            at, previous = close + 1, ""
            continue
        if token[at] == "-" and previous and at + 1 < len(token) - 1:
            at += 1
            at += token[at] == "\\"
            if previous <= token[at]:
                parts.append(f"{_literal(previous)}-{_literal(token[at])}")
            at, previous = at + 1, ""
            continue
        at += token[at] == "\\"
        previous = token[at]
        parts.append(_literal(previous))
        at += 1
    inside = "".join(parts)
    if negated:
        return f"[^/{inside}]"
    return f"(?!/)[{inside}]" if inside else "(?!)"


def _literal(character: str) -> str:
    return f"\\U{ord(character):08x}"
