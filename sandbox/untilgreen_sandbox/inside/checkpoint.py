"""Runs in the test process: stops it just before it would see what a candidate changes, and forks runs there.

The interpreter's audit events tell of every file that is opened, and of what a fork cannot share: a process,
a thread, a socket, a file written. Up to the first of them the process has only computed, so a fork of it is
as good as a new one that came as far. Its source comes to that process in its request, so it imports nothing
of ours.
"""

from __future__ import annotations

import ctypes
import fcntl
import gc
import importlib
import json
import os
import resource
import select
import stat
import struct
import sys
import tempfile
import threading
from typing import Any, Callable, Dict, List, Tuple

RECORD = struct.Struct("!iI")
ARRIVED, UNSAFE, FORKED, ENDED = 1, 2, 3, 4
STARTS = frozenset(
    (
        *("subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.exec", "os.system"),
        *("_thread.start_new_thread", "_thread.start_joinable_thread", "socket.__new__", "mmap.__new__"),
        *("sqlite3.connect", "tempfile.mkstemp", "tempfile.mkdtemp", "os.mkdir", "os.rename", "os.remove"),
        *("os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown", "os.utime"),
        *("shutil.copyfile", "shutil.rmtree", "os.setxattr", "fcntl.flock", "fcntl.lockf"),
    )
)
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Their threads, locks or connections are not where a fork would find them.
NOT_TO_BE_FORKED = ("gevent", "eventlet", "grpc", "ray", "jpype")
_LIBRARY = os.path.dirname(os.__file__)
_PR_SET_DUMPABLE, _PR_CAP_AMBIENT, _CLEAR_ALL = 4, 47, 4
_CAPABILITY_VERSION = 0x20080522
_LIBC = ctypes.CDLL(None, use_errno=True)
# Keeps the interpreter's lock during a call.
_HOLDING_ON = ctypes.PyDLL(None)

Begin = Callable[[List[str], str], None]


