"""`untilgreen serve`, without typer and rich: an editor waits for it."""

from __future__ import annotations

import argparse

from untilgreen.errors import UntilgreenError


def serve_from_arguments(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser("untilgreen serve", description="The language server, over stdio.")
    parser.add_argument("--stdio", action="store_true", help="what it does anyway; some editors say it")
    parser.add_argument("--tcp", metavar="HOST:PORT", help="serve one editor of this machine over TCP")
    options = parser.parse_args(arguments)
    from untilgreen.lsp.server import serve

    try:
        serve(_address(parser, options.tcp) if options.tcp else None)
    except UntilgreenError as error:
        parser.error(str(error))


def _address(parser: argparse.ArgumentParser, text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65535:
        parser.error(f"{text!r} is not HOST:PORT")
    return host.strip("[]"), int(port)
