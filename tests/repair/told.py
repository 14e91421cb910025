"""What a call does, as text that two versions of a program can be compared by."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any


def told(call: Callable[..., Any], *arguments: Any) -> str:
    """The value, or the exception and what it carries: the words of a message are nobody's to guess."""
    try:
        value = call(*arguments)
        if isinstance(value, Iterator):
            value = list(itertools.islice(value, 1000))
        return _shown(value)
    except Exception as error:
        kinds = [kind.__name__ for kind in type(error).__mro__ if kind not in (object, BaseException)]
        simple = (int, str, list)
        carried = {name: value for name, value in vars(error).items() if isinstance(value, simple)}
        return f"raised {' '.join(kinds)} {carried}"


def _shown(value: object) -> str:
    """Numbers without the last digits, which depend on the order of a sum."""
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(_shown, value))})"
    if value.__class__.__repr__ is object.__repr__:
        return type(value).__name__
    return repr(value)
