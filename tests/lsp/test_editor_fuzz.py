"""The law of keystrokes: whatever is typed, solved, stopped, applied, undone and closed, and whenever.

Editor text = what the user typed, merged with what was applied. No keystroke is lost, none is doubled, no fix
is applied by half, no box is forgotten, and the server lives.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from boxes import SEED
from lsp.conftest import TESTS
from lsp.editor import Editor, Manners
from lsp.scripted_box import BASE, MARK
from lsp.starting import environment, started

SEQUENCES = 300 if os.environ.get("UNTILGREEN_SOAK") else 60
SCRIPTED = [sys.executable, str(Path(__file__).parent / "scripted_box.py")]
MORE_TESTS = TESTS + "\n\ndef test_twice():\n    from more import twice\n\n    assert twice(5) == 10\n"

TYPED = re.compile(rf"{MARK} \d+;")
ENDS = re.compile(rf"(  {MARK} \d+;)+$")
Step = tuple[str, int, int]
FILES = st.integers(0, 1)
LINES = st.integers(0, 12)
STEPS: st.SearchStrategy[Step] = st.one_of(
    st.tuples(st.sampled_from(["type", "touch", "cross", "after"]), FILES, LINES),
    st.tuples(st.sampled_from(["save", "close", "drop", "open", "take"]), FILES, st.just(0)),
    st.tuples(st.sampled_from(["solve", "solve", "test", "stop", "apply", "part"]), FILES, st.just(0)),
    st.tuples(st.sampled_from(["fix", "undo"]), FILES, st.just(0)),
    st.tuples(st.just("pause"), st.just(0), st.sampled_from([1, 5, 20, 60, 150])),
)


class User:
    """Types lines, and ends of lines, that nobody else would write, and remembers each."""

    def __init__(self, editor: Editor) -> None:
        self.editor = editor
        self.typed: dict[str, list[str]] = {name: [] for name in BASE}
        self.jobs: list[str] = []
        self._n = 0

    def uri(self, name: str) -> str | None:
        found = [uri for uri in self.editor.documents if uri.endswith(f"/{name}")]
        return found[0] if found else None

    def type(self, name: str, line: int, *, touch: bool = False) -> None:
        """A line of its own, or behind one that may be just what a fix changes."""
        if (uri := self.uri(name)) is None:
            return
        self._n += 1
        mark = f"{MARK} {self._n};"
        lines = self.editor.text(uri).split("\n")
        line = min(line, len(lines) - 1)
        if touch and lines[line]:
            lines[line] += f"  {mark}"
        else:
            lines.insert(line, mark)
        self.typed[name].append(mark)
        self.editor.type(uri, "\n".join(lines))

    async def do(self, step: Step) -> None:
        what, which, number = step
        editor, name = self.editor, list(BASE)[which]
        uri = self.uri(name)
        if what in ("type", "touch"):
            self.type(name, number, touch=what == "touch")
        elif what == "cross":

            def cross() -> None:
                editor.at_the_last_moment = lambda: None
                self.type(name, number)

            editor.at_the_last_moment = cross
        elif what == "after":
            # As soon as an edit is there; Neovim tells of both in one go.
            editor.right_after = lambda: self.type(name, number)
        elif what == "pause":
            await asyncio.sleep(number / 1000)
        elif what == "open" and uri is None:
            editor.open(name)
        elif what == "save" and uri is not None:
            editor.save(uri)
        elif what == "close" and uri is not None:
            editor.save(uri)
            editor.close(uri)
        elif what == "drop" and uri is not None:
            # What was not saved is gone, by the user's own wish. An edit that is on its way must not meet it:
            # editors do not look at the version of what is closed.
            await quiet(editor)
            editor.close(uri)
            self.typed[name] = TYPED.findall(self.text(name))
        elif what in ("solve", "fix", "test"):
            command = "untilgreen.test" if what == "test" else "untilgreen.solve"
            started_job = await editor.run(command, uri=self.any_uri())
            self.jobs += [started_job["job"]] if started_job["job"] else []
            if what == "fix":
                # What comes next finds it applied, unless something was in the way.
                await quiet(editor)
        elif what == "stop":
            await editor.run("untilgreen.stop")
        elif what == "undo":
            await editor.run("untilgreen.undo", uri=self.any_uri())
        elif what in ("apply", "part") and self.jobs:
            files = [name] if what == "part" else []
            await editor.run("untilgreen.apply", job=self.jobs[-1], files=files)
        elif what == "take" and uri is not None:
            offered = await editor.actions(uri, 0)
            for title, action in offered.items():
                if title.startswith("Apply verified fix"):
                    await editor.choose(action)

    def text(self, name: str) -> str:
        uri = self.uri(name)
        return self.editor.text(uri) if uri else (self.editor.root / name).read_text()

    def any_uri(self) -> str:
        return (self.editor.root / "test_calc.py").as_uri()

    def check(self) -> bool:
        """Without what was typed each text is the old or the new one; what was typed is there once.

        Whether there is a fix in one of them.
        """
        any_fixed = False
        for name, (broken, fixed) in BASE.items():
            text = self.text(name)
            assert sorted(TYPED.findall(text)) == sorted(self.typed[name]), f"keystrokes of {name}"
            bare = [ENDS.sub("", line) for line in text.split("\n") if not line.startswith(MARK)]
            rest = "\n".join(bare)
            assert rest in (broken, fixed), f"{name} is neither the old nor the new text:\n{text}"
            any_fixed = any_fixed or rest == fixed
        return any_fixed


async def quiet(editor: Editor) -> None:
    """Until nothing runs any more."""
    calm = 0
    for _ in range(1000):
        status = await editor.client.protocol.send_request_async("untilgreen/status", None)
        # An answer that is on its way may start something new.
        calm = calm + 1 if status.quiescent else 0
        if calm == 3:
            return
        await asyncio.sleep(0.02)
    raise AssertionError("the server does not come to rest")


class Rigs:
    """A server for each editor's manners, shared by all sequences."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runner = asyncio.Runner()
        self.editors: dict[Manners, Editor] = {}
        self.n_fixed = 0
        """In how many sequences a fix was in a file at the end."""
        self.n_undone = 0
        """In how many one was taken back."""
        self._stack = AsyncExitStack()
        self._n = 0

    def ledger(self, manners: Manners) -> Path:
        return self.folder / f"{manners}.ledger"

    async def start(self, manners: Manners) -> None:
        own = environment(self.folder / f"state {manners}", sandbox="bubblewrap")
        own["UNTILGREEN_TEST_LEDGER"] = str(self.ledger(manners))
        nothing = self.folder / f"nothing {manners}"
        nothing.mkdir()
        server = started(nothing, manners, own, command=SCRIPTED)
        self.editors[manners] = await self._stack.enter_async_context(server)

    @asynccontextmanager
    async def project(self, editor: Editor) -> AsyncIterator[None]:
        self._n += 1
        root = self.folder / f"{self._n}" / "project"
        root.mkdir(parents=True)
        for name, (broken, _) in BASE.items():
            (root / name).write_text(broken)
        (root / "test_calc.py").write_text(MORE_TESTS)
        await editor.begin(root, apply="auto")
        for name in BASE:
            editor.open(name)
        yield
        shutil.rmtree(root.parent)

    async def close(self) -> None:
        await self._stack.aclose()


