"""The commands, one function each. They return at once; what takes time is a job or a task with an owner."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams

# Imported for real: pygls reads the annotations of commands when it is running.
from untilgreen.errors import UntilgreenError
from untilgreen.lsp import ext
from untilgreen.lsp.folders import path_of, uri_of
from untilgreen.lsp.server import Server

if TYPE_CHECKING:
    from untilgreen.model import Goal


def register(server: Server) -> None:
    """Tell pygls who carries out what."""
    table: dict[str, Callable[..., Any]] = {
        ext.TEST: on_test,
        ext.SOLVE: on_solve,
        ext.STOP: on_stop,
        ext.APPLY: on_apply,
        ext.DISCARD: on_discard,
        ext.REVIEW: on_review,
        ext.UNDO: on_undo,
        ext.HISTORY: on_history,
        ext.DOCTOR: on_doctor,
        ext.WATCH: on_watch,
    }
    for name, handler in table.items():
        server.command(name)(handler)


def without_arguments(ls: Server, command: str) -> tuple[dict[str, str], ...]:
    """What a command means that comes by its name alone, as from an editor's list of commands: the only
    folder, the only fix that waits. Nothing when there is more to choose from; then it is refused."""
    if command == ext.STOP:
        return ({},)
    if command in (ext.APPLY, ext.DISCARD, ext.REVIEW):
        jobs = [fix["job"] for fix in ls.fixes.kept.all_waiting()]
        return ({"job": jobs[0]},) if len(jobs) == 1 else ()
    roots = ls.documents.roots()
    return ({"uri": uri_of(roots[0])},) if len(roots) == 1 else ()


def on_test(ls: Server, arguments: ext.RunArguments) -> ext.Started:
    return ls.jobs.start("test", _goal(ls, arguments.uri, arguments.tests), cause=ext.TEST)


def on_solve(ls: Server, arguments: ext.SolveArguments) -> ext.Started:
    goal = _goal(ls, arguments.uri, arguments.tests, arguments.note)
    return ls.jobs.start("solve", goal, cause=ext.SOLVE)


def on_stop(ls: Server, arguments: ext.StopArguments) -> bool:
    stopped = [ls.jobs.stop(arguments.job), ls.watches.stop(arguments.job)]
    found = any([*stopped, ls.engine.proving.stop(arguments.job)])
    if not found:
        _answer(ls, "Nothing is running.")
    return found


def on_apply(ls: Server, arguments: ext.ApplyArguments) -> ext.Started:
    from untilgreen.choosing import Choice

    def begin() -> None:
        ls.fixes.kept.find(arguments.job)
        choice = Choice(arguments.rival, arguments.files)
        work = ls.fixes.taken(arguments.job) if arguments.taken else ls.fixes.apply(arguments.job, choice)
        ls.jobs.spawn(work, name=f"apply {arguments.job}")

    return _started(ls, arguments.job, begin)


def on_discard(ls: Server, arguments: ext.DiscardArguments) -> ext.Started:
    return _started(ls, arguments.job, lambda: ls.fixes.discard(arguments.job))


def on_review(ls: Server, arguments: ext.ReviewArguments) -> ext.Reviewed:
    """The answer has all of it; an editor without an extension of ours is shown it, too."""
    wanted = (arguments.job, arguments.rival, arguments.attempt)
    try:
        reviewed = ls.reviews.review(*wanted)
    except UntilgreenError as error:
        _answer(ls, str(error))
        return {"job": None, "reason": str(error)}
    if not ls.can.events:
        # The editor may answer when somebody has looked, or never.
        ls.jobs.spawn(ls.reviews.show(*wanted), name=f"review {arguments.job}", asks=True)
    return reviewed


def on_undo(ls: Server, arguments: ext.UndoArguments) -> ext.Started:
    """An undo is a job of its own, and can be undone by its name."""
    from untilgreen.journal import new_job_id

    by = new_job_id()
    work = ls.fixes.undo(_root(ls, arguments.uri), arguments.job, arguments.force, by)
    ls.jobs.spawn(work, name="undo")
    return {"job": by}


async def on_history(ls: Server, arguments: ext.HistoryArguments) -> list[dict[str, Any]]:
    if arguments.job is not None and arguments.events:
        return await asyncio.to_thread(ls.engine.events, arguments.job)
    if arguments.job is not None:
        steps = await asyncio.to_thread(ls.engine.timeline, arguments.job)
        return [asdict(step) for step in steps]
    root = _root(ls, arguments.uri)
    jobs = await asyncio.to_thread(ls.engine.history, root, max(1, min(arguments.most, 200)))
    told = [f"{job.job}: {job.kind} {job.verdict or ''} {job.reason}".rstrip() for job in jobs]
    if not ls.can.events:
        ls.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, "\n".join(told)))
    _answer(ls, "The last jobs are in the server's log." if told else "Nothing was done here yet.")
    # Outcomes of thousands of tests are for whoever looks at one job.
    return [{name: value for name, value in asdict(job).items() if name != "outcomes"} for job in jobs]


async def on_doctor(ls: Server, arguments: ext.DoctorArguments) -> dict[str, Any]:
    from untilgreen.doctor import diagnose

    root = _root(ls, arguments.uri)
    diagnosis = await diagnose(root, ls.settings_of(root), os.environ)
    lines = [
        f"{check.name}: {check.state}. {check.detail}" + (f" Remedy: {check.remedy}" if check.remedy else "")
        for check in diagnosis.checks
    ]
    ls.window_log_message(lsp.LogMessageParams(lsp.MessageType.Info, "\n".join(lines)))
    said = "Everything is here that a solve needs." if diagnosis.can_solve else "Something is missing."
    level = lsp.MessageType.Info if diagnosis.can_solve else lsp.MessageType.Warning
    _answer(ls, " ".join([said, *(line for line in lines if ": good." not in line)]), level)
    return {"canSolve": diagnosis.can_solve, "checks": [asdict(check) for check in diagnosis.checks]}


def on_watch(ls: Server, arguments: ext.WatchArguments) -> ext.Watching:
    root = _root(ls, arguments.uri)
    if arguments.mode is None:
        watching = ls.watches.ask(root)
    elif why := ls.documents.no_project(root):
        watching = {**ls.watches.ask(root), "reason": why}
    else:
        watching = ls.watches.switch(root, arguments.mode)
    _answer(ls, f"Watch mode: {watching['mode']}. {watching.get('reason', '')}".rstrip())
    return watching


def _answer(ls: Server, said: str, level: lsp.MessageType = lsp.MessageType.Info) -> None:
    """An extension shows what a command answers; where there is none, nobody else would."""
    if ls.listening and not ls.can.events:
        ls.say(said, level)


def _started(ls: Server, job: str, begin: Callable[[], object]) -> ext.Started:
    try:
        begin()
    except UntilgreenError as error:
        _answer(ls, str(error))
        return {"job": None, "reason": str(error)}
    return {"job": job}


def _goal(ls: Server, uri: str, tests: tuple[str, ...], note: str = "") -> Goal:
    from untilgreen.model import Goal

    return Goal(_root(ls, uri), tests, note)


def _root(ls: Server, uri: str) -> Path:
    path = path_of(uri)
    if path is None:
        raise JsonRpcInvalidParams(f"{uri} is not a file on this machine")
    return ls.documents.root_of(path)
