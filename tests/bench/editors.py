"""What an editor feels: the start, the light bulb, a hover beside a solve, and memory after a long day."""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from lsprotocol import types as lsp
from pytest_lsp import make_test_lsp_client

from bench.measure import Check, Findings, Method, Sample, Stopwatch, in_turns, rows, shown, table, times
from lsp import scripted_box
from lsp.conftest import BROKEN, TESTS
from lsp.editor import Editor
from lsp.starting import capabilities, environment, server_command, started

EMPTY = """
from pygls.lsp.server import LanguageServer
LanguageServer("empty", "1").start_io()
"""
OURS, NOTHING = "`untilgreen serve`", "an empty pygls server"
SCRIPTED = [sys.executable, str(Path(scripted_box.__file__))]
N_FILES, N_TESTS = 20, 100
CHANGES, JOBS, FEW_JOBS = 10_000, 200, 40
MOST_GROWTH_KB = 4096
SLOW_BUG = """\
def area(widths, heights):
    total = 0
    for width in widths:
        for height in heights:
            if width > height:
                total -= width * height
            else:
                total += max(width, height) * 2
    return total
"""
SLOW_TESTS = """\
from area import area


def test_area():
    assert area([2, 3], [4, 5]) == 45


def test_other():
    assert area([1], [7]) == 7


def test_more():
    assert area([6, 2, 9], [1, 4]) == 85
"""


async def measure_editor(folder: Path, rounds: int) -> Findings:
    start, start_check = await _start(folder, rounds)
    light, light_check = await _light_bulb(folder, rounds)
    beside, beside_check = await _hover(folder)
    memory, memory_checks = await _memory(folder)
    lines = (
        "From the start of the process to the answer to `initialize`.",
        *("", *start, "", f"Code actions in a workspace of {N_FILES * N_TESTS:,} tests, all with results."),
        *("", *light, "", "A hover on a failing test, with and without a solve beside it."),
        *("", *beside, "", "The memory of one server, with a scripted box."),
        *("", *memory),
    )
    return Findings(lines, (start_check, light_check, beside_check, *memory_checks))


async def _start(folder: Path, rounds: int) -> tuple[list[str], Check]:
    own = environment(folder / "state")

    def method(name: str, command: list[str]) -> Method:
        async def once(_n: int, watch: Stopwatch) -> None:
            client = make_test_lsp_client()
            with watch.running():
                await client.start_io(*command, env=own, cwd=folder)
                told = await client.initialize_session(
                    lsp.InitializeParams(capabilities=capabilities("visual_studio_code"))
                )
            assert told.capabilities.text_document_sync is not None
            await client.shutdown_session()
            await client.stop()  # type: ignore[no-untyped-call]

        return Method(name, once)

    methods = [method(OURS, server_command()), method(NOTHING, [sys.executable, "-c", EMPTY])]
    samples = await in_turns(methods, rounds)
    ratio = samples[OURS].median / samples[NOTHING].median
    wanted = "editor: the start takes at most 1.3 times as long as that of an empty server"
    return table(samples, [NOTHING]), Check(wanted, times(ratio), ratio <= 1.3)


async def _light_bulb(folder: Path, rounds: int) -> tuple[list[str], Check]:
    root = folder / "large"
    root.mkdir()
    for n in range(N_FILES):
        tests = "".join(f"def test_{n}_{k}():\n    assert {k % 7} < 6\n\n\n" for k in range(N_TESTS))
        (root / f"test_{n}.py").write_text(tests)
    _broken(root)
    own = environment(folder / "state", sandbox="bubblewrap", apply="never")
    own["UNTILGREEN_TEST_LEDGER"] = os.devnull
    async with started(root, "visual_studio_code", own, command=SCRIPTED) as editor:
        uris = [editor.open(f"test_{n}.py") for n in range(N_FILES)]
        run = await editor.run("untilgreen.test", uri=uris[0])
        await editor.until_ended(run["job"])
        samples = {"code actions": await _bulbs(editor, uris, rounds, [])}
        await editor.solve(uris[0], "test_calc.py")
        waiting = ["Apply verified fix", "Review verified fix"]
        samples["with a fix that waits"] = await _bulbs(editor, uris, rounds, waiting)
    wanted = f"editor: code actions with {N_FILES * N_TESTS:,} tests, p95 under 20 ms"
    slowest = max(sample.p95 for sample in samples.values())
    return table(samples), Check(wanted, shown(slowest), slowest < 0.02)


