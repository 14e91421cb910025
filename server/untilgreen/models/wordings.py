"""How services word their refusals. No two agree, and most of them only tell in words. Pure."""

from __future__ import annotations

import re


def _any_of(*wordings: str) -> re.Pattern[str]:
    return re.compile("|".join(wordings), re.IGNORECASE | re.DOTALL)


TOO_LARGE = _any_of(r"(request|prompt|input) too (long|large)")
TOO_LONG = _any_of(
    r"context.?(length|window|size|limit)",
    r"maximum context",
    r"(prompt|input|request|messages?|conversation)\S* (is|are|was) too (long|large)",
    TOO_LARGE.pattern,
    r"too many (input |prompt )?tokens",
    r"reduce (the|your) (length|prompt|messages|input)",
    r"exceed\w*\b.{0,60}\btokens",
    r"tokens\b.{0,40}\bexceed",
    r"request_too_large|string_above_max_length",
)
REPLY_TOO_LONG = _any_of(
    r"max_(completion_|output_)?tokens\W{0,3}( or \W?max_completion_tokens\W?)? is too large",
    r"max_tokens: \d+ > \d+",
    r"at most \d+ completion tokens",
)
FILTERED = _any_of(
    r"content.?filter",
    r"content.?policy",
    r"content management policy",
    r"ResponsibleAIPolicy",
    r"data_inspection_failed",
)
NO_CREDIT = _any_of(
    r"insufficient.?(quota|credits?|balance|funds)",
    r"(credit|account) balance",
    r"requires more credits",
    r"billing_(error|hard_limit|not_active)",
)
WRONG_KEY = _any_of(
    r"invalid_api_key|authentication_error",
    r"(incorrect|invalid|missing|unknown) (api.?key|x-api-key|authentication|token provided)",
)
NO_MODEL = _any_of(
    r"model_not_found|not_found_error model",
    r"\bmodel\b.{0,120}\b(not found|not exist|not available|not served)",
    r"(unknown|no such|invalid|unsupported) model",
    r"not a valid model",
)
NO_TOOLS = _any_of(
    r"(not|n't|un)[ -]?support\w*.{0,40}\b(tool|function)",
    r"\b(tool|function)s?\b.{0,40}\b(not|un)[ -]?(support|available|enabled|implemented|allowed|permitted)",
    r"no \w+ found that support tool use",
    r"tool.?choice.{0,20}requires",
    r"tools? param requires",
    r"(unrecognized|unknown|unexpected|extra|additional)\b.{0,60}\b(tools|tool_choice|functions)\b",
    r"\b(tools|tool_choice|functions)\b.{0,60}\b(extra|unknown|unexpected|unrecognized)",
)
_CONTEXT = re.compile(
    r"context (?:length|window|size|limit)\D{0,30}(\d{3,8})|limit of (\d{3,8}) tokens", re.IGNORECASE
)
_WAIT = re.compile(r"(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s\b|sec|m\b|min)", re.IGNORECASE)
LEAST_REPLY = 256


def context_in(said: str) -> int:
    """How many tokens it holds, when it says so; else 0."""
    found = _CONTEXT.search(said)
    return int(found[1] or found[2]) if found else 0


def shorter_reply(said: str, tokens: int) -> int:
    """How long a reply it may allow instead, when the one asked for did not fit; 0 when it does not say."""
    if context := context_in(said):
        third = context // 3
        return third if LEAST_REPLY <= third < tokens else 0
    if not REPLY_TOO_LONG.search(said):
        return 0
    numbers = [int(number) for number in re.findall(r"\d{3,8}", said)]
    return max((number for number in numbers if LEAST_REPLY <= number < tokens), default=0)


def wait_in(said: str) -> float | None:
    """Seconds, from a sentence like «Please try again in 2.4s»."""
    found = _WAIT.search(said)
    if not found:
        return None
    scale = {"ms": 0.001, "m": 60.0, "min": 60.0}.get(found[2].lower(), 1.0)
    return float(found[1]) * scale
