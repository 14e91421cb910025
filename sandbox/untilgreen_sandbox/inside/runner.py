"""The program inside the box: reads requests on its standard input, answers on its standard output.

It never imports anything of the workspace. When it runs as root, tests run as another user and the tree
belongs to that user; it leaves when the host closes the channel, and the box ends with it.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
from collections.abc import Callable

from untilgreen_sandbox.inside import host, seccomp
from untilgreen_sandbox.inside.confine import Confinement, OtherUser, cpu_seconds, hide_this_process
from untilgreen_sandbox.inside.ending import Process, end_all_others, see_off
from untilgreen_sandbox.inside.host import HOST_IN, Files, HostGone, fields, files, names, text
from untilgreen_sandbox.inside.interpreter import Interpreter
from untilgreen_sandbox.inside.meter import Meter, oom_kills_here
from untilgreen_sandbox.inside.packed import Packed
from untilgreen_sandbox.inside.templates import (
    Arriving,
    Changed,
    Forked,
    Template,
    TemplateLost,
    Templates,
    found_by_looking,
)
from untilgreen_sandbox.inside.tree import Tree
from untilgreen_sandbox.inside.watchman import Capture, Deadlines, Started, Watch, watch
from untilgreen_sandbox.inside.workplace import SCRATCH, Workplace, empty_scratch_of

# Of a request: these come with each run, all else decides how far a template comes.
NOT_OF_TEMPLATES = ("ids", "tell_imports")


class Runner:
    """One conversation with the host."""

    def __init__(self, setup: dict[str, object], code: bytes) -> None:
        self.root = text(setup, "root")
        sources = {str(name): str(source) for name, source in fields(setup, "sources").items()}
        n_plain = int(str(setup["n_plain"]))
        packed = Packed(sources, text(setup, "magic"), (code[:n_plain], code[n_plain:]))
        self.interpreter = Interpreter(setup, packed)
        limits = fields(setup, "limits")
        grouped = setup["grouped"] is True
        self.confinement = Confinement(limits, grouped)
        self.output_limit = int(str(limits["output_kb"])) << 10
        self.meter = Meter(
            (int(str(limits["memory_mb"])) + int(str(limits["disk_mb"]))) << 20,
            int(str(limits["n_files"])),
            (self.root, *SCRATCH),
            grouped,
            self._as_tests,
        )
        mounts = setup.get("mounts")
        self.tree = Tree(self.root, tuple(str(item) for item in mounts) if isinstance(mounts, list) else ())
        self.place = Workplace(self.tree, self.interpreter.home, self._as_tests)
        self.templates = Templates()
        self.ahead: dict[str, object] = {}
        """What runs of the user's own code imported; the host says so when it knows more."""
        self.leaving: tuple[Forked, int, bool] | None = None
        """A run that was answered when it said that it ends: how it ends, and whether it is in doubt."""
        self.spoiled = False
        """True when something could not be undone; then this box is for nothing but the run under way."""

    def answer(self, message: dict[str, object], blob: bytes) -> dict[str, object]:
        if message["op"] == "put":
            changes = files(message, blob)
            self.templates.changed(self.place.changed(changes))
            self.place.put(changes)
            return {"op": "done"}
        if message["op"] == "run":
            # After the files comes what is to be evaluated, as the text that the test process will read.
            n_files = len(blob) - int(str(message["evaluation"]))
            message["evaluation"] = blob[n_files:].decode()
            return self._run(message, files(message, blob[:n_files]))
        raise ValueError("unknown request %r" % message["op"])

    def _run(self, message: dict[str, object], changes: Files) -> dict[str, object]:
        if message["ahead"] is not None:
            self.ahead = fields(message, "ahead")
        self.place.prepare()
        changed = self.place.changed(changes)
        key, why = "", ""
        if message["rung"] != "cold":
            key = _key(fields(message, "request"))
            why = self._warm_up(key, message, changed)
        self.place.lay(changes)
        before = oom_kills_here()
        rung, ended, forked = "cold", None, None
        template = self.templates.find(key, changed | Changed(names(message, "editable")))
        if template is not None:
            try:
                ended, forked = self._run_fork(template, message)
                rung, why = "checkpoint", template.where
            except TemplateLost:
                why = "the process to fork from was lost"
                self._lose(template)
                self.place.clean(None)
                self.place.prepare()
                self.place.lay(changes)
                host.send({"op": "again"})
        if ended is None:
            ended = self._run_cold(message)
        out_of_memory = ended.over == "memory" or oom_kills_here() > before
        for part, kept in (("head", ended.output.head), ("tail", ended.output.tail)):
            host.hold({"op": "output", "part": part}, bytes(kept))
        if forked is not None and ended.leaving:
            self.leaving = (forked, ended.status, out_of_memory)
        else:
            self.place.leave(doubtful=out_of_memory or ended.left_over)
        told = {"oom": out_of_memory, "clean": not self.spoiled, "rung": rung, "why": why}
        return {"op": "ended", **told, **_told(ended)}

    def tidy(self) -> bool:
        """After an answer, what nobody has to wait for; False when this box can be used no more."""
        if self.leaving is not None:
            (forked, status, doubtful), self.leaving = self.leaving, None
            try:
                as_told, left_over = see_off(forked, status, self.templates.pids)
            except TemplateLost:
                self._lose(forked.template)
                as_told, left_over = True, True
            if not as_told:
                return False
            self.place.leave(doubtful=doubtful or left_over)
        return self.place.tidy()

    def _lose(self, template: Template) -> None:
        """What it forked ahead ends with it, unless somebody stopped that, too."""
        self.templates.drop(template)
        end_all_others(self.templates.pids)

    def _warm_up(self, key: str, message: dict[str, object], changed: Changed) -> str:
        """Have a template for this run if there can be one; else the reason why there is none."""
        unseen = changed | Changed(names(message, "editable"))
        if self.templates.find(key, unseen) is not None:
            return ""
        if not unseen.paths and message["rung"] != "checkpoint":
            return "nothing is changed, and no process waits"
        if any(found_by_looking(path, self.tree.folders) for path in changed.moved):
            return "files come or go that code may look for"
        reason = self.templates.refusal(key, unseen)
        if reason:
            return reason
        modules = names(self.ahead, "modules")
        reason = self._add_template(key, message, unseen, modules)
        if reason and modules:
            # What it imported ahead may be what is in the way.
            reason = self._add_template(key, message, unseen, [])
        if reason:
            self.templates.refuse(key, unseen, reason)
        return reason

    def _add_template(self, key: str, message: dict[str, object], unseen: Changed, modules: list[str]) -> str:
        told: dict[str, object] = {
            "user": self.confinement.uid if os.getuid() == 0 else os.getuid(),
            "ahead": {"modules": modules, **self._files_ahead(unseen)},
            **self.tree.lookups(unseen.paths, unseen.moved),
        }

        def start(control: int, status: int, events: int, output: int, leaving: int) -> int:
            checkpoint = {**told, "control": control, "status": status, "leaving": leaving}
            enter = self.confinement.enter_template
            pipes = (events, control, status, leaving)
            return self._start_pytest(message, checkpoint, pipes, output, enter)

        template = Template(unseen, start)
        captured = Capture(self.output_limit)
        self.place.forget_touches()
        seconds, begun = float(str(message["seconds"])), time.monotonic()
        try:
            ended = self._watch(Arriving(template), seconds, captured, template.pid)
            reason = "" if ended.how == "exited" and not ended.over else "it did not come so far"
            if not reason and ended.left_over:
                reason = "it started processes"
        except TemplateLost as error:
            late = time.monotonic() - begun >= seconds
            reason = str(error) or ("it did not come so far in time" if late else "it ended on its way")
        touched = self.place.touched()
        if not reason and touched is not None and not touched.nothing:
            reason = "it changed files"
        if reason:
            template.end()
            # What it made is its own; only then what is left is for the tests' user to remove.
            empty_scratch_of(self.confinement.template_uid if os.getuid() == 0 else None)
            self.spoiled = self.spoiled or not self.place.clean(None)
            self.place.prepare()
            return reason
        template.printed = bytes(captured.head + captured.tail)
        self.templates.keep(key, template)
        return ""

    def _files_ahead(self, unseen: Changed) -> dict[str, list[str]]:
        """Files that a template may look at: what runs change is none of its business."""
        told = {kind: names(self.ahead, kind) for kind in ("plain", "rewritten")}
        return {
            kind: [os.path.join(self.root, path) for path in paths if path not in unseen.paths]
            for kind, paths in told.items()
        }

    def _run_fork(self, template: Template, message: dict[str, object]) -> tuple[Watch, Forked]:
        seconds = float(str(message["seconds"]))
        captured = Capture(self.output_limit)
        captured.feed(template.printed)
        ids = fields(message, "request")["ids"]
        # Of the user's own code one may learn; of a candidate nothing.
        rehearsal = not message["files"] and not message["evaluation"]
        told = {"ids": ids, "evaluation": message["evaluation"], "cpu": cpu_seconds(seconds)}
        forked = template.fork({**told, "rehearsal": rehearsal, "shared": message["shared"]})
        return self._watch(forked, seconds, captured, one_test=float(str(message["one_test"]))), forked

    def _run_cold(self, message: dict[str, object]) -> Watch:
        seconds = float(str(message["seconds"]))

        def start(events: int, output: int) -> int:
            return self._start_pytest(
                message, None, (events,), output, lambda: self.confinement.enter(seconds)
            )

        process = Started(start)
        one_test = float(str(message["one_test"]))
        return self._watch(process, seconds, Capture(self.output_limit), one_test=one_test)

    def _watch(
        self, process: Process, seconds: float, output: Capture, also: int = 0, one_test: float = math.inf
    ) -> Watch:
        arriving = isinstance(process, Arriving)
        ended = watch(
            process,
            Deadlines(seconds, one_test),
            output,
            HOST_IN,
            (lambda data: None) if arriving else (lambda data: host.send({"op": "events"}, data)),
            self.meter,
            [*self.templates.pids, also],
        )
        if ended.how == "hangup":
            raise HostGone
        if not arriving:
            host.hold({"op": "events"}, ended.last_events)
        return ended

    def _start_pytest(
        self,
        message: dict[str, object],
        checkpoint: dict[str, object] | None,
        pipes: tuple[int, ...],
        output: int,
        enter: Callable[[], None],
    ) -> int:
        told = {**fields(message, "request"), "checkpoint": checkpoint}
        told["evaluation"] = "" if checkpoint else message["evaluation"]
        return self.interpreter.start(told, pipes, output, enter)

    def _as_tests(self) -> OtherUser:
        return OtherUser(self.confinement.uid if os.getuid() == 0 else None)


