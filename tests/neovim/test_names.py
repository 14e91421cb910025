"""Names: commands, completion, mappings, help, messages; and what it costs to have them."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from neovim.nvim import PLUGIN, REPOSITORY, Neovim, environment, install, program
from untilgreen.lsp import ext

COMMANDS = ["apply", "discard", "doctor", "history", "log", "review"]
COMMANDS += ["solve", "stop", "test", "undo", "watch"]
LUA = sorted(PLUGIN.rglob("*.lua"))


@pytest.fixture
def nvim(shared: Callable[[str], Neovim], version: str) -> Iterator[Neovim]:
    nvim = shared(version)
    nvim.command("messages clear")
    yield nvim
    assert nvim.messages() == []


def completed(nvim: Neovim, line: str) -> list[str]:
    return list(nvim.lua("return vim.fn.getcompletion(..., 'cmdline')", line))


def test_it_is_the_neovim_that_was_meant(nvim: Neovim, version: str) -> None:
    assert nvim.lua("return tostring(vim.version())").startswith(f"{version}.")


def test_commands_are_completed(nvim: Neovim) -> None:
    assert completed(nvim, "Untilgreen ") == COMMANDS
    assert completed(nvim, "Untilgreen s") == ["solve", "stop"]
    assert completed(nvim, "Untilgreen solve ") == ["test", "file", "all"]
    assert completed(nvim, "vertical Untilgreen test f") == ["file"]
    assert completed(nvim, "Untilgreen watch ") == ["off", "diagnose", "suggest", "fix"]
    assert completed(nvim, "Untilgreen stop ") == []
    assert completed(nvim, "Untilgreen solve file ") == []
    assert completed(nvim, "Untilgreen nonsense ") == []


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("Untilgreen", "no server is running"),
        ("Untilgreen nonsense", "there is no :Untilgreen nonsense"),
        ("Untilgreen apply", "no fix is waiting"),
        ("Untilgreen review 20260101-nothing", "there is no fix of job 20260101-nothing"),
        ("Untilgreen watch always", "watch modes are off, diagnose, suggest, fix, not always"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(nvim: Neovim, command: str, said: str) -> None:
    nvim.command(command)
    [line] = nvim.messages()
    assert line.startswith("untilgreen: ") and said in line
    assert not nvim.is_blocked()
    nvim.command("messages clear")


def test_mappings_wait_for_keys_of_the_user(nvim: Neovim) -> None:
    own = (
        "vim.tbl_filter(function(m) return (m.rhs or ''):find('Untilgreen') end, vim.api.nvim_get_keymap(''))"
    )
    names = [mapping["lhs"] for mapping in nvim.lua(f"return {own}")]
    assert len(names) == 14
    assert all(re.fullmatch(r"<Plug>\(untilgreen-[a-z-]+\)", name) for name in names)


def test_help_has_a_tag_for_everything(nvim: Neovim, tmp_path: Path) -> None:
    shutil.copytree(PLUGIN / "doc", tmp_path / "doc", ignore=shutil.ignore_patterns("tags"))
    nvim.command(f"helptags {tmp_path}/doc")
    tags = {line.split("\t")[0] for line in (tmp_path / "doc/tags").read_text().splitlines()}
    options = nvim.lua("return vim.tbl_keys(require('untilgreen.config').get())")
    mappings = re.findall(r'\["([a-z-]+)"\] =', (PLUGIN / "plugin/untilgreen.lua").read_text())
    functions = nvim.lua("return vim.tbl_keys(require('untilgreen'))")
    assert {f":Untilgreen-{name}" for name in COMMANDS} <= tags
    assert {f"untilgreen-option-{name}" for name in options} <= tags
    assert {f"<Plug>(untilgreen-{name})" for name in mappings} <= tags
    assert {f"untilgreen.{name}()" for name in functions} <= tags
    # What the help and the messages point to is there.
    texts = [path.read_text() for path in (*LUA, PLUGIN / "doc/untilgreen.txt")]
    wanted = {
        name for text in texts for name in re.findall(r"(?::help |\|)(:?untilgreen-[a-z-]+)", text, re.I)
    }
    assert len(wanted) > 10 and wanted <= tags
    assert max(len(line) for line in (PLUGIN / "doc/untilgreen.txt").read_text().splitlines()) <= 79


def test_options_are_described_and_checked(nvim: Neovim) -> None:
    described = (PLUGIN / "lua/untilgreen/config.lua").read_text()
    for name in nvim.lua("return vim.tbl_keys(require('untilgreen.config').get())"):
        assert f"---@field {name}? " in described and f"---@field {name} " in described
    nvim.lua(
        "vim.g.untilgreen = { progress = 'loud', lenses = 1, nonsense = true, cmd = {}, quickfix = false }"
    )
    assert nvim.lua("return require('untilgreen.config').problems()").keys() == {
        "progress",
        "lenses",
        "nonsense",
        "cmd",
    }
    got = nvim.lua("return require('untilgreen.config').get()")
    nvim.lua("vim.g.untilgreen = nil")
    assert (got["progress"], got["lenses"], got["quickfix"]) == ("auto", True, False)
    assert got["cmd"] == ["untilgreen", "serve"]


def test_messages_are_those_of_the_server(nvim: Neovim) -> None:
    mirrored = nvim.lua("return require('untilgreen.messages')")
    own = {name: value for name, value in vars(ext).items() if name.isupper() and isinstance(value, str)}
    # The test tree is for editors that have one.
    assert mirrored == {name: value for name, value in own.items() if not value.startswith("experimental/")}
    # And only there are they spelt out.
    spelt = [
        path.name for path in LUA if re.search(r'"untilgreen(\.[a-z]+|/[a-z]+)"', without_requires(path))
    ]
    assert spelt == ["messages.lua"]


def without_requires(path: Path) -> str:
    return re.sub(r'(require\(|package\.loaded\[|augroup\(|namespace\()"[^"]+"', "", path.read_text())


def test_the_version_is_that_of_the_server(nvim: Neovim) -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    assert nvim.lua("return require('untilgreen.server').VERSION") == project["version"]


def test_it_costs_next_to_nothing_until_it_is_used(version: str, tmp_path: Path) -> None:
    install(tmp_path)
    (tmp_path / "notes.md").write_text("# Notes\n")
    runs = [started(program(version), tmp_path) for _ in range(5)]
    for modules, sourced in runs:
        assert len(modules) > 5 and not [name for name in modules if name.startswith("untilgreen")]
        assert [Path(words[-1]).name for words in sourced] == ["untilgreen.lua"]
    # Its own milliseconds, about one half; whatever else this machine does, it makes none of them faster.
    assert min(float(sourced[0][2].rstrip(":")) for _, sourced in runs) < 2.0


def started(program: Path, folder: Path) -> tuple[list[str], list[list[str]]]:
    """Which Lua modules a Neovim has loaded that shows some file, and what of ours it has sourced."""
    times = folder / "times"
    times.unlink(missing_ok=True)
    loaded = "lua io.write(table.concat(vim.tbl_keys(package.loaded), '\\n'))"
    done = subprocess.run(
        [program, "--headless", "--startuptime", times, "notes.md", "-c", loaded, "-c", "qall"],
        env=environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = times.read_text().splitlines()
    # The repository, which holds this Neovim, too, may lie in a folder of our name.
    ours = re.compile(r"\buntilgreen(/\w+)?\.lua$")
    return done.stdout.split(), [line.split() for line in lines if ours.search(line)]


@pytest.mark.parametrize("path", LUA, ids=lambda path: path.name)
def test_files_are_short_and_neat(path: Path) -> None:
    lines = path.read_text().splitlines()
    if path.name != "settings.lua":
        assert len(lines) <= 250 and max(map(len, lines)) <= 120
    assert not [line for line in lines if line != line.rstrip() or "\t" in line]
