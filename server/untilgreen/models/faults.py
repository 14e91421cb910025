"""What a service answers when it does not answer, sorted and said in words. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from untilgreen.models import wordings
from untilgreen.models.endpoint import PROVIDERS, Endpoint
from untilgreen_sandbox.text import clean

Kind = Literal["too_long", "tools", "filtered", "option", "unclear", "other"]
LONGEST_QUOTE = 300
REFUSED = (400, 404, 413, 422)
AGAIN = (408, 425)
STATUS_OF = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "timeout_error": 504,
    "api_error": 500,
    "server_error": 500,
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
}
"""Of errors in the middle of a stream, which have only a name."""


class Fault(Exception):
    """One call that failed."""

    def __init__(self, words: str, remedy: str = "", *, kind: Kind = "other", again: bool = False) -> None:
        super().__init__(words)
        self.words = words
        """A sentence for people."""
        self.remedy = remedy
        """What they can do: another sentence, or nothing."""
        self.kind = kind
        self.again = again
        """The same call may work in a moment."""
        self.wait: float | None = None
        """How long the service asks to wait, in seconds."""
        self.detail = ""
        """What the service said, unshortened."""


def fault_of_body(
    endpoint: Endpoint,
    status: int,
    body: object,
    message: str = "",
    *,
    wait: float | None = None,
    tools: bool = False,
) -> Fault:
    """From the body of an error; services wrap what they say in various ways."""
    told = body if isinstance(body, Mapping) else {}
    inner = told.get("error")
    told = inner if isinstance(inner, Mapping) else told
    plain = next((text for text in (body, inner) if isinstance(text, str)), "")
    said = told.get("message") or told.get("detail") or plain or message
    code = told.get("code")
    if status < 300 and isinstance(code, int) and code >= 400:
        status = code
    name = f"{told.get('type') or ''} {code or ''}".strip()
    return fault_of_answer(endpoint, status, name, str(said), wait=wait, tools=tools)


def fault_of_answer(
    endpoint: Endpoint,
    status: int,
    name: str,
    message: str,
    *,
    wait: float | None = None,
    tools: bool = False,
) -> Fault:
    """From an error of the service: its status, what it calls the error, what it says."""
    if status < 300:
        status = next((code for word, code in STATUS_OF.items() if word in name), 500)
    said = f"{name} {message}"
    fault = _sorted(endpoint, status, said, _quoted(message, endpoint.key), tools)
    if fault.again:
        fault.wait = wait if wait is not None else wordings.wait_in(message)
    fault.detail = said
    return fault


def _sorted(endpoint: Endpoint, status: int, said: str, quote: str, tools: bool) -> Fault:
    place, model = endpoint.place, endpoint.model
    refused = status in REFUSED
    if refused and wordings.REPLY_TOO_LONG.search(said):
        return Fault(f"{place} does not write replies that long{quote}", kind="option")
    if _is_too_long(status, said):
        return Fault(f"What was sent is longer than {model} reads at once{quote}", kind="too_long")
    if status < 500 and wordings.FILTERED.search(said):
        return Fault(f"A content filter of {place} held the request back{quote}", kind="filtered")
    if status == 402 or (status < 500 and wordings.NO_CREDIT.search(said)):
        return Fault(
            f"There is no credit left for {model} at {place}{quote}", "Look at the account's billing."
        )
    if status == 401 or (status in (400, 403) and wordings.WRONG_KEY.search(said)):
        return _wrong_key(endpoint, quote)
    if tools and (refused or status in (500, 501)) and wordings.NO_TOOLS.search(said):
        return Fault(f"{model} at {place} takes no tools{quote}", kind="tools")
    if status == 403:
        return Fault(f"{place} does not allow {model} for this key{quote}")
    if refused and wordings.NO_MODEL.search(said):
        return Fault(f"There is no model {model!r} at {place}{quote}", "Set `model` to one that it has.")
    if status == 404:
        words = f"{endpoint.base_url} is not the address of a model{quote}"
        return Fault(words, "Check `model_base_url`; most of them end in /v1.", kind="unclear")
    if status == 529:
        return Fault(f"{place} is overloaded{quote}", again=True)
    if status == 429:
        return Fault(f"{place} has reached its rate limit for us{quote}", again=True)
    if status in AGAIN or status >= 500:
        return Fault(f"{place} has a fault of its own (status {status}){quote}", again=status != 501)
    if status < 400:
        return Fault(f"{endpoint.base_url} sends us elsewhere (status {status}).", "Check `model_base_url`.")
    return Fault(f"{place} did not accept the request (status {status}){quote}", kind="unclear")


def _is_too_long(status: int, said: str) -> bool:
    if status == 429:
        # Rate limits are counted in tokens, too; only what never fits is too long.
        return bool(wordings.TOO_LARGE.search(said))
    return status == 413 or (status in (*REFUSED, 500) and bool(wordings.TOO_LONG.search(said)))


def _wrong_key(endpoint: Endpoint, quote: str) -> Fault:
    if endpoint.key:
        return Fault(
            f"{endpoint.place} did not accept the key {endpoint.key_source}{quote}", "Check it there."
        )
    known = PROVIDERS[endpoint.provider]
    return Fault(
        f"{endpoint.place} wants a key{quote}", f"Set `model_key_env` to a variable like {known.key_env}."
    )


def _quoted(message: str, key: str) -> str:
    """What a service said, harmless for a screen, never with the key, as the end of our own sentence."""
    text = " ".join(clean(without_key(message, key)).split())
    if not text or "<html" in text.lower():
        return "."
    short = text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"
    return f": {short}" if short.endswith((".", "!", "?", "…")) else f": {short}."


def without_key(text: str, key: str) -> str:
    """Services like to repeat a key that they do not know; some cut out its middle."""
    if key:
        text = text.replace(key, "(the key)")
    return re.sub(r"\b(sk|key|gsk|xai)-[\w*.-]{6,}", "(a key)", text)
