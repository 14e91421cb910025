"""Settings in sections and rows in columns, read from text."""

from __future__ import annotations

import re
from collections.abc import Iterator

TRUE = {"yes", "true", "on", "1"}
FALSE = {"no", "false", "off", "0"}


class FormatError(ValueError):
    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


class Settings:
    """Sections of keys; what a section lacks is looked for in `defaults`."""

    def __init__(self) -> None:
        self._sections: dict[str, dict[str, str]] = {}

    @classmethod
    def parse(cls, text: str) -> Settings:
        settings = cls()
        section: dict[str, str] | None = None
        last_key = ""
        for n, line in enumerate(text.splitlines(), start=1):
            stripped = line.strip()
            if not stripped or stripped[0] in "#;":
                continue
            if line[0].isspace() and last_key and section is not None:
                section[last_key] += "\n" + stripped
                continue
            if stripped.startswith("["):
                if not stripped.endswith("]"):
                    raise FormatError(n, "the section is not closed")
                section = settings._sections.setdefault(stripped[1:-1].strip(), {})
                last_key = ""
                continue
            if section is None:
                raise FormatError(n, "a key before the first section")
            key, found, value = stripped.partition("=")
            if not found:
                raise FormatError(n, "neither a section nor a key")
            last_key = key.strip().lower()
            if last_key in section:
                raise FormatError(n, f"{last_key} is there twice")
            section[last_key] = value.strip()
        return settings

    def sections(self) -> list[str]:
        return [name for name in self._sections if name != "defaults"]

    def get(self, section: str, key: str, default: str | None = None) -> str | None:
        key = key.lower()
        for name in (section, "defaults"):
            if key in self._sections.get(name, {}):
                return self._filled(section, self._sections[name][key])
        return default

    def _filled(self, section: str, value: str, depth: int = 0) -> str:
        if depth > 10:
            raise ValueError("names that refer to each other")

        def put(match: re.Match[str]) -> str:
            for name in (section, "defaults"):
                if match[1] in self._sections.get(name, {}):
                    return self._filled(section, self._sections[name][match[1]], depth + 1)
            raise KeyError(match[1])

        return re.sub(r"\$\{(\w+)\}", put, value)

    def flag(self, section: str, key: str, default: bool = False) -> bool:
        value = self.get(section, key)
        if value is None:
            return default
        if value.lower() in TRUE:
            return True
        if value.lower() in FALSE:
            return False
        raise ValueError(f"{value!r} is neither yes nor no")

    def number(self, section: str, key: str, default: int | None = None) -> int | None:
        value = self.get(section, key)
        return default if value is None else int(value.replace("_", ""), 0)

    def listed(self, section: str, key: str) -> list[str]:
        value = self.get(section, key) or ""
        return [part.strip() for part in re.split(r"[,\n]", value) if part.strip()]


def rows(text: str, separator: str = ",", quote: str = '"') -> Iterator[list[str]]:
    """Rows of cells; a quoted cell may hold separators, line ends and doubled quotes."""
    row: list[str] = []
    cell = ""
    quoted = False
    n = 0
    while n < len(text):
        char = text[n]
        if quoted:
            if char != quote:
                cell += char
            elif text[n + 1 : n + 2] == quote:
                cell += quote
                n += 1
            else:
                quoted = False
        elif char == quote and not cell:
            quoted = True
        elif char == separator:
            row.append(cell)
            cell = ""
        elif char == "\n":
            row.append(cell)
            yield row
            row, cell = [], ""
        elif char != "\r":
            cell += char
        n += 1
    if quoted:
        raise FormatError(text.count("\n") + 1, "a quote is not closed")
    if cell or row:
        row.append(cell)
        yield row


def records(text: str, separator: str = ",") -> list[dict[str, str]]:
    """Rows as dictionaries by the names in the first row; cells that are missing are empty."""
    every = list(rows(text, separator))
    if not every:
        return []
    names = [name.strip() for name in every[0]]
    found = []
    for n, row in enumerate(every[1:], start=2):
        if len(row) > len(names):
            raise FormatError(n, f"{len(row)} cells for {len(names)} names")
        cells = row + [""] * (len(names) - len(row))
        found.append(dict(zip(names, cells, strict=True)))
    return found
