"""The terminal door."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SELDOM = 20_000
"""How many more objects there may be before rings are looked for: trees of code come and go in thousands."""


def main() -> None:
    """Where `untilgreen` begins. An editor's server starts without the terminal's libraries."""
    if sys.argv[1:2] == ["serve"]:
        with _lasting():
            from untilgreen.cli.serving import serve_from_arguments

        serve_from_arguments(sys.argv[2:])
    else:
        with _lasting():
            from untilgreen.cli.app import app

        app()


@contextmanager
def _lasting() -> Iterator[None]:
    """What is imported stays to the end: nobody has to look again and again whether it may go."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(SELDOM)
        gc.enable()