@pytest.fixture(scope="module")
def rigs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rigs]:
    rigs = Rigs(tmp_path_factory.mktemp("fuzz"))
    with rigs.runner:
        for manners in ("visual_studio_code", "neovim"):
            rigs.runner.run(rigs.start(manners))  # type: ignore[arg-type]
        yield rigs
        rigs.runner.run(rigs.close())
        for manners in rigs.editors:
            noted = rigs.ledger(manners).read_text().splitlines()
            assert noted.count("open") == noted.count("close") > 0, "a box was forgotten"
        assert rigs.n_fixed >= SEQUENCES / 20, "without fixes it says nothing"
        assert rigs.n_undone >= SEQUENCES / 30, "without taking back, too"


async def sequence(rigs: Rigs, manners: Manners, answer: str | None, steps: list[Step]) -> None:
    editor = rigs.editors[manners]
    async with rigs.project(editor):
        editor.answer = answer
        user = User(editor)
        for step in steps:
            await user.do(step)
            user.check()
            assert editor.process.returncode is None
        editor.answer = None
        await quiet(editor)
        # What Neovim tells late, it has told by now.
        await asyncio.sleep(0.2 if manners == "neovim" else 0)
        rigs.n_fixed += user.check()
        rigs.n_undone += any("Undone in" in text for text in editor.messages())
        assert await editor.run("untilgreen.stop") is False
        assert editor.process.returncode is None


@pytest.mark.timeout(1800)
@seed(SEED)
@settings(max_examples=SEQUENCES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    manners=st.sampled_from(["visual_studio_code", "neovim"]),
    answer=st.sampled_from([None, "Apply", "Discard", "Solve again", "Keep my edits"]),
    steps=st.lists(STEPS, min_size=3, max_size=14),
)
def test_no_keystroke_is_ever_lost(
    rigs: Rigs, manners: Manners, answer: str | None, steps: list[Step]
) -> None:
    rigs.runner.run(sequence(rigs, manners, answer, steps))
