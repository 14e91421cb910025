"""Runs in the test process: keeps pytest from drawing and remembering what nobody will look at.

Each test is told as an event, and a run of short tests would spend a fifth of its time on dots, percentages
and lists for a next run, and more than that on a library that is imported to say that nobody used it. What
failed or was skipped is drawn as ever. Its source comes to that process in its request, so it imports nothing
of ours.
"""

from __future__ import annotations

import sys
from typing import Any, Callable

# They keep a list of all tests for `--last-failed` and `--new-first`, which no run of ours is asked for.
FOR_NEXT_TIME = ("lfplugin", "nfplugin")
HYPOTHESIS = "_hypothesis_pytestplugin"


def leave_out(config: Any) -> None:
    """Before the first test runs. Another pytest than those we know goes on drawing."""
    manager = config.pluginmanager
    for name in FOR_NEXT_TIME:
        if manager.has_plugin(name):
            manager.unregister(name=name)
    _replace(config, sys.modules.get(HYPOTHESIS), "pytest_terminal_summary", _if_used)
    terminal = manager.getplugin("terminalreporter")
    if not hasattr(terminal, "stats"):
        return
    _replace(config, terminal, "pytest_runtest_logstart", lambda _draw: lambda *_told: None)
    _replace(config, terminal, "pytest_runtest_logfinish", lambda _draw: lambda *_told: None)
    _replace(config, terminal, "pytest_runtest_logreport", lambda draw: _only_not_passed(terminal, draw))


def _only_not_passed(terminal: Any, draw: Callable[[Any], None]) -> Callable[[Any], None]:
    def logreport(report: Any) -> None:
        if report.outcome != "passed" or hasattr(report, "wasxfail"):
            draw(report)
        elif report.when == "call":
            # For the last line, which counts them.
            terminal.stats.setdefault("passed", []).append(report)

    return logreport


def _if_used(summary: Callable[..., None]) -> Callable[..., None]:
    return lambda *told: summary(*told) if "hypothesis" in sys.modules else None


def _replace(config: Any, plugin: Any, hook: str, other: Callable[[Any], Any]) -> None:
    for one in getattr(config.hook, hook).get_hookimpls():
        if one.plugin is plugin:
            one.function = other(one.function)