def main() -> None:
    hide_this_process()
    # What tests may not call, their watcher never needs; engines' own profiles differ, this one is the same.
    seccomp.install()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.umask(0o022)
    try:
        version = list(sys.version_info[:2])
        host.send({"op": "hello", "version": version, "uid": os.getuid(), "pid": os.getpid()})
        runner = Runner(*host.receive())
        host.send({"op": "ready"})
        while True:
            message, blob = host.receive(runner.templates.end)
            try:
                reply = runner.answer(message, blob)
            except (OSError, ValueError, KeyError, TypeError) as error:
                reply = {"op": "error", "text": "%s: %s" % (type(error).__name__, error)}
            host.send(reply)
            if not runner.tidy():
                # Whoever asks next finds this box gone, and takes another.
                runner.templates.end()
                break
    except (HostGone, BrokenPipeError):
        pass
    os._exit(0)


def _told(ended: Watch) -> dict[str, object]:
    return {
        "how": ended.how,
        "status": ended.status,
        "seconds": round(ended.seconds, 4),
        "over": ended.over,
        "dropped": ended.output.dropped,
    }


def _key(request: dict[str, object]) -> str:
    """What a template depends on besides the files."""
    lasting = {name: value for name, value in request.items() if name not in NOT_OF_TEMPLATES}
    return json.dumps(lasting, sort_keys=True)
