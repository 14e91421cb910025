"""The terminal door."""

from __future__ import annotations

import sys


def main() -> None:
    """Where `untilgreen` begins. An editor's server starts without the terminal's libraries."""
    if sys.argv[1:2] == ["serve"]:
        from untilgreen.cli.serving import serve_from_arguments

        serve_from_arguments(sys.argv[2:])
    else:
        from untilgreen.cli.app import app

        app()
