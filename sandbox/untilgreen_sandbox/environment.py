"""Failures that no change of the code can mend, told from those it can. Pure.

What is missing here is named together with the remedy. When in doubt it is a failure of the code: a wrong
alarm would keep a solver from a test that it could have fixed.
"""

from __future__ import annotations

import dataclasses
import errno
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from ipaddress import ip_address

from untilgreen_sandbox.report import CaseResult, Cause, Failure, Report

# Gone from newer standard libraries: code that needs them needs a change, not an installation.
REMOVED_MODULES = frozenset(
    {
        *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils", "imghdr"),
        *("imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "parser", "pipes", "smtpd", "sndhdr"),
        *("spwd", "sunau", "symbol", "telnetlib", "uu", "xdrlib"),
    }
)
STANDARD_LIBRARY = frozenset(sys.stdlib_module_names) | REMOVED_MODULES
# What is imported → what is installed, where the two differ.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "dotenv": "python-dotenv",
    "jwt": "PyJWT",
    "psycopg2": "psycopg2-binary",
    "rest_framework": "djangorestframework",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}
DATABASES = {
    **dict.fromkeys(("psycopg", "psycopg2", "asyncpg", "pg8000"), "PostgreSQL"),
    **dict.fromkeys(("pymysql", "MySQLdb", "aiomysql", "asyncmy", "mysql"), "MySQL"),
    **dict.fromkeys(("redis", "aioredis", "valkey"), "Redis"),
    **dict.fromkeys(("pymongo", "motor"), "MongoDB"),
    **dict.fromkeys(("oracledb", "cx_Oracle"), "Oracle"),
    **dict.fromkeys(("pymssql", "pyodbc"), "SQL Server"),
    **dict.fromkeys(("cassandra", "elasticsearch", "opensearchpy", "neo4j", "amqp", "pika", "kombu"), ""),
}
DATABASE_PORTS = {5432: "PostgreSQL", 3306: "MySQL", 6379: "Redis", 27017: "MongoDB", 1521: "Oracle"}
_NOT_REACHED = re.compile(
    r"refused|could not connect|can't connect|unable to connect|connection to server|not known"
    r"|could not translate host name|name resolution|network is unreachable|no such file or directory",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\('([0-9a-fA-F.:]+)', (\d{1,5})(?:, \d+, \d+)?\)")
# Some libraries keep nothing of the error they wrap but its text.
_NO_NETWORK_TEXT = re.compile(r"^\[Errno (-[235]|101|113)\] ")
_MISSING_MODULE = re.compile(r"No module named '([\w.]+)'")
_NO_ASYNC = "async def functions are not natively supported"
_NO_NETWORK = "Replace the network in this test, or leave it out: the sandbox has no network."
_MEMORY = "Raise memory_mb if this test rightly needs more memory than the sandbox gives it."
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What must be known of a workspace and its box to sort failures."""

    own_modules: frozenset[str] = frozenset()
    """Every name that a module, package or folder of the workspace has."""
    left_out: Callable[[str], bool] = field(default=lambda path: False)
    """Whether the user has this file and the sandbox was not given it."""


def sort_failures(report: Report, planned: tuple[str, ...], around: Surroundings) -> Report:
    """The same report, with the remedy in each case that the environment made fail or kept from running."""
    cases = [
        dataclasses.replace(case, environment=remedy(case.failure, around))
        if case.failure is not None and not case.good
        else case
        for case in report.cases
    ]
    if text := _limit(report):
        seen = {case.id for case in cases}
        cases += [
            CaseResult(test_id, "error", path=test_id.split("::")[0], environment=text)
            for test_id in planned
            if test_id not in seen
        ]
    return dataclasses.replace(report, cases=tuple(cases))


def remedy(failure: Failure, around: Surroundings) -> str:
    """What to do about it, in one sentence; empty for a failure of the code."""
    if failure.type == "Failed" and failure.message.startswith(_NO_ASYNC):
        return "Install pytest-asyncio or anyio in the project's environment: nothing there runs async tests."
    for cause in failure.causes:
        # What the workspace raises itself, and what a mock raises for it, never happened.
        if cause.raised or cause.place.startswith("mock.py:"):
            continue
        if found := _remedy(cause, around):
            return found
    return ""


def missing_from(output: str, around: Surroundings) -> str:
    """The remedy for a run that never began because a conftest imports what is not installed."""
    found = _MISSING_MODULE.findall(output)
    return _module(found[-1], around) if found else ""


def _limit(report: Report) -> str:
    """The remedy for tests that a limit of ours kept from running; empty when their own code did.

    A test that takes more than half of a whole run's time has most likely an endless loop in its code.
    """
    if report.ended == "oom":
        return _MEMORY
    alone = report.seconds - sum(case.seconds for case in report.cases)
    if report.ended == "timeout" and alone <= report.seconds / 2:
        return (
            f"Raise test_seconds: the run was stopped after {report.seconds:.0f} seconds, before this test."
        )
    return ""


def _remedy(cause: Cause, around: Surroundings) -> str:
    if "ModuleNotFoundError" in cause.kinds:
        return _module(cause.subject, around)
    if "MemoryError" in cause.kinds:
        return _MEMORY
    package = cause.type.split(".")[0]
    if package in DATABASES and _NOT_REACHED.search(cause.message):
        return _database(DATABASES[package] or package)
    if "OSError" not in cause.kinds:
        foreign = package != "builtins" and package not in around.own_modules
        return _NO_NETWORK if foreign and _NO_NETWORK_TEXT.match(cause.message) else ""
    return _connection(cause) or _file(cause, around)


def _module(name: str, around: Surroundings) -> str:
    path = name.replace(".", "/")
    if name and (around.left_out(f"{path}.py") or around.left_out(f"{path}/__init__.py")):
        return _left_out(f"{path}.py")
    # A part of a package that is there is a mistake in the import, or in that package.
    if not name.isidentifier() or name in STANDARD_LIBRARY or name in around.own_modules:
        return ""
    if any(_misspelt(name, known) for known in (*STANDARD_LIBRARY, *around.own_modules)):
        return ""
    return f"Install {DISTRIBUTIONS.get(name, name)} in the project's environment: {name} is not there."


def _misspelt(name: str, known: str) -> bool:
    """A letter forgotten, two swapped, one doubled or another; one more at an end makes another name."""
    if abs(len(name) - len(known)) > 1 or len(known) < 4 or name == known:
        return False
    if len(name) < len(known):
        return any(known[:n] + known[n + 1 :] == name for n in range(len(known)))
    if len(name) > len(known):
        return any(name[n] == name[n - 1] and name[:n] + name[n + 1 :] == known for n in range(1, len(name)))
    different = [n for n in range(len(name)) if name[n] != known[n]]
    if len(different) == 2:
        first, second = different
        return second == first + 1 and name[first] == known[second] and name[second] == known[first]
    return len(different) == 1 and len(name) > 5


def _connection(cause: Cause) -> str:
    if "gaierror" in cause.kinds or cause.errno in _UNREACHABLE:
        return _NO_NETWORK
    if "ConnectionRefusedError" not in cause.kinds:
        return ""
    found = _ADDRESS.search(cause.message)
    if found is None:
        return ""
    if int(found[2]) in DATABASE_PORTS:
        return _database(DATABASE_PORTS[int(found[2])])
    try:
        loopback = ip_address(found[1]).is_loopback
    except ValueError:
        return ""
    return "" if loopback else _connection_to(found[1])


def _file(cause: Cause, around: Surroundings) -> str:
    if cause.errno == errno.EROFS:
        return (
            f"Let the test write under tmp_path: {cause.subject or 'this path'} is read-only in the sandbox."
        )
    if cause.errno in (errno.EFBIG, errno.ENOSPC) and not cause.raised:
        return "Let the test write or print less: it came to the sandbox's limit for one file or for all."
    if "FileNotFoundError" not in cause.kinds or not cause.subject:
        return ""
    if cause.place == "subprocess.py:_execute_child":
        bare = "/" not in cause.subject and "\\" not in cause.subject
        return f"Install the program {cause.subject} where tests run: it is not there." if bare else ""
    return _left_out(cause.subject) if around.left_out(cause.subject) else ""


def _left_out(path: str) -> str:
    return f"Name {path} in the setting `include` if tests may see it: it was not copied into the sandbox."


def _database(name: str) -> str:
    return f"Use a database that needs no server here, or leave this test out: no {name} server answers."


def _connection_to(host: str) -> str:
    return f"Replace the connection to {host} in this test: the sandbox has no network."
