"""One requirement: a line that an installer takes, and that cannot choose where packages come from."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

LONGEST = 4000
NAME = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_VERSION = r"(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+"
_VERSIONS = rf"{_VERSION}(?:\s*,\s*{_VERSION})*"
_REQUIREMENT = re.compile(
    rf"(?P<name>{NAME})\s*(?:\[(?P<extras>[A-Za-z0-9._,\s-]*)\])?\s*"
    rf"(?:(?P<versions>{_VERSIONS})\s*,?|\(\s*(?P<grouped>{_VERSIONS})\s*\))?\s*"
    r"(?:;(?P<marker>[ \w.,'\"<>=!~()*+-]+))?",
    re.ASCII,
)
_HASH = re.compile(r"\s--hash[= ](?P<hash>[a-z0-9]+:[0-9a-f]+)(?=\s|$)", re.ASCII)
_POETRY = re.compile(r"(\^|~=|~|===|==|!=|<=|>=|<|>|)\s*(v?\d[A-Za-z0-9.*+!_-]*|\*)", re.ASCII)


class NotTaken(Exception):
    """Why a requirement is passed over; reads on after a comma."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What is wanted of one package."""

    name: str
    """As indexes have it: small letters and single hyphens."""
    extras: tuple[str, ...]
    text: str
    """The whole line, safe to stand in a file of requirements."""


def read_requirement(text: str) -> Requirement:
    """One requirement as pyproject.toml and requirements.txt have it; raises NotTaken."""
    if len(text) > LONGEST:
        raise NotTaken("it is too long")
    hashes = [match["hash"] for match in _HASH.finditer(text)]
    match = _REQUIREMENT.fullmatch(_HASH.sub("", text).strip())
    if match is None:
        if "@" in text.split(";")[0] or "://" in text:
            raise NotTaken("it names an address of its own, and where packages come from is for you to say")
        raise NotTaken("it is not a requirement that can be read")
    extras = tuple(normal(extra) for extra in re.split(r"[,\s]+", match["extras"] or "") if extra)
    versions = re.sub(r"\s+", "", match["versions"] or match["grouped"] or "")
    line = match["name"] + (f"[{','.join(extras)}]" if extras else "") + versions
    if marker := (match["marker"] or "").strip():
        line += f" ; {marker}"
    return Requirement(normal(match["name"]), extras, " ".join([line, *(f"--hash={one}" for one in hashes)]))


def read_poetry(name: str, wanted: object) -> list[Requirement]:
    """One entry of a Poetry table: a version, a table, or several of them for different systems."""
    found = []
    for one in wanted if isinstance(wanted, list) else [wanted]:
        told = {"version": one} if isinstance(one, str) else one
        if not isinstance(told, Mapping):
            raise NotTaken("it is not a requirement that can be read")
        if {"path", "git", "url", "file"} & told.keys():
            raise NotTaken("it names an address of its own, and where packages come from is for you to say")
        extras = told.get("extras", [])
        markers = _python_marker(pep440(str(told["python"]))) if "python" in told else []
        markers += [f"({told['markers']})"] if told.get("markers") else []
        line = name + (f"[{','.join(map(str, extras))}]" if isinstance(extras, list) and extras else "")
        line += ",".join(pep440(str(told.get("version", "*"))))
        found.append(read_requirement(line + (f" ; {' and '.join(markers)}" if markers else "")))
    return found


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pep440(text: str) -> list[str]:
    """Poetry's `^1.2`, `~1.2` and `1.2` in the words of the standard; alternatives become no limit at all."""
    parts = [] if "|" in text else _POETRY.findall(text)
    found: list[str] = []
    for operator, version in parts:
        version = version.removeprefix("v")
        if version == "*":
            continue
        if operator in ("^", "~"):
            found += [f">={version}", f"<{_upper(operator, version)}"]
        else:
            found.append(f"{operator or '=='}{version}")
    return found


def _upper(operator: str, version: str) -> str:
    """The first version that is too new."""
    numbers = [int(number) for number in re.match(r"[\d.]*", version)[0].split(".") if number]  # type: ignore[index]
    if operator == "~":
        at = min(1, len(numbers) - 1)
    else:
        # The first number that is not zero may not change.
        at = next((n for n, number in enumerate(numbers) if number), len(numbers) - 1)
    return ".".join(map(str, [*numbers[:at], numbers[at] + 1]))


def _python_marker(versions: list[str]) -> list[str]:
    split = (re.fullmatch(r"([^\d]+)(.+)", version) for version in versions)
    return [f"python_full_version {match[1]} '{match[2]}'" for match in split if match]
