"""One diagnostic and the texts that ran: it is shown where its line is in the text of now. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import attrs
from lsprotocol import types as lsp

from untilgreen.lsp.drift import drift
from untilgreen.lsp.lines import Encoding, line_range, split_lines
from untilgreen.lsp.places import tests_in


@dataclass(frozen=True, slots=True)
class Ran:
    """The texts that ran, which the user may have left behind by now."""

    texts: Mapping[str, str]
    unsaved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mark:
    """A diagnostic as it was when the tests ran."""

    diagnostic: lsp.Diagnostic
    ran: Ran
    path: str
    """Of its file, in the workspace folder."""

    @property
    def code(self) -> str:
        return str(self.diagnostic.code)

    def now(
        self, text: Callable[[str], str | None], path_of: Callable[[str], str | None], encoding: Encoding
    ) -> lsp.Diagnostic:
        """With its lines as they are in these texts; None: as they were."""
        told = self.diagnostic.related_information

        def related(one: lsp.DiagnosticRelatedInformation) -> lsp.DiagnosticRelatedInformation:
            path = path_of(one.location.uri)
            moved = (
                one.location.range if path is None else self._moved(path, one.location.range, text, encoding)
            )
            return attrs.evolve(one, location=lsp.Location(one.location.uri, moved))

        return attrs.evolve(
            self.diagnostic,
            range=self._moved(self.path, self.diagnostic.range, text, encoding),
            related_information=[related(one) for one in told] if told else told,
        )

    def touches(self, first: int, last: int, text: str) -> bool:
        """Whether it is on these 0-based lines of a text."""
        line = self.diagnostic.range.start.line
        if text != self._ran_text:
            line = drift(self._ran_text, text).line(line)[0]
        return first <= line <= last

    def is_on_its_line(self, text: str) -> bool:
        """Whether the line is still there that it speaks of."""
        return drift(self._ran_text, text).line(self.diagnostic.range.start.line)[1]

    def lost_its_test(self, text: str) -> bool:
        """Whether the test was in the text that ran, and is not in this one."""
        path, _, name = self.code.partition("[")[0].partition("::")
        if path != self.path or not name:
            return False
        before, now = tests_in(self._ran_text), tests_in(text)
        if before is None or now is None:
            return False
        return name in {place.name for place in before} - {place.name for place in now}

    @property
    def _ran_text(self) -> str:
        return self.ran.texts.get(self.path, "")

    def _moved(
        self, path: str, where: lsp.Range, text: Callable[[str], str | None], encoding: Encoding
    ) -> lsp.Range:
        ran, now = self.ran.texts.get(path), text(path)
        if ran is None or now is None or ran == now:
            return where
        line, is_same = drift(ran, now).line(where.start.line)
        if not is_same:
            return line_range(split_lines(now), line + 1, encoding)
        return lsp.Range(
            start=lsp.Position(line, where.start.character), end=lsp.Position(line, where.end.character)
        )
