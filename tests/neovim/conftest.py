"""Projects with failing tests, and a Neovim of each version that the tests of a file share."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from neovim.nvim import PATIENCE, VERSIONS, Neovim, environment, install, neovim

BROKEN = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TESTS = """\
from calc import add


def test_add():
    total = add(1, 2)
    assert total == 3
    assert add(2, 1) == 3
    assert add(-4, 7) == 3
    assert add(0, 5) == 5
"""
ACT = """
CHOSEN = nil
vim.ui.select = function(items, options, chosen)
  for n, item in ipairs(items) do
    if options.format_item(item):find(WANTED, 1, true) then
      CHOSEN = options.format_item(item)
      return chosen(item, n)
    end
  end
end
WANTED = ...
vim.lsp.buf.code_action()
"""
Files = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Story:
    """A project, and a Neovim to open it in."""

    nvim: Neovim
    root: Path

    @property
    def code(self) -> Path:
        return self.root / "calc.py"

    @property
    def tests(self) -> Path:
        return self.root / "test_calc.py"

    def script(self, *proposals: Files, **more: object) -> str:
        """A solver that proposes just these changes; what is said more belongs to the last one."""
        told: list[dict[str, object]] = [
            {"hypothesis": f"change {n}", "files": dict(files)} for n, files in enumerate(proposals, 1)
        ]
        told[-1].update(more)
        path = self.root.parent / "script.json"
        path.write_text(json.dumps({"name": "scripted", "proposals": told}))
        return f"scripted:{path}"

    def open(self, path: Path, line: int = 1, **settings: object) -> None:
        """Open a file; with it comes a server, which has these settings."""
        self.nvim.lua("vim.g.untilgreen = { settings = ... }", settings)
        self.nvim.command("messages clear")
        self.nvim.edit(path, line)
        self.nvim.until("#vim.lsp.get_clients({ name = 'untilgreen', bufnr = 0 }) > 0")

    def act(self, title: str) -> None:
        """Choose a code action, as from a menu."""
        self.nvim.lua(ACT, title)
        self.nvim.until("CHOSEN")

    def until_saved(self, path: Path, text: str) -> None:
        """Until a file holds this text on disk."""
        deadline = time.monotonic() + PATIENCE
        while not path.exists() or path.read_text() != text:
            assert time.monotonic() < deadline, self.nvim.report()
            time.sleep(0.03)

    def until_said(self, *parts: str) -> str:
        """Until a message holds all of these; there is no other message."""
        deadline = time.monotonic() + PATIENCE
        while not (told := self.nvim.messages()):
            assert time.monotonic() < deadline, self.nvim.report()
            time.sleep(0.03)
        assert len(told) == 1, self.nvim.report()
        [line] = told
        assert all(part in line for part in parts), self.nvim.report()
        self.nvim.command("messages clear")
        return line

    def close(self) -> None:
        """Nothing of it is left in the Neovim that others use, too."""
        self.nvim.lua("vim.tbl_map(require('untilgreen.client').stop, vim.lsp.get_clients())")
        self.nvim.until("#vim.lsp.get_clients() == 0")
        self.nvim.command("silent! tabonly | silent! only | silent! %bwipeout!")
        self.nvim.lua("vim.fn.setqflist({}, 'f')")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Each story in one of the versions; pictures are taken in all."""
    for item in items:
        if "version" in getattr(item, "fixturenames", ()) and item.path.name != "test_screen.py":
            item.add_marker("dealt")


@pytest.fixture(params=VERSIONS)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Neovim]]:
    """Neovims that the tests of a file share, started when they are first needed."""
    running: dict[str, Neovim] = {}
    with ExitStack() as stack:

        def share(version: str) -> Neovim:
            if version not in running:
                home = tmp_path_factory.mktemp("home")
                install(home)
                running[version] = stack.enter_context(neovim(version, environment(home), home))
            return running[version]

        yield share


@pytest.fixture
def story(shared: Callable[[str], Neovim], version: str, tmp_path: Path) -> Iterator[Story]:
    """One test fails, and there is one honest way to mend it."""
    story = Story(shared(version), project(tmp_path / "work space"))
    yield story
    story.close()


def project(root: Path) -> Path:
    root.mkdir()
    (root / "pyproject.toml").write_text("")
    (root / "calc.py").write_text(BROKEN)
    (root / "test_calc.py").write_text(TESTS)
    return root
