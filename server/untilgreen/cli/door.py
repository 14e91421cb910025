"""One command from its flags to its exit code: settings, engine, signals, output."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import os
import signal
import sys
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from untilgreen.choosing import WHOLE
from untilgreen.cli import contract, past
from untilgreen.cli.screen import Screen
from untilgreen.cli.sending import sending_object, sending_text
from untilgreen.desk import DiskDesk
from untilgreen.engine import Engine
from untilgreen.errors import EditedSince, UntilgreenError, UsageError
from untilgreen.events import BoxOpened
from untilgreen.job import Job
from untilgreen.journal import Journal, default_folder
from untilgreen.ladder import NO_WISHES, Wishes
from untilgreen.model import Goal, Verdict
from untilgreen.models import Message, Tool
from untilgreen.settings import user_settings
from untilgreen.solve.findings import chosen, held_back


@dataclass(frozen=True, slots=True)
class Options:
    """What every command takes."""

    root: Path
    json: bool
    verbose: bool
    flags: dict[str, Any]


class Door:
    """Use as `with Door(options) as door`: an error becomes one clear line and an exit code."""

    def __init__(self, options: Options) -> None:
        self._options = options
        self.root = options.root.resolve()
        self.screen = Screen(quiet=options.json, verbose=options.verbose)
        self._signal = 0
        self._sandbox = ""
        self._held_back = False

    def __enter__(self) -> Door:
        # A diff keeps bytes that are no text; they leave as they came.
        sys.stdout.reconfigure(errors="surrogateescape")  # type: ignore[union-attr]
        try:
            if not self.root.is_dir():
                raise UsageError(f"{self.root} is not a folder; name your project's folder with --root.")
            self._prepare()
        except UntilgreenError as error:
            self._fail(error)
        return self

    def _prepare(self) -> None:
        settings, problems = user_settings(os.environ, self._options.flags)
        for problem in problems:
            # A wrong flag was meant for this very command; a wrong line elsewhere must not stop it.
            if not problem.startswith(("configuration file", "environment")):
                raise UsageError(problem.replace("; it was ignored", ""))
            self.screen.warn(problem)
        journal = Journal(default_folder(os.environ))
        self._desk = DiskDesk(self.root, journal.intents)
        self._engine = Engine(settings, journal)
        for told in self._engine.recovered:
            self.screen.warn(told)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, UntilgreenError):
            self._fail(error)

    def ids(self, names: list[str]) -> tuple[str, ...]:
        """Test ids relative to the root, from what a person typed in the current folder."""
        return tuple(self._relative(name) for name in names)

    def test(self, goal: Goal) -> NoReturn:
        self._run(self._test(goal))

    def solve(self, goal: Goal, *, apply: bool, accept: bool, wishes: Wishes) -> NoReturn:
        self._run(self._solve(goal, apply=apply, accept=accept, wishes=wishes))

    def watch(self, goal: Goal, mode: str | None, *, once: bool) -> NoReturn:
        from untilgreen.cli.watch import watch_here

        raise SystemExit(
            asyncio.run(watch_here(self._engine, self._desk, goal, mode, once=once, json=self._options.json))
        )

    def show_prompt(self, goal: Goal) -> NoReturn:
        """What a model would be sent first; the tests run once for it, and nothing leaves the machine."""
        sent: list[tuple[tuple[Message, ...], tuple[Tool, ...]]] = []

        async def look() -> Verdict:
            wishes = Wishes(preview=lambda messages, tools: sent.append((messages, tools)))
            async with self._engine:
                cause = "untilgreen solve --show-prompt"
                return await self._follow(self._engine.solve(goal, self._desk, cause, wishes))

        verdict = asyncio.run(look())
        if sent:
            self.screen.say(sending_text(*sent[0]))
            self._print(sending_object(*sent[0]))
            raise SystemExit(0)
        why = f"Nothing would be sent to a model. {verdict.reason}"
        self.screen.say(why)
        self._print({"schema": contract.SCHEMA, "messages": [], "tools": [], "reason": why})
        self._leave(verdict)

    def demo(self, goal: Goal, *, apply: bool) -> NoReturn:
        async def both() -> Verdict:
            tested = await self._test(goal, silent=True)
            if tested.kind == "stopped":
                return tested
            verdict = await self._solve(goal, apply=True)
            if verdict.kind == "green" and not apply:
                undone = await self._engine.undo(goal.root, self._desk)
                self.screen.say(
                    f"Undone, to show that it can be: {len(undone.paths)} files are as they were."
                )
            return verdict

        self._run(both())

    def _run(self, work: Coroutine[None, None, Verdict]) -> NoReturn:
        async def closing() -> Verdict:
            async with self._engine:
                return await work

        self._leave(asyncio.run(closing()))

    async def _test(self, goal: Goal, *, silent: bool = False) -> Verdict:
        verdict = await self._follow(self._engine.test(goal, self._desk, "untilgreen test"))
        self.screen.table(verdict, only_red=silent)
        if not silent:
            self._print(contract.test_object(verdict, self._sandbox))
        return verdict

    async def _solve(
        self, goal: Goal, *, apply: bool, accept: bool = False, wishes: Wishes = NO_WISHES
    ) -> Verdict:
        job = self._engine.solve(goal, self._desk, "untilgreen solve", wishes)
        verdict = chosen(await self._follow(job), self._engine.settings.findings)
        self.screen.verdict(verdict)
        if apply and verdict.kind == "green":
            verdict = await self._apply(job, verdict, accept=accept)
        elif verdict.kind == "green":
            self.screen.say("Nothing was written; use --apply to write it.")
        self._print(contract.solve_object(job, verdict, self._sandbox))
        return verdict

    async def _apply(self, job: Job, verdict: Verdict, *, accept: bool) -> Verdict:
        """Write a fix, unless something in it needs eyes; with edits of the user's beside it, it is another
        one now, and is looked at like the first."""
        why = self._why_not(verdict, accept=accept)
        if not why:
            fix = await self._engine.prove(job, self._desk, WHOLE, self.screen.show)
            if fix.verdict.patch != verdict.patch:
                verdict = chosen(fix.verdict, self._engine.settings.findings)
                self.screen.verdict(verdict)
                why = self._why_not(verdict, accept=accept)
        if why:
            self.screen.warn(why)
            self._held_back = True
            return dataclasses.replace(verdict, reason=f"{verdict.reason} {why}")
        self.screen.applied(await self._engine.write(job, self._desk, fix), job.id)
        return verdict

    def _why_not(self, verdict: Verdict, *, accept: bool) -> str:
        """Why a fix is not written, in a sentence. To be told less of a part of the suite proves no more."""
        settings = self._engine.settings
        if why := held_back(verdict, settings.findings, accepted=accept):
            return why
        if verdict.scope != "full" and settings.scope != "affected" and not accept:
            return (
                "Nothing was written: only a part of the tests was run again; use --scope affected, or "
                "--apply --accept-findings, to write it anyway."
            )
        return ""

    def undo(self, job: str | None, *, force: bool) -> None:
        work = self._engine.undo(self.root, self._desk, job, force=force, cause="untilgreen undo")
        undone = asyncio.run(work)
        self.screen.say(
            f"Undone: {', '.join(undone.paths)}. Take that back with: untilgreen undo {undone.by}"
        )
        told = {"undone": list(undone.paths), "undoes": undone.undoes, "job": undone.by}
        self._print({"schema": contract.SCHEMA, **told})

    def history(self, job: str | None, *, most: int) -> None:
        if job is None:
            jobs = self._engine.history(self.root, most)
            self.screen.print(past.jobs_table(jobs) if jobs else f"No job has run in {self.root} yet.")
            self._print(past.jobs_object(jobs))
        else:
            summary, steps = self._engine.summary(self.root, job), self._engine.timeline(job)
            self.screen.print(past.job_story(summary, steps))
            self._print(past.job_object(summary, steps))

    def check_again(self, job: str) -> NoReturn:
        self._run(self._check_again(job))

    async def _check_again(self, job: str) -> Verdict:
        summary = self._engine.summary(self.root, job)
        cause = f"untilgreen history {job} --verify"
        verdict = await self._follow(self._engine.check_again(self.root, self._desk, job, cause))
        self.screen.say(verdict.reason)
        self._print(past.checked_object(summary, verdict, self._sandbox))
        return verdict

    def doctor(self, *, images: bool) -> NoReturn:
        from untilgreen.doctor import diagnose

        diagnosis = asyncio.run(diagnose(self.root, self._engine.settings, os.environ))
        self.screen.diagnosis(diagnosis, images=images)
        self._print(contract.doctor_object(diagnosis, images=images))
        raise SystemExit(0 if diagnosis.can_solve else 3)

    def clean(self, *, everything: bool) -> None:
        removed = self._engine.clean(everything=everything)
        self.screen.say(f"Removed: {', '.join(removed)}" if removed else "There was nothing to remove.")
        self._print({"schema": contract.SCHEMA, "removed": list(removed)})

    async def _follow(self, job: Job) -> Verdict:
        """Show the job's events; Ctrl-C and SIGTERM stop it in order."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError):
                loop.add_signal_handler(number, self._stop, job, number)
        with self.screen.live():
            async for event in job.events():
                if isinstance(event, BoxOpened):
                    self._sandbox = event.backend
                self.screen.show(event)
        return await job.wait()

    def _stop(self, job: Job, number: int) -> None:
        self._signal = number
        job.stop()

    def _leave(self, verdict: Verdict) -> NoReturn:
        if verdict.kind == "stopped" and self._signal == signal.SIGTERM:
            raise SystemExit(contract.TERMINATED)
        code = contract.exit_code(verdict, self._engine.settings.scope)
        raise SystemExit(contract.HELD_BACK if self._held_back else code)

    def _fail(self, error: UntilgreenError) -> NoReturn:
        told = contract.error_object(str(error), error.exit_code)
        if isinstance(error, EditedSince):
            self.screen.would_be_lost(error.lost)
            told["lost"] = error.lost
        self.screen.error(str(error))
        self._print(told)
        raise SystemExit(error.exit_code)

    def _print(self, value: dict[str, Any]) -> None:
        if self._options.json:
            sys.stdout.write(json.dumps(value) + "\n")
            sys.stdout.flush()

    def _relative(self, name: str) -> str:
        path, separator, rest = name.partition("::")
        for base in (Path.cwd(), self.root):
            full = Path(os.path.normpath(base / path))
            if full.exists() and full.is_relative_to(self.root):
                return full.relative_to(self.root).as_posix() + separator + rest
        raise UsageError(f"{path} does not exist in {self.root}.")
