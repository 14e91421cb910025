"""Real failures in a real box, sorted: what only the environment can mend, and what the code can."""

from __future__ import annotations

import pytest
import pytest_asyncio

from boxes import run
from untilgreen_sandbox.box import Box
from untilgreen_sandbox.environment import Surroundings, missing_from, sort_failures
from untilgreen_sandbox.report import Report

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.dealt]

AROUND = Surroundings(frozenset({"shop", "test_it"}), {".env", "data/big.bin", "secret_keys.py"}.__contains__)
MODULE, NETWORK, DATABASE = "Install ", "has no network", "server answers"
PROGRAM, READ_ONLY, LEFT_OUT, MEMORY = "Install the program", "read-only", "was not copied", "memory_mb"
CODE = ""

# Name and body of each test → a part of its remedy, or nothing for a failure of the code.
KINDS: dict[str, tuple[str, str]] = {
    "module": ("import requestz_unknown", "Install requestz_unknown in"),
    "module_by_another_name": ("import yaml", "Install PyYAML in"),
    "module_imported_by_the_code": ("import shop.needs", "Install nowhere_installed in"),
    "module_of_the_workspace": ("import shop.nothing", CODE),
    "module_that_is_misspelt": ("import colections", CODE),
    "module_of_an_older_python": ("import asynchat; raise ModuleNotFoundError(name='asynchat')", CODE),
    "module_that_was_left_out": ("import secret_keys", LEFT_OUT),
    "name_that_is_not_there": ("from json import lods", CODE),
    "resolve": ("socket.create_connection(('example.com', 80), timeout=5)", NETWORK),
    "unreachable": ("socket.create_connection(('192.0.2.1', 80), timeout=5)", NETWORK),
    "download": ("urllib.request.urlopen('http://example.com/', timeout=5)", NETWORK),
    "download_wrapped": (
        "try: urllib.request.urlopen('http://example.com/', timeout=5)\n"
        "    except OSError as error: raise RuntimeError('no prices') from error",
        NETWORK,
    ),
    "handler_of_the_code": (
        "try: urllib.request.urlopen('http://example.com/', timeout=5)\n    except OSError: undefined_name",
        CODE,
    ),
    "loopback": ("socket.create_connection(('127.0.0.1', 9), timeout=5)", CODE),
    "loopback_by_asyncio": ("asyncio.run(asyncio.open_connection('127.0.0.1', 9))", CODE),
    "database": ("asyncio.run(asyncio.open_connection('127.0.0.1', 5432))", "no PostgreSQL server answers"),
    "network_that_is_mocked": (
        "with mock.patch('socket.socket', side_effect=OSError(101, 'Network is unreachable')):\n"
        "        socket.socket()",
        CODE,
    ),
    "network_that_is_raised": ("raise OSError(101, 'Network is unreachable')", CODE),
    "program": ("subprocess.run(['ffmpeg-of-nobody', '-i'])", "program ffmpeg-of-nobody where"),
    "program_by_asyncio": ("asyncio.run(asyncio.create_subprocess_exec('ffmpeg-of-nobody'))", PROGRAM),
    "program_of_the_workspace": ("subprocess.run(['./run-me'])", CODE),
    "folder_of_a_program": ("subprocess.run(['true'], cwd='nowhere')", CODE),
    "read_only": ("open('/usr/bin/planted', 'w')", READ_ONLY),
    "left_out": ("open('.env')", "Name .env in"),
    "left_out_by_its_full_path": ("pathlib.Path('data/big.bin').resolve().read_bytes()", LEFT_OUT),
    "file_too_large": (
        "with open('/tmp/large', 'wb') as file:\n        os.posix_fallocate(file.fileno(), 0, 300 << 20)",
        "limit for one file",
    ),
    "file_too_large_raised": ("raise OSError(27, 'File too large')", CODE),
    "file": ("open('config.json')", CODE),
    "file_elsewhere": ("open('/etc/shop.conf')", CODE),
    "memory": ("bytearray(64 << 30)", MEMORY),
    "memory_raised": ("raise MemoryError", CODE),
    "fixture": ("pass", NETWORK),
    "assertion": ("assert 1 == 2", CODE),
    "lookup": ("{}['x']", CODE),
}
HEAD = (
    "import asyncio, os, pathlib, pytest, socket, subprocess, urllib.request\nfrom unittest import mock\n\n"
    "@pytest.fixture(scope='session')\ndef server():\n    socket.create_connection(('192.0.2.1', 80))\n\n"
)
SOURCE = HEAD + "\n".join(
    f"def test_{name}({'server' if name == 'fixture' else ''}):\n    {body}\n"
    for name, (body, _) in KINDS.items()
)
FILES = {
    "test_it.py": SOURCE,
    "shop/__init__.py": "",
    "shop/needs.py": "import nowhere_installed\n",
    "data/small.bin": "",
    "test_unread.py": "import nowhere_installed\n\ndef test_x(): pass\n",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def report(box: Box) -> Report:
    report = await run(box, FILES)
    assert report.ended == "finished", report.detail
    return sort_failures(report, (), AROUND)


@pytest.mark.parametrize("name", KINDS)
async def test_sorted(report: Report, name: str) -> None:
    case = report.case(f"test_it.py::test_{name}")
    assert case is not None
    assert case.outcome == ("error" if name == "fixture" else "failed")
    wanted = KINDS[name][1]
    assert wanted in case.environment if wanted else case.environment == "", (
        case.environment,
        case.failure,
    )


async def test_a_file_that_cannot_be_imported_for_want_of_a_module(report: Report) -> None:
    case = report.case("test_unread.py")
    assert case is not None
    assert case.environment == (
        "Install nowhere_installed in the project's environment: nowhere_installed is not there."
    )


async def test_tests_that_pass_have_no_remedy(report: Report) -> None:
    assert not any(case.environment for case in report.cases if case.good)


async def test_a_conftest_that_cannot_be_imported(box: Box) -> None:
    report = await run(box, {"conftest.py": "import nowhere_installed\n"})
    assert report.ended == "crashed"
    assert "Install nowhere_installed in" in missing_from(report.output.head + report.output.tail, AROUND)
