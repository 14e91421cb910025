"""Names that are a sign by themselves, by the module that they come from."""

from __future__ import annotations

import re

from untilgreen.rules import Rule


def _each(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


_USES: dict[Rule, tuple[str, ...]] = {
    "frames": (
        *_each("sys", "_getframe _current_frames _getframemodulename"),
        *_each("inspect", "stack currentframe trace getouterframes getinnerframes getframeinfo"),
        *_each("traceback", "extract_stack walk_stack walk_tb format_stack print_stack"),
        *_each("linecache", "getline getlines cache updatecache"),
    ),
    "pytest-sniffing": (
        *_each("sys", "modules orig_argv flags warnoptions _xoptions gettrace getprofile getrefcount"),
        *_each("sys", "dont_write_bytecode pycache_prefix _git _stdlib_dir"),
        *_each("faulthandler", "is_enabled"),
        *_each("gc", "isenabled get_count get_stats get_threshold"),
        *_each("warnings", "filters showwarning"),
        *_each("logging", "_handlers _handlerList"),
        "__main__",
    ),
    "gc": (
        *_each("gc", "get_objects get_referrers get_referents get_freeze_count callbacks garbage"),
        "contextvars.copy_context",
    ),
    "exit": _each("os", "_exit abort kill killpg"),
    "hooks": (
        *_each("bdb", "Bdb set_trace"),
        *_each("trace", "Trace"),
        *_each("signal", "getsignal signal alarm setitimer raise_signal pthread_kill set_wakeup_fd"),
        *_each("atexit", "register unregister _run_exitfuncs _clear"),
        *_each("sys", "settrace setprofile addaudithook monitoring excepthook unraisablehook"),
        *_each("sys", "displayhook breakpointhook __excepthook__ __unraisablehook__ set_asyncgen_hooks"),
        *_each("threading", "excepthook __excepthook__ _active _shutdown"),
        *_each("faulthandler", "dump_traceback_later register enable dump_traceback"),
        *_each("_thread", "interrupt_main"),
        *_each("threading", "settrace setprofile settrace_all_threads setprofile_all_threads"),
    ),
    "monkeypatch": (
        *_each("sys", "meta_path path_hooks path_importer_cache"),
        *("importlib.reload", "decimal.setcontext", "decimal.DefaultContext", "time.tzset"),
    ),
    "clock": ("time.sleep",),
    "random-seed": ("random.seed", "numpy.random.seed", "torch.manual_seed", "tensorflow.random.set_seed"),
    "eval": (
        *_each("runpy", "run_path run_module"),
        *_each("types", "CodeType FunctionType"),
        *_each("code", "interact InteractiveConsole InteractiveInterpreter compile_command"),
        *_each("codeop", "compile_command Compile CommandCompiler"),
        *_each("importlib.machinery", "SourceFileLoader SourcelessFileLoader ExtensionFileLoader"),
        *_each("importlib.util", "spec_from_file_location spec_from_loader module_from_spec"),
        *_each("imp", "load_source load_module load_compiled"),
        *_each("_imp", "create_dynamic"),
        "zipimport.zipimporter",
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
        *_each("multiprocessing", "Process Pool get_context"),
        *_each("concurrent.futures", "ProcessPoolExecutor process.ProcessPoolExecutor"),
    ),
    "network": (
        *_each("socket", "socket create_connection create_server getaddrinfo gethostbyname socketpair"),
        *_each("urllib.request", "urlopen urlretrieve Request build_opener"),
        *_each("asyncio", "open_connection start_server"),
        *_each("http.client", "HTTPConnection HTTPSConnection"),
        *_each("http.server", "HTTPServer ThreadingHTTPServer"),
        *_each("ssl", "get_server_certificate wrap_socket"),
        *_each("webbrowser", "open open_new open_new_tab get"),
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
TEST_MODULES = frozenset(
    {
        *("pytest", "_pytest", "unittest", "nose", "nose2", "mock", "pluggy", "iniconfig", "xdist"),
        *("hypothesis", "coverage", "pytest_asyncio", "pytest_mock"),
    }
)
IMPORTS: dict[str, Rule] = {
    **dict.fromkeys(TEST_MODULES, "pytest-sniffing"),
    **dict.fromkeys(("ctypes", "_ctypes", "cffi"), "native-code"),
    **dict.fromkeys(("freezegun", "time_machine"), "clock"),
    "__main__": "pytest-sniffing",
}
"""To import these is enough."""

SETTING_ATTRIBUTES = frozenset(
    {"__code__", "__defaults__", "__kwdefaults__", "__bases__", "runtest", "__closure__", "__globals__"}
)
"""Who sets these of something changes what it does."""
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
        "ag_frame",
        "get_stack",
        "findCaller",
        "_getframe",
    }
)
MEMORY_ATTRIBUTES = frozenset({"__globals__", "__closure__", "cell_contents", "co_consts", "__builtins__"})
"""Ways from a function to what its module, or a test, holds."""
NETWORK_METHODS = frozenset(
    {"create_connection", "create_server", "create_datagram_endpoint", "create_unix_connection"}
)
PROCESS_METHODS = frozenset({"subprocess_exec", "subprocess_shell"})
LISTING = frozenset(
    {
        *_each("os", "listdir scandir walk fwalk"),
        *_each("glob", "glob iglob"),
        *_each("pkgutil", "iter_modules walk_packages"),
    }
)
LISTING_METHODS = frozenset({"iterdir", "glob", "rglob", "walk"})
READING_METHODS = frozenset({"read_text", "read_bytes", "open"})
DELETING_METHODS = frozenset({"unlink", "rmdir", "rmtree"})
WRITING_METHODS = frozenset({"write_text", "write_bytes"})
PATH_WRITING_METHODS = frozenset({"touch", "rename", "symlink_to", "hardlink_to", "chmod"})
"""Of paths; other objects have methods of these names as well."""
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
UNPACKING = frozenset(
    {
        *_each("base64", "b64decode b32decode b16decode b85decode a85decode urlsafe_b64decode"),
        *_each("zlib", "decompress"),
        *_each("gzip", "decompress"),
        *_each("lzma", "decompress"),
        *_each("bz2", "decompress"),
        *_each("codecs", "decode encode"),
        *_each("binascii", "unhexlify a2b_base64"),
    }
)
"""What is packed into a text cannot be read by who looks at it."""
DYNAMIC = frozenset({"builtins.eval", "builtins.exec", "builtins.compile"})
IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__", "importlib.__import__"})
CLOSED = frozenset({"sys", "gc", "builtins", "__main__"})
"""Modules that are only ever named to use a part of them; whole, they can be searched."""
INNER = re.compile(
    r"(sys|gc|logging|warnings|threading|asyncio|weakref|atexit|inspect|signal|contextvars)\._(?!_|MEIPASS)\w+"
)
"""What is nobody's business in modules that keep the state of the process."""
SEARCHING = ("__dict__", "__getattribute__", "__getattr__", "__dir__", "__reduce__", "__reduce_ex__")
REACHING = frozenset({"sys", "os", "builtins", "gc", "inspect", "subprocess", "importlib"})
"""Modules of which an attribute with a computed name can be anything."""
WITNESSES = frozenset(
    {
        *_each("os", "getcwd getcwdb getpid getppid getuid geteuid getgid getegid getlogin uname getloadavg"),
        *_each("os", "getpgid getpgrp getsid ttyname isatty ctermid sched_getaffinity nice getpriority"),
        *_each("os", "getgroups times sysconf get_terminal_size"),
        *_each("sys", "executable prefix exec_prefix path argv getrecursionlimit getswitchinterval"),
        *_each("threading", "active_count enumerate current_thread main_thread get_ident get_native_id"),
        *_each("time", "tzname timezone altzone"),
        *_each("locale", "getpreferredencoding getlocale getencoding"),
        *_each("resource", "getrlimit getrusage"),
        *_each("platform", "node uname"),
        *_each("socket", "gethostname getfqdn if_nameindex"),
        *("sys.stdin.fileno", "sys.stdout.fileno", "sys.stderr.fileno"),
        *("shutil.disk_usage", "uuid.getnode"),
        *("pathlib.Path.cwd", "getpass.getuser", "tempfile.gettempdir", "multiprocessing.current_process"),
    }
)
"""What differs between a test and a user's run; to decide by it is a sign."""
TOOL_PLACES = (
    "sys.modules",
    "sys.argv",
    "sys.orig_argv",
    "os.environ",
    "os.getenv",
    "importlib.util.find_spec",
    "importlib.metadata",
    "pkgutil",
)
"""Where a running pytest has its name."""