async def _bulbs(editor: Editor, uris: list[str], rounds: int, fix: list[str]) -> Sample:
    """The cursor is everywhere once; a failing test brings its diagnostic along."""
    taken: list[float] = []
    for n in range(20 * rounds):
        file, k = n % N_FILES, n * 37 % N_TESTS
        begun = time.perf_counter()
        offered = await editor.actions(uris[file], 4 * k + 1)
        taken.append(time.perf_counter() - begun)
        this = f"Solve until green: this test (test_{file}_{k})"
        assert list(offered) == [
            *fix,
            this,
            "Solve until green: this file",
            "Solve until green: everything failing",
            "Run tests in the sandbox",
        ]
        assert bool(offered[this].diagnostics) == (k % 7 == 6), "it fails, and the action says so"
    return Sample(tuple(taken))


async def _hover(folder: Path) -> tuple[list[str], Check]:
    root = folder / "beside"
    root.mkdir()
    for name, text in (
        ("calc.py", BROKEN),
        ("test_calc.py", TESTS),
        ("area.py", SLOW_BUG),
        ("test_area.py", SLOW_TESTS),
    ):
        (root / name).write_text(text)
    own = environment(
        folder / "state", sandbox="bubblewrap", solver="offline", apply="never", max_seconds="15"
    )
    async with started(root, "visual_studio_code", own) as editor:
        tests = editor.open("test_calc.py")
        run = await editor.run("untilgreen.test", uri=tests)
        await editor.until_ended(run["job"])
        idle = await _hovers(editor, tests, lambda n: n < 300)
        job = (await editor.run("untilgreen.solve", uri=tests))["job"]
        busy = await _hovers(editor, tests, lambda _: "end" not in str(editor.progress(job)[-1:]))
    samples = {"idle": Sample(tuple(idle)), "while a solve runs": Sample(tuple(busy))}
    ratio = statistics.median(busy) / statistics.median(idle)
    wanted = "editor: a hover while a solve runs takes at most 3 times as long, median"
    return table(samples, ["idle"]), Check(wanted, times(ratio), ratio <= 3)


async def _hovers(editor: Editor, uri: str, go_on: Callable[[int], bool]) -> list[float]:
    taken: list[float] = []
    while go_on(len(taken)):
        begun = time.perf_counter()
        text = await editor.hover(uri, 3)
        taken.append(time.perf_counter() - begun)
        assert "expected: 3" in text
        await asyncio.sleep(0.005)
    return taken


async def _memory(folder: Path) -> tuple[list[str], list[Check]]:
    root = folder / "long"
    root.mkdir()
    _broken(root)
    own = environment(folder / "state", sandbox="bubblewrap", apply="never")
    own["UNTILGREEN_TEST_LEDGER"] = os.devnull
    seen: dict[str, int] = {}
    async with started(root, "visual_studio_code", own, command=SCRIPTED) as editor:
        code, tests = editor.open("calc.py"), editor.open("test_calc.py")

        async def change(times: int) -> int:
            """In a file of tests, whose text is read anew for each."""
            for n in range(times):
                editor.type(tests, TESTS + f"# {n}\n")
                if n % 100 == 0:
                    await editor.run("untilgreen.stop")
            await editor.run("untilgreen.stop")
            return _resident(editor.process.pid)

        seen["1,000 changes"] = await change(1000)
        seen[f"{CHANGES:,} changes"] = await change(CHANGES - 1000)
        editor.type(tests, TESTS)
        for n in range(1, JOBS + 1):
            job = (await editor.run("untilgreen.solve", uri=code))["job"]
            await editor.until_ended(job)
            if n in (FEW_JOBS, JOBS):
                seen[f"{n} jobs"] = _resident(editor.process.pid)
            editor.notices.clear()
            editor.client.progress_reports.clear()
    changes = seen[f"{CHANGES:,} changes"] - seen["1,000 changes"]
    jobs = seen[f"{JOBS} jobs"] - seen[f"{FEW_JOBS} jobs"]
    body = [[f"after {name}", f"{kilobytes / 1024:.1f} MB"] for name, kilobytes in seen.items()]
    most = f"grow the server by less than {MOST_GROWTH_KB // 1024} MB"
    return rows(["server", "resident"], body), [
        Check(f"editor: 9,000 more changes {most}", f"{changes:+d} kB", changes < MOST_GROWTH_KB),
        Check(f"editor: {JOBS - FEW_JOBS} more jobs {most}", f"{jobs:+d} kB", jobs < MOST_GROWTH_KB),
    ]


def _broken(root: Path) -> None:
    """What the scripted box knows how to mend."""
    for name, (broken, _) in scripted_box.BASE.items():
        (root / name).write_text(broken)
    (root / "test_calc.py").write_text(TESTS)


def _resident(pid: int) -> int:
    """Kilobytes."""
    found = re.search(r"^VmRSS:\s+(\d+) kB$", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found[1])
