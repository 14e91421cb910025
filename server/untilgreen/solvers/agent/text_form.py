"""Edits and tool calls that a model writes as plain text; everything around them is ignored. Pure."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator

from untilgreen.solvers.agent.requests import Asked, EditFile, Mistake, Request
from untilgreen.solvers.agent.tools import NAMES, understood, understood_value
from untilgreen.trees import tree_of

_BEGIN = re.compile(r"^\s*<{5,9} ?SEARCH\b.*$")
_MIDDLE = re.compile(r"^\s*={5,9}\s*$")
_END = re.compile(r"^\s*>{5,9} ?REPLACE\b.*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_LABEL = re.compile(r"^(?:#+\s*)?(?:(?:file|path|filename)\s*:\s*)?", re.IGNORECASE)
_FUNCTION = re.compile(r"<function=(\w+)>(.*?)</function>", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=(\w+)>\n?(.*?)\n?</parameter>", re.DOTALL)
_CALL = re.compile(rf"^\s*(?:{'|'.join(NAMES)})\(", re.MULTILINE)
MOST_REQUESTS = 40
MOST_OBJECTS = 400


def requests_in(text: str) -> tuple[Asked, ...]:
    """All that is asked for, edits first: they belong together."""
    edits, rest = _blocks(text.replace("\r\n", "\n"))
    found = [*edits, *_calls(rest)]
    return tuple(Asked(request) for request in found[:MOST_REQUESTS])


def unfenced(text: str) -> str:
    """Code without the markdown fence that some models put around it."""
    lines = text.strip("\n").split("\n")
    if len(lines) > 1 and _FENCE.match(lines[0]) and lines[-1].strip() in ("```", "~~~"):
        return "\n".join(lines[1:-1]) + "\n"
    return text


def prose(text: str) -> str:
    """What is left for people when blocks, calls and fences are taken out."""
    _, rest = _blocks(text.replace("\r\n", "\n"))
    rest = re.sub(r"```.*?(```|\Z)", "", _FUNCTION.sub("", rest), flags=re.DOTALL)
    rest = re.sub(r"<tool_call>.*?(</tool_call>|\Z)", "", rest, flags=re.DOTALL)
    rest = re.sub(r"<think(?:ing)?>.*?(</think(?:ing)?>|\Z)", "", rest, flags=re.DOTALL)
    return "\n".join(line.strip() for line in rest.split("\n") if line.strip())


def _blocks(text: str) -> tuple[list[Request], str]:
    """The SEARCH/REPLACE blocks, and the text without them."""
    lines, around = text.split("\n"), []
    found: list[Request] = []
    path, n, last_end = "", 0, -1
    while n < len(lines):
        if not _BEGIN.match(lines[n]):
            around.append(lines[n])
            n += 1
            continue
        named = _path_before(lines[last_end + 1 : n])
        path = named if named is not None else path
        middle = next((m for m in range(n + 1, len(lines)) if _MIDDLE.match(lines[m])), None)
        end = next((m for m in range((middle or n) + 1, len(lines)) if _END.match(lines[m])), None)
        if middle is None or end is None:
            found.append(
                Mistake("A block is not complete: it ends with a line >>>>>>> REPLACE.", of_edit=True)
            )
            break
        if not path:
            found.append(
                Mistake("Before each block there is a line with just the path of its file.", of_edit=True)
            )
        else:
            found.append(EditFile(path, _part(lines[n + 1 : middle]), _part(lines[middle + 1 : end])))
        last_end, n = end, end + 1
    return found, "\n".join(around)


def _part(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _path_before(lines: list[str]) -> str | None:
    """The file that is named just before a block; None when nothing at all stands there."""
    for line in reversed(lines):
        if _FENCE.match(line):
            # ```python src/shop.py
            words = line.strip().strip("`~").split()
            if words and _looks_like_path(words[-1]):
                return words[-1]
            continue
        if line.strip():
            name = _LABEL.sub("", line.strip().strip("*")).strip().rstrip(":").strip("`*\"' ")
            return name if _looks_like_path(name) else ""
    return None


def _looks_like_path(name: str) -> bool:
    return (
        bool(name) and len(name) < 400 and ("/" in name or "." in name) and not name.endswith((".", " ", ","))
    )


def _calls(text: str) -> Iterator[Request]:
    """Tool calls as JSON objects, in tags, or as they would be written in Python."""
    for found in _FUNCTION.finditer(text):
        arguments = dict(_PARAMETER.findall(found[2]))
        yield (
            understood_value(found[1], arguments)
            if arguments and found[1] in NAMES
            else understood(found[1], found[2].strip())
        )
    text = _FUNCTION.sub("", text)
    decoder, at, tried = json.JSONDecoder(strict=False), text.find("{"), 0
    while at >= 0 and tried < MOST_OBJECTS:
        tried += 1
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = at + 1
        else:
            if (request := _from_object(value)) is not None:
                yield request
                text = text[:at] + " " * (end - at) + text[end:]
            elif not isinstance(value, dict) or not value:
                end = at + 1
        at = text.find("{", end)
    for found in _CALL.finditer(text):
        if (request := _from_python(text, found.start())) is not None:
            yield request


def _from_object(value: object) -> Request | None:
    if not isinstance(value, dict):
        return None
    inner = value.get("function")
    if isinstance(inner, dict):
        value = inner
    name = next((value[key] for key in ("name", "tool", "tool_name", "function") if key in value), None)
    if not isinstance(name, str) or name not in NAMES:
        return None
    given = next((value[key] for key in ("arguments", "parameters", "args", "input") if key in value), None)
    if given is None:
        given = {
            key: item for key, item in value.items() if key not in ("name", "tool", "tool_name", "function")
        }
    return understood(name, given) if isinstance(given, str) else understood_value(name, given)


def _from_python(text: str, start: int) -> Request | None:
    """`read_file("shop.py", start=3)`; the shortest piece that is whole Python."""
    start += len(text[start:]) - len(text[start:].lstrip())
    end = text.find(")", start)
    for _ in range(20):
        if end < 0:
            return None
        try:
            call = tree_of(text[start : end + 1], "eval").body
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name):
                return _from_call(call.func.id, call)
            return None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            end = text.find(")", end + 1)
    return None


def _from_call(name: str, call: ast.Call) -> Request | None:
    order = {"edit_file": ("path", "old", "new"), "write_file": ("path", "content"), "list_files": ("glob",)}
    order |= {"read_file": ("path", "start", "end"), "search": ("pattern", "glob")}
    order |= {"run_tests": ("ids",), "give_up": ("reason",)}
    try:
        given = {key: ast.literal_eval(value) for key, value in zip(order[name], call.args, strict=False)}
        given |= {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
    except (ValueError, TypeError, RecursionError, MemoryError):
        return None
    return understood_value(name, given)