class Checkpoint:
    """One in a template. In a fork, `arrive` and the audit events return, and the run goes on."""

    def __init__(
        self, told: Dict[str, Any], ours: Tuple[int, ...], begin: Begin, ahead: Any, open_files: Any
    ) -> None:
        self.ahead, self.told_ahead, self.open_files = ahead, told["ahead"], open_files
        self.control: int = told["control"]
        self.status: int = told["status"]
        self.leaving: int = told["leaving"]
        os.set_inheritable(self.leaving, False)
        self.user: int = told["user"]
        self.files = frozenset((*told["files"], *map(os.path.realpath, told["files"])))
        self.names = frozenset(map(os.path.basename, self.files))
        self.modules: Dict[str, List[str]] = {}
        for name in told["modules"]:
            self.modules.setdefault(name.rpartition(".")[2], []).append("." + name)
        self.folders = frozenset(told["folders"])
        # By what they are and not by number: pytest lays its captures over the standard ones.
        pipes = (*ours, self.control, self.status, self.leaving)
        self.ours = {open_files.identity(descriptor) for descriptor in pipes}
        self.begin = begin
        self.passed = False
        self.copies: List[Tuple[List[int], bool, int]] = []
        self.memory: Any = None
        self.rehearses = False
        self.word = b""
        self.pipes: Dict[Tuple[int, int], List[int]] = {}

    def arm(self) -> None:
        # Asked for the first time it would write a file to see whether it can.
        tempfile.gettempdir()
        sys.meta_path.insert(0, self)

        def hook(event: str, arguments: Tuple[Any, ...]) -> None:
            # It stays in every fork, so it must cost next to nothing there.
            if not self.passed:
                self.hear(event, arguments)

        # A function, as the interpreter takes ten times as long to call a method for each event.
        sys.addaudithook(hook)

    def hear(self, event: str, arguments: Tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            where = self.opened(path, flags or 0)
        elif event == "import":
            where = self.imported(arguments[0])
        elif event in ("os.scandir", "os.listdir"):
            where = self.listed(arguments[0])
        else:
            where = event if event in STARTS else ""
        if where:
            self.arrive(where)

    def imported(self, name: str) -> str:
        """Where a file lies tells how its module may be called, but for where the path to it begins."""
        known = self.modules.get(name.rpartition(".")[2], ())
        return "import " + name if any(module.endswith("." + name) for module in known) else ""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """As a finder: code may ask for a module without importing it, which no event tells."""
        where = "" if self.passed else self.imported(name)
        if not where:
            return None
        self.arrive(where)
        # Whoever asked goes through the finders one by one, and those before this one have answered.
        return importlib._bootstrap._find_spec(name, path, target)  # type: ignore[attr-defined]

    def listed(self, path: Any) -> str:
        if not self.folders or sys._getframe(3).f_code.co_filename.startswith("<frozen importlib"):
            return ""  # An import looks for one name, which is told.
        if isinstance(path, int):
            return "list a folder"
        place = self.place("." if path is None else path)
        return "list " + place if place in self.folders else ""

    def place(self, path: Any) -> str:
        if path is None or isinstance(path, int):
            return ""
        return os.path.normpath(os.path.join(os.getcwd(), os.fsdecode(path)))

    def opened(self, path: Any, flags: int) -> str:
        text = self.place(path)
        if text in self.files or self.may_be(path, text):
            return "open " + text
        if not flags & WRITES or text.startswith("/dev/"):
            return ""
        # A folder is opened for writing to have a file without a name, which a fork can have a copy of.
        return "" if os.path.isdir(text) else "write " + text

    def may_be(self, path: Any, text: str) -> bool:
        """Whether this is another name for one of the files: through a link, or from an open folder."""
        if os.path.basename(text) not in self.names:
            return False
        return not os.path.isabs(os.fsdecode(path)) or os.path.realpath(text) in self.files

    def miss(self) -> None:
        """The end of the session, and no test ran."""
        if not self.passed:
            self.tell(UNSAFE, "the session ended before any test")
            os._exit(0)

    def arrive(self, where: str) -> None:
        """Wait here for runs. Returns in each fork, and in a template that was here before."""
        if self.passed:
            return
        self.passed = True
        sys.meta_path.remove(self)
        self.ahead.import_modules(self.told_ahead["modules"])
        self.ahead.compile_files(self.told_ahead["plain"], self.told_ahead["rewritten"])
        # What its streams hold back is not flushed: each fork has it, and writes it where it would have gone.
        reason = self.unsafe()
        if reason:
            self.tell(UNSAFE, reason)
            os._exit(0)
        # Nobody of the same user may look into this process or take its descriptors.
        _LIBC.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        gc.collect()
        gc.freeze()
        self.tell(ARRIVED, where)
        self.serve()

    def serve(self) -> None:
        running = 0
        while True:
            asked, mine = os.pipe()
            # The system's own, which calls nothing of Python: a run is no child of anybody, and goes on with
            # the locks that it holds and the random numbers that it would have drawn.
            pid = _HOLDING_ON.fork()
            if pid == 0:
                os.close(asked)
                self.memory.take()
                (size,) = struct.unpack("!I", self.read(4))
                run = json.loads(self.read(size))
                os.write(mine, b"wait"[: 4 * (run["rehearsal"] or run["shared"])])
                os.close(mine)
                self.become(run)
                return
            if pid < 0:
                os._exit(1)
            os.close(mine)
            if running:
                self.wait_for(running)
            self.tell(FORKED, str(pid))
            # The next one is made ready while this one runs, unless there is something to learn from it, or
            # the processors have enough to do.
            waits = os.read(asked, 4)
            os.close(asked)
            if waits:
                self.wait_for(pid)
            running = 0 if waits else pid

    def wait_for(self, pid: int) -> None:
        ended = os.waitpid(pid, 0)
        self.memory.learn()
        self.tell(ENDED, "%d %d" % ended)

    def become(self, run: Dict[str, Any]) -> None:
        """In the fork: give up what only the template may do; when that fails, nothing runs."""
        try:
            for descriptor in (self.control, self.status, self.memory.read):
                os.close(descriptor)
            self.rehearses, self.word = run["rehearsal"], bytes.fromhex(run["word"])
            if not self.rehearses:
                os.close(self.memory.write)
            os.setsid()
            resource.setrlimit(resource.RLIMIT_CPU, (run["cpu"], run["cpu"]))
            if os.getuid() != self.user:
                os.setgroups([])
                os.setresgid(self.user, self.user, self.user)
                os.setresuid(self.user, self.user, self.user)
            _LIBC.prctl(_PR_CAP_AMBIENT, _CLEAR_ALL, 0, 0, 0)
            if _LIBC.capset((ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()) != 0:
                raise OSError(ctypes.get_errno(), "capabilities cannot be given up")
            if set(os.getresuid()) != {self.user} or 0 in os.getresgid():
                raise PermissionError("tests may not run as this user")
            _LIBC.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
            for descriptors, writable, offset in self.copies:
                self.open_files.own_file(descriptors, writable, offset)
            for descriptors in self.pipes.values():
                self.open_files.own_pipe(descriptors)
            threading.main_thread()._set_native_id()  # type: ignore[attr-defined]
            self.look_anew()
            self.begin(run["ids"], run["evaluation"])
        except BaseException as error:
            os.write(2, ("the tests cannot be confined: %r\n" % error).encode())
            os._exit(126)

    def look_anew(self) -> None:
        """The candidate's files are there now. Where the standard library lies nothing ever changes."""
        finders = sys.path_importer_cache
        lasting = {path: finders.pop(path) for path in list(finders) if path.startswith(_LIBRARY)}
        importlib.invalidate_caches()
        finders.update(lasting)

    def leave(self) -> None:
        """In a fork whose session is over."""
        if self.rehearses:
            self.memory.tell()

    def say_end(self, status: int) -> None:
        """The last that a fork does: whoever waits need not wait until the kernel has taken it apart."""
        os.write(self.leaving, self.word + bytes((status & 0xFF,)))

    def unsafe(self) -> str:
        """Why a fork of this process would not be like a new one; empty when it would."""
        if len(os.listdir("/proc/self/task")) > 1:
            return "threads are running"
        loaded = [name for name in NOT_TO_BE_FORKED if name in sys.modules]
        if loaded:
            return "%s is imported" % loaded[0]
        try:
            os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            return "a child process is running"
        except ChildProcessError:
            pass
        with open("/proc/self/maps", errors="replace") as file:
            maps = [line.split() for line in file]
        if any(words[1][1::2] == "ws" for words in maps):
            return "memory is shared"
        reason = self.unsafe_descriptor()
        self.memory = self.ahead.Memory(maps)
        return reason

    def unsafe_descriptor(self) -> str:
        shared: Dict[Tuple[int, int, int], List[int]] = {}
        for descriptor in [int(name) for name in os.listdir("/proc/self/fd")]:
            try:
                found = os.fstat(descriptor)
            except OSError:
                continue  # The one that listed them.
            kind = stat.S_IFMT(found.st_mode)
            if kind in (stat.S_IFCHR, stat.S_IFDIR) or self.open_files.identity(descriptor) in self.ours:
                continue
            name = os.readlink("/proc/self/fd/%d" % descriptor)
            if name.startswith("pipe:") and not select.select([descriptor], [], [], 0)[0]:
                # Made for a process that is about to be started: empty, and nobody else has it.
                self.pipes.setdefault(self.open_files.identity(descriptor), []).append(descriptor)
                continue
            if kind != stat.S_IFREG:
                return "%s is open" % ("a socket" if kind == stat.S_IFSOCK else name)
            writable = fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY
            if writable and found.st_nlink:
                return "a file is open for writing"
            offset = os.lseek(descriptor, 0, os.SEEK_CUR)
            shared.setdefault((*self.open_files.identity(descriptor), offset), []).append(descriptor)
        for (_, _, offset), descriptors in shared.items():
            flags = fcntl.fcntl(descriptors[0], fcntl.F_GETFL)
            self.copies.append((descriptors, flags & os.O_ACCMODE != os.O_RDONLY, offset))
        return ""

    def tell(self, kind: int, text: str) -> None:
        data = text.encode("utf-8", "replace")[:2000]
        os.write(self.status, RECORD.pack(kind, len(data)) + data)

    def read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            part = os.read(self.control, size - len(data))
            if not part:
                os._exit(0)
            data += part
        return data
