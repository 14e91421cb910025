"""A file's bytes as text that can be edited, and back: encoding, byte order mark and line ends stay. Pure."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from untilgreen.solvers.agent.refusal import Refusal

MOST_BYTES = 2 << 20
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class SourceText:
    """One file, decoded; `raw` has its own line ends, `plain` has `\\n` only."""

    raw: str
    encoding: str = "utf-8"
    bom: bool = False

    @property
    def plain(self) -> str:
        return self.raw.replace("\r\n", "\n")

    @property
    def newline(self) -> str:
        """What most lines end with."""
        windows = self.raw.count("\r\n")
        return "\r\n" if windows * 2 > self.raw.count("\n") else "\n"

    def splice(self, start: int, end: int, new: str) -> SourceText:
        """Replace a span of `plain`; every byte outside of it stays."""
        first, last = self._raw_offset(start), self._raw_offset(end)
        replaced = self.raw[first:last]
        newline = "\r\n" if "\r\n" in replaced else "\n" if "\n" in replaced else self.newline
        text = _plain(new).replace("\n", newline)
        return self._with_raw(self.raw[:first] + text + self.raw[last:])

    def rewritten(self, content: str) -> SourceText:
        """All of it anew, in the style of what was there."""
        plain = _plain(content.removeprefix(_BOM))
        return self._with_raw(plain.replace("\n", self.newline) if self.raw else plain)

    def encoded(self, path: str) -> bytes:
        try:
            text = self.raw.encode(self.encoding)
        except UnicodeEncodeError as error:
            character = self.raw[error.start : error.end][:1]
            raise Refusal(
                f"{path} is encoded as {self.encoding}, which has no {character!a}. Write it another way."
            ) from error
        return codecs.BOM_UTF8 + text if self.bom else text

    def _with_raw(self, raw: str) -> SourceText:
        """The file ends with a line end if it did before: that is nobody's business here."""
        if self.raw and raw:
            if self.raw.endswith("\n") and not raw.endswith("\n"):
                raw += self.newline
            elif raw.endswith("\n") and not self.raw.endswith("\n"):
                raw = raw.rstrip("\r\n") or raw
        return SourceText(raw, self.encoding, self.bom)

    def _raw_offset(self, offset: int) -> int:
        """Where a place of `plain` is in `raw`."""
        at = 0
        for line in self.raw.split("\r\n"):
            if offset <= len(line):
                return at + offset
            offset -= len(line) + 1
            at += len(line) + 2
        return len(self.raw)


def new_text(content: str) -> SourceText:
    """For a file that is not there yet."""
    plain = _plain(content.removeprefix(_BOM))
    return SourceText(plain if not plain or plain.endswith("\n") else f"{plain}\n")


def decoded(path: str, content: bytes) -> SourceText:
    """Refuses what is no text, or would not come back as the same bytes."""
    if len(content) > MOST_BYTES:
        raise Refusal(f"{path} is larger than {MOST_BYTES >> 20} MB; that is not edited here.")
    if b"\0" in content:
        raise Refusal(f"{path} is not a text file.")
    bom = content.startswith(codecs.BOM_UTF8)
    body = content.removeprefix(codecs.BOM_UTF8)
    named = "utf-8" if bom else _cookie(body) if path.endswith((".py", ".pyi", ".pyw")) else "utf-8"
    for encoding in dict.fromkeys((named, "utf-8", "latin-1")):
        try:
            text = SourceText(body.decode(encoding), encoding, bom)
            if text.encoded(path) == content:
                return text
        except (UnicodeError, Refusal):
            continue
    raise Refusal(f"{path} is not encoded as it says.")


def _cookie(content: bytes) -> str:
    """The encoding that one of the first two lines names, as Python reads it."""
    for line in content.split(b"\n", 2)[:2]:
        if found := _COOKIE.match(line):
            try:
                codec = codecs.lookup(found[1].decode("ascii"))
            except (LookupError, UnicodeError):
                return "utf-8"
            return codec.name if getattr(codec, "_is_text_encoding", False) else "utf-8"
        if line.strip() and not line.lstrip().startswith(b"#"):
            break
    return "utf-8"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
