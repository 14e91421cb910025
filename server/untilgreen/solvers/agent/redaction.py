"""Secrets are taken out of everything that leaves, and put back into what a model writes. Pure."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

_KEY_SHAPES = re.compile(
    r"\b(?:sk|pk|rk)[-_](?:[A-Za-z]{2,12}[-_]){0,3}[A-Za-z0-9_-]{20,}"
    r"|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}|\bglpat-[\w-]{18,}"
    r"|\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}"
    r"|\b(?:AKIA|ASIA|AGPA|AIDA|AROA)[A-Z0-9]{16}\b|\bAIza[\w-]{35}|\bya29\.[\w-]{20,}"
    r"|\bnpm_[A-Za-z0-9]{36}|\bpypi-[\w-]{50,}|\bhf_[A-Za-z0-9]{30,}|\bdop_v1_[a-f0-9]{60,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|\bgsk_[A-Za-z0-9]{40,}"
    r"|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"
    r"|https://hooks\.slack\.com/services/[\w/]{20,}"
)
_PRIVATE_KEY = re.compile(
    r"(-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----)"
    r"(.{1,20000}?(?=-----END )|(?:\s*[A-Za-z0-9+/=]{16,})+)",
    re.DOTALL,
)
# The password of an address; the scheme and the user stay.
_IN_ADDRESS = re.compile(r"(?<=://)([^\s:/@'\"{}<>$%]{1,60}):([^\s:/@'\"{}<>$%]{3,200})(?=@[\w.-])")
_BEARER = re.compile(r"(?i)(\b(?:bearer|basic|token)\s+)([A-Za-z0-9._~+/-]{20,}=*)")
_KINDS = "api_?key|secret|token|passwo?r?d|passphrase|private_?key|access_?key|credential|auth_?key"
_NAMES = rf"[\w.-]{{0,40}}(?:{_KINDS})[\w.-]{{0,40}}"
_QUOTED = re.compile(
    rf"(?i)([\"']?\b{_NAMES}[\"']?\s*(?:=|:|=>)\s*[bruf]{{0,2}}[\"'])([^\"'\n]{{6,400}})(?=[\"'])"
)
_PLAIN = re.compile(rf"(?i)(\b{_NAMES}\s*(?:=|:)\s*)([A-Za-z0-9+/_.~-]{{16,400}}={{0,2}})(?![\w(\[.])")
_LINE = re.compile(
    r"(?m)^((?:export +)?[A-Z][A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?|DSN)[A-Z0-9_]*=)"
    r"([^\s\"'#$({<\[]\S{5,})[ \t]*$"
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")
_HEX = re.compile(r"[0-9a-fA-F]{32,}")
_MARK = re.compile(r"\[redacted-\d+\]")
_SECRET_NAME = re.compile(r"(?i)key|token|secret|passw|credential|dsn")
SHORTEST_KNOWN = 12
ENOUGH_BITS = 3.0
SHORTEST_RANDOM = 16


class Redaction:
    """The secrets of one conversation: each has a mark of its own that a model may move about."""

    def __init__(self, known: Iterable[str] = (), root: str = "") -> None:
        self._root = root.rstrip("/")
        self._marks: dict[str, str] = {}
        for secret in sorted(set(known), key=len, reverse=True):
            if len(secret) >= SHORTEST_KNOWN:
                self._mark(secret)

    def redacted(self, text: str) -> str:
        """The text with marks instead of secrets."""
        text = _PRIVATE_KEY.sub(lambda found: found[1] + self._by_line(found[2]), text)
        text = _KEY_SHAPES.sub(lambda found: self._mark(found[0]), text)
        text = _IN_ADDRESS.sub(lambda found: f"{found[1]}:{self._mark(found[2])}", text)
        text = _BEARER.sub(lambda found: found[1] + self._if_random(found[2]), text)
        text = _QUOTED.sub(lambda found: found[1] + self._if_random(found[2]), text)
        text = _LINE.sub(lambda found: found[1] + self._if_value(found[2]), text)
        text = _PLAIN.sub(lambda found: found[1] + self._if_very_random(found[2]), text)
        for secret, mark in self._marks.items():
            text = text.replace(secret, mark)
        return text

    def printed(self, text: str) -> str:
        """What a program printed: without secrets, and without where the project lies on this machine."""
        if self._root:
            text = text.replace(f"{self._root}/", "").replace(self._root, ".")
        return self.redacted(text)

    def restored(self, text: str) -> str:
        """What a model wrote, with the secrets themselves where it kept their marks."""
        if not self._marks or "[redacted-" not in text:
            return text
        secrets = {mark: secret for secret, mark in self._marks.items()}
        return _MARK.sub(lambda found: secrets.get(found[0], found[0]), text)

    @property
    def count(self) -> int:
        return len(self._marks)

    def _mark(self, secret: str) -> str:
        if _MARK.fullmatch(secret):
            return secret
        return self._marks.setdefault(secret, f"[redacted-{len(self._marks) + 1}]")

    def _by_line(self, block: str) -> str:
        """Line by line, so that the lines of a file keep their numbers."""
        return re.sub(r"[^\s\\]{8,}", lambda found: self._mark(found[0]), block)

    def _if_random(self, value: str) -> str:
        """Ordinary words are no secrets: a parser has tokens, and a test has passwords."""
        return self._mark(value) if looks_random(value) else value

    def _if_value(self, value: str) -> str:
        """Of a file like .env; a name of something else is code."""
        is_code = _IDENTIFIER.fullmatch(value) and not re.search("[0-9]", value)
        return value if is_code else self._mark(value)

    def _if_very_random(self, value: str) -> str:
        """Without quotes it may be an expression."""
        mixed = looks_random(value) and bool(re.search("[a-z]", value)) and bool(re.search("[A-Z]", value))
        return self._mark(value) if mixed or _HEX.fullmatch(value) else value


def looks_random(value: str) -> bool:
    if len(value) < SHORTEST_RANDOM or " " in value or _MARK.search(value):
        return False
    kinds = sum(bool(re.search(kind, value)) for kind in ("[a-z]", "[A-Z]", "[0-9]"))
    counts = Counter(value)
    bits = -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
    return kinds >= 2 and bool(re.search("[0-9]", value)) and bits >= ENOUGH_BITS


def secrets_of(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Values of variables that sound like secrets: wherever they turn up, they stay here."""
    return tuple(
        value
        for name, value in environ.items()
        if _SECRET_NAME.search(name)
        and len(value) >= SHORTEST_KNOWN
        and " " not in value
        and "/" not in value[:1]
    )
