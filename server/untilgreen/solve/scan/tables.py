"""Names that are a sign by themselves, by the module that they come from."""

from __future__ import annotations

from untilgreen.rules import Rule


def _each(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


_USES: dict[Rule, tuple[str, ...]] = {
    "frames": (
        *_each("sys", "_getframe _current_frames _getframemodulename"),
        *_each("inspect", "stack currentframe trace getouterframes getinnerframes"),
        *_each("traceback", "extract_stack walk_stack walk_tb extract_tb format_stack print_stack"),
    ),
    "gc": (*_each("gc", "get_objects get_referrers get_referents"), "builtins.object.__subclasses__"),
    "exit": _each("os", "_exit abort kill killpg"),
    "hooks": (
        *_each("signal", "signal alarm setitimer raise_signal pthread_kill set_wakeup_fd"),
        *_each("atexit", "register unregister _run_exitfuncs _clear"),
        *_each("sys", "settrace setprofile addaudithook monitoring"),
        *_each("_thread", "interrupt_main"),
        *_each("threading", "settrace setprofile settrace_all_threads setprofile_all_threads"),
    ),
    "monkeypatch": _each("sys", "meta_path path_hooks path_importer_cache"),
    "clock": ("time.sleep",),
    "random-seed": ("random.seed", "numpy.random.seed", "torch.manual_seed", "tensorflow.random.set_seed"),
    "eval": (
        *_each("runpy", "run_path run_module"),
        *_each("types", "CodeType FunctionType"),
        *_each("code", "interact InteractiveConsole InteractiveInterpreter"),
    ),
    "unpickle": (
        *_each("pickle", "load loads Unpickler"),
        *_each("_pickle", "load loads Unpickler"),
        *_each("marshal", "load loads"),
        *_each("shelve", "open Shelf DbfilenameShelf"),
        *_each("dill", "load loads"),
        *_each("cloudpickle", "load loads"),
        *_each("joblib", "load"),
        *_each("jsonpickle", "decode"),
        *_each("yaml", "unsafe_load unsafe_load_all full_load"),
        *_each("pandas", "read_pickle"),
    ),
    "subprocess": (
        *_each("subprocess", "run call check_call check_output Popen getoutput getstatusoutput"),
        *_each("os", "system popen fork forkpty posix_spawn posix_spawnp startfile"),
        *_each("os", "execl execle execlp execlpe execv execve execvp execvpe"),
        *_each("os", "spawnl spawnle spawnlp spawnlpe spawnv spawnve spawnvp spawnvpe"),
        *_each("asyncio", "create_subprocess_exec create_subprocess_shell"),
        *_each("pty", "spawn fork"),
    ),
    "network": (
        *_each("socket", "socket create_connection create_server getaddrinfo gethostbyname socketpair"),
        *_each("urllib.request", "urlopen urlretrieve Request build_opener"),
        *_each("asyncio", "open_connection start_server"),
        *_each("http.client", "HTTPConnection HTTPSConnection"),
        *_each("http.server", "HTTPServer ThreadingHTTPServer"),
    ),
    "file-deletion": (*_each("os", "remove unlink rmdir removedirs truncate"), "shutil.rmtree"),
}
USES: dict[str, Rule] = {name: rule for rule, names in _USES.items() for name in names}
"""Any mention of these, called or not."""

NETWORK_MODULES = frozenset(
    {
        *("requests", "httpx", "aiohttp", "urllib3", "websockets", "websocket", "paramiko", "pycurl", "grpc"),
        *("boto3", "botocore", "smtplib", "ftplib", "telnetlib", "poplib", "imaplib", "nntplib"),
        *("socketserver", "xmlrpc", "asyncssh"),
    }
)
"""To call anything in these is to talk to others, as a rule."""
NETWORK_IMPORTS = frozenset({*NETWORK_MODULES, "socket", "urllib.request", "http.client", "http.server"})
TEST_MODULES = frozenset({"pytest", "_pytest", "unittest", "nose", "nose2", "mock"})
IMPORTS: dict[str, Rule] = {
    **dict.fromkeys(TEST_MODULES, "pytest-sniffing"),
    **dict.fromkeys(("ctypes", "_ctypes", "cffi"), "native-code"),
    **dict.fromkeys(("freezegun", "time_machine"), "clock"),
}
"""To import these is enough."""

FRAME_ATTRIBUTES = frozenset(
    {
        "f_back",
        "f_locals",
        "f_globals",
        "f_code",
        "f_builtins",
        "tb_frame",
        "tb_next",
        "gi_frame",
        "cr_frame",
        "findCaller",
    }
)
DELETING_METHODS = frozenset({"unlink", "rmdir", "rmtree"})
WRITING_METHODS = frozenset({"write_text", "write_bytes"})
WARNING_FILTERS = frozenset({"warnings.filterwarnings", "warnings.simplefilter"})
COPIERS = frozenset(
    {*_each("shutil", "copy copy2 copyfile copytree move"), *_each("os", "rename replace link symlink")}
)
OPENERS = frozenset({"builtins.open", "io.open", "codecs.open", "gzip.open", "bz2.open", "lzma.open"})
READING = frozenset(
    {
        *OPENERS,
        *("read_text", "read_bytes", "glob", "rglob", "iterdir", "getline", "getlines", "getsource"),
        *("os.listdir", "os.walk", "os.scandir", "glob.glob", "glob.iglob"),
    }
)
"""Methods and functions that read files or look for them."""
DYNAMIC = frozenset({"builtins.eval", "builtins.exec", "builtins.compile"})
IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__", "importlib.__import__"})
REACHING = frozenset({"sys", "os", "builtins", "gc", "inspect", "subprocess", "importlib"})
"""Modules of which an attribute with a computed name can be anything."""
WITNESSES = (
    "sys.modules",
    "sys.argv",
    "sys.orig_argv",
    "os.environ",
    "os.getenv",
    "importlib.util.find_spec",
)
"""Where a running pytest shows."""
