"""Calls functions with recorded arguments and prints what they do: `python replaying.py RECORDED SEED`.

After each recorded call come some with arguments that were changed a little: there the tests never were.
"""

from __future__ import annotations

import importlib
import inspect
import json
import pickle
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repair.told import told

VARIANTS = 6


def main() -> None:
    recorded, seed = sys.argv[1:]
    for key, calls in sorted(json.loads(Path(recorded).read_text()).items()):
        path, name = key.split("\n")
        function = _function(path, name)
        chance = random.Random(f"{seed} {key}")
        for call in calls:
            print(_shown(told(_done, function, *_arguments(call))))
            for _ in range(VARIANTS):
                said = told(_done, function, *_varied(call, chance.getrandbits(64)))
                # Nobody promised which error a wrong argument gives.
                print("raised" if said.startswith("raised") else _shown(said))


def _shown(said: str) -> str:
    return said.replace("\n", "\\n")


def _function(path: str, name: str) -> Callable[..., Any]:
    parts = list(Path(path.removeprefix("src/")).with_suffix("").parts)
    found: Any = importlib.import_module(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    for part in name.split("."):
        found = inspect.getattr_static(found, part)
    found = getattr(found, "fget", None) or getattr(found, "__func__", found)
    return inspect.unwrap(found)  # type: ignore[no-any-return]


def _arguments(call: str) -> tuple[list[Any], dict[str, Any]]:
    positional, named = pickle.loads(bytes.fromhex(call))
    return positional, named


def _varied(call: str, state: int) -> tuple[list[Any], dict[str, Any]]:
    chance = random.Random(state)
    positional, named = _arguments(call)
    for _ in range(chance.randint(1, 3) if positional else 0):
        n = chance.randrange(len(positional))
        positional[n] = _other(positional[n], chance)
    return positional, named


def _other(value: Any, chance: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return chance.choice([value + 1, value - 1, -value, 0])
    if isinstance(value, str | bytes):
        cut = chance.randint(0, len(value))
        return chance.choice([value[:cut], value[cut:], value + value[:cut], value.swapcase()])
    if isinstance(value, list | tuple) and value:
        items = list(value)
        n = chance.randrange(len(items))
        deed = chance.randrange(3)
        if deed == 0:
            del items[n]
        elif deed == 1:
            items.append(items[n])
        else:
            items[n] = _other(items[n], chance)
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict) and value:
        key = chance.choice(list(value))
        return {name: _other(part, chance) if name == key else part for name, part in value.items()}
    return value


def _done(function: Callable[..., Any], positional: list[Any], named: dict[str, Any]) -> Any:
    """The result, and what became of the arguments."""
    result = function(*positional, **named)
    return result if not any(isinstance(part, list | dict) for part in positional) else [result, positional]


if __name__ == "__main__":
    main()
