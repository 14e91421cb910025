"""The law of keystrokes with watch mode on: fixes come by themselves, at any moment, and none loses a key."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from boxes import SEED
from lsp.editor import Editor, Manners
from lsp.scripted_box import BASE
from lsp.starting import environment, started
from lsp.test_editor_fuzz import STEPS, TYPED, Rigs, Step, User, quiet
from untilgreen.lsp.folders import uri_of

SEQUENCES = 200 if os.environ.get("UNTILGREEN_SOAK") else 15
TESTS_FOLDER = Path(__file__).parent.parent
SCRIPTED = [sys.executable, str(TESTS_FOLDER / "watch/scripted_server.py")]
HABITS: st.SearchStrategy[Step] = st.one_of(
    STEPS,
    st.tuples(st.sampled_from(["save", "save", "drop", "outside"]), st.integers(0, 1), st.just(0)),
    st.tuples(st.just("mode"), st.just(0), st.integers(0, 3)),
    st.tuples(st.just("pause"), st.just(0), st.sampled_from([60, 150, 300])),
)


class Watcher(User):
    """Saves, drops what was typed, switches modes; and others write files beside the editor."""

    async def do(self, step: Step) -> None:
        what, which, number = step
        name = list(BASE)[which]
        uri = self.uri(name)
        path = self.editor.root / name
        if what == "mode":
            await self.watch(("off", "diagnose", "suggest", "fix")[number])
        elif what == "drop" and uri is not None:
            self.editor.close(uri)
            self.typed[name] = TYPED.findall(path.read_text())
        elif what == "outside" and uri is None:
            self._n += 1
            mark = f"# typed {self._n};"
            path.write_text(f"{mark}\n{path.read_text()}")
            self.typed[name].append(mark)
        else:
            await super().do(step)

    async def watch(self, mode: str) -> None:
        await self.editor.run("untilgreen.watch", uri=uri_of(self.editor.root), mode=mode)


class WatchRigs(Rigs):
    async def start(self, manners: Manners) -> None:
        own = environment(self.folder / f"state {manners}", sandbox="bubblewrap")
        own["UNTILGREEN_TEST_LEDGER"] = str(self.ledger(manners))
        own["PYTHONPATH"] = os.pathsep.join([str(TESTS_FOLDER), os.environ.get("PYTHONPATH", "")])
        nothing = self.folder / f"nothing {manners}"
        nothing.mkdir()
        server = started(nothing, manners, own, command=SCRIPTED)
        self.editors[manners] = await self._stack.enter_async_context(server)


@pytest.fixture(scope="module")
def rigs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WatchRigs]:
    rigs = WatchRigs(tmp_path_factory.mktemp("watched"))
    with rigs.runner:
        for manners in ("visual_studio_code", "neovim"):
            rigs.runner.run(rigs.start(manners))  # type: ignore[arg-type]
        yield rigs
        rigs.runner.run(rigs.close())
        for manners in rigs.editors:
            noted = rigs.ledger(manners).read_text().splitlines()
            assert noted.count("open") == noted.count("close") > 0, "a box was forgotten"
        assert rigs.n_fixed >= SEQUENCES / 5, "without fixes it says nothing"


async def sequence(rigs: WatchRigs, manners: Manners, steps: list[Step]) -> None:
    editor: Editor = rigs.editors[manners]
    async with rigs.project(editor):
        user = Watcher(editor)
        await user.watch("fix")
        for step in steps:
            await user.do(step)
        await user.watch("fix")
        for name in BASE:
            if (uri := user.uri(name)) is not None:
                editor.save(uri)
        # What Neovim tells late, it has told by now.
        await asyncio.sleep(0.3)
        await quiet(editor)
        rigs.n_fixed += user.check()
        await user.watch("off")
        await quiet(editor)
        assert await editor.run("untilgreen.stop") is False
        assert editor.process.returncode is None


@pytest.mark.timeout(1800)
@seed(SEED)
@settings(max_examples=SEQUENCES, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(
    manners=st.sampled_from(["visual_studio_code", "neovim"]),
    steps=st.lists(HABITS, min_size=3, max_size=12),
)
def test_no_keystroke_is_lost_while_fixes_come_by_themselves(
    rigs: WatchRigs, manners: Manners, steps: list[Step]
) -> None:
    rigs.runner.run(sequence(rigs, manners, steps))
