"""Runs in the test process: asks one test, in this process, as often as one likes, and never for long.

A test that needs nothing of pytest is called directly; others go through pytest's own protocol. Its source
comes to that process in its request, so it imports nothing of ours.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import resource
import signal
import sys
from typing import Any, Callable, List, Optional, Set, Tuple

PASSED, FAILED, SKIPPED, EXPECTED, OVER, DIED = "P", "F", "S", "X", "T", "C"
TIME_OVER = 3
"""With which a process ends itself that a test does not give back."""
HEADROOM = 512 << 20
STARTS = frozenset(
    ("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system")
)
CHANGES = frozenset(
    (
        *("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
        *("os.chmod", "os.chown", "os.utime", "os.setxattr", "sqlite3.connect"),
    )
)
HEARD = frozenset(("open", "os.chdir", *STARTS, *CHANGES))
REMEMBERED = (".hypothesis", ".pytest_cache", "__pycache__")
"""Folders of tools, which decide nothing."""
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
STARTS_PROCESSES, WRITES_FILES, LEAVES_THREADS = (
    *("it starts processes", "it writes into the workspace", "it leaves threads"),
)


class TimeOver(BaseException):
    """The test has used up its time."""


class Forbidden(BaseException):
    """What would outlive the test, or be seen by others."""


class Asker:
    """One in each process that asks tests."""

    def __init__(self, session: Any, root: str, reporter: Any, events: int) -> None:
        self.session = session
        self.events = events
        self.root = root
        self.reporter = reporter
        self.raised: Any = None
        self.failed_parts = 0
        self.rang = 0
        self.heard: Set[str] = set()
        self.forbids = False
        self.pid = 0
        self.deepest = sys.getrecursionlimit()
        self.folder, self.moved = os.getcwd(), False
        self.caches: List[Any] = []
        self.protocol = sys.modules["_pytest.runner"].runtestprotocol
        self.null: Any = None
        self.warnings: Any = None

    def enter(self, forbids: bool) -> None:
        """In a new process that will ask tests: nothing that it says is heard, nothing it does stays."""
        self.pid = os.getpid()
        self.forbids = forbids
        os.close(self.events)
        null = os.open(os.devnull, os.O_RDWR)
        config = self.session.config
        capture = config.pluginmanager.getplugin("capturemanager")
        if capture is not None and capture._global_capturing is not None:
            # Files that hold what is captured are one for all who were forked.
            capture._global_capturing = None
            capture._method = "no" if capture._method == "no" else "sys"
            capture.start_global_capturing()
            capture.suspend_global_capture()
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        self.null = os.fdopen(null, "w")
        sys.stdout = sys.stderr = self.null
        with contextlib.suppress(Exception):
            config.pluginmanager.unregister(self.reporter)
        # Kept, as its end would give back the filters that were there before.
        self.warnings = self.warnings_for(None)
        self.warnings.__enter__()
        with open("/proc/self/statm") as file:
            size = int(file.read().split()[0]) * resource.getpagesize()
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        wanted = size + HEADROOM
        if hard == resource.RLIM_INFINITY or wanted < hard:
            resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))

        def hook(event: str, arguments: Tuple[Any, ...]) -> None:
            if event in HEARD:
                self.hear(event, arguments)

        # A function, as the interpreter takes ten times as long to call a method for each event.
        sys.addaudithook(hook)

    def warnings_for(self, item: Any) -> Any:
        """The project's filters, which pytest lays around each test and not inside of its protocol."""
        catch = sys.modules["_pytest.warnings"].catch_warnings_for_item
        config = self.session.config
        return catch(config=config, ihook=config.hook, when="runtest", item=item)

    def rejoin(self) -> None:
        """In a fork of a process that has entered."""
        self.pid, self.forbids = os.getpid(), True

    def hear(self, event: str, arguments: Tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not (flags or 0) & WRITES or not self.inside(path):
                return
            reason = WRITES_FILES
        elif event in STARTS:
            reason = STARTS_PROCESSES
        elif event in CHANGES:
            paths = [path for path in arguments[:2] if isinstance(path, (str, bytes, os.PathLike))]
            if not any(self.inside(path, arguments[-1]) for path in paths):
                return
            reason = WRITES_FILES
        else:
            self.moved = True
            return
        self.heard.add(reason)
        if self.forbids:
            raise Forbidden(reason)

    def inside(self, path: Any, folder: Any = None) -> bool:
        """Whether it lies in the workspace; `folder` may be an open one that it is relative to."""
        if isinstance(path, int) or path in ("", ":memory:"):
            return False
        base = os.getcwd()
        if type(folder) is int and folder > 2:
            with contextlib.suppress(OSError):
                base = os.readlink("/proc/self/fd/%d" % folder)
        place = os.path.normpath(os.path.join(base, os.fsdecode(path)))
        if not place.startswith(self.root + os.sep):
            return False
        return place[len(self.root) + 1 :].split(os.sep)[0] not in REMEMBERED

    def ring(self, number: int, frame: Any) -> None:
        self.rang += 1
        if self.rang > 3:
            # It catches whatever is raised.
            os._exit(TIME_OVER)
        raise TimeOver

    def ask(self, test: Any, directly: bool, limit: float) -> Tuple[str, str]:
        """How it ended, and the kind of its failure; never takes much longer than so many CPU seconds."""
        return self.guarded(test.call if directly else lambda: self.by_protocol(test), limit)

    def guarded(self, call: Callable[[], Any], limit: float) -> Tuple[str, str]:
        """The same for any call; it may say itself how it ended."""
        self.rang, self.raised = 0, None
        self.heard.clear()
        threads = _thread._count()
        how, detail = PASSED, ""
        for cache in self.caches:
            cache.cache_clear()
        if signal.getsignal(signal.SIGPROF) != self.ring:
            signal.signal(signal.SIGPROF, self.ring)
        try:
            try:
                signal.setitimer(signal.ITIMER_PROF, limit, max(0.02, limit))
                how, detail = call() or (how, detail)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        except BaseException as error:
            self.raised = error
            how, detail = told(error)
        if os.getpid() != self.pid:
            os._exit(0)  # Somebody forked in a way that no event tells.
        if self.rang:
            how, detail = OVER, "TimeOver"
        elif self.heard and self.forbids:
            how, detail = FAILED, sorted(self.heard)[0]
        elif _thread._count() > threads:
            self.heard.add(LEAVES_THREADS)
            how, detail = (FAILED, LEAVES_THREADS) if self.forbids else (how, detail)
        self.settle()
        return how, detail

    def settle(self) -> None:
        """Give back what is cheap to give back."""
        if sys.stdout is not self.null or sys.stderr is not self.null:
            sys.stdout = sys.stderr = self.null
        if sys.getrecursionlimit() != self.deepest:
            sys.setrecursionlimit(self.deepest)
        if self.moved:
            self.moved = False
            os.chdir(self.folder)

    def by_protocol(self, test: Any) -> Tuple[str, str]:
        test.renew()
        self.failed_parts = 0
        try:
            with self.warnings_for(test.item) if test.filters else contextlib.nullcontext():
                reports = self.protocol(test.item, log=False, nextitem=None)
        except BaseException as error:
            # What pytest does not catch is meant to end the session.
            return FAILED, type(error).__name__
        for report in reports:
            if report.failed or self.failed_parts:
                return told(self.raised) if self.raised is not None else (FAILED, "Failed")
        if any(hasattr(report, "wasxfail") and report.skipped for report in reports):
            return EXPECTED, ""
        if any(report.skipped and not hasattr(report, "wasxfail") for report in reports):
            return SKIPPED, ""
        return PASSED, ""

    def made_report(self, call: Any) -> None:
        if call.excinfo is not None and self.raised is None:
            self.raised = call.excinfo.value


def told(error: BaseException) -> Tuple[str, str]:
    name = type(error).__name__
    if isinstance(error, TimeOver):
        return OVER, name
    if name in ("Skipped", "SkipTest"):
        return SKIPPED, name
    if isinstance(error, Forbidden):
        return FAILED, str(error)
    return FAILED, str(name)[:80]


def message_of(error: Optional[BaseException]) -> str:
    """A little of what it says, to see whether it is the same as before."""
    try:
        return str(error)[:300]
    except BaseException:
        return ""
