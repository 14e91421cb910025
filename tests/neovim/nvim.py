"""A real Neovim, driven by its own protocol, with the plugin installed as a user would have it."""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgpack

REPOSITORY = Path(__file__).parent.parent.parent
PLUGIN = REPOSITORY / "editors/neovim"
VERSIONS = ("0.10", "0.12")
# This machine may be busy with other tests, and watch mode lets all of them go first.
PATIENCE = 120.0


def program(version: str) -> Path:
    """Where scripts/neovim puts it."""
    return REPOSITORY / ".cache/neovim" / version / "bin/nvim"


def environment(home: Path, **settings: str) -> dict[str, str]:
    """A home of its own for everything that Neovim and the server keep; nothing of the user's."""
    folders = {
        "XDG_CONFIG_HOME": "config",
        "XDG_DATA_HOME": "data",
        "XDG_STATE_HOME": "state",
        "XDG_CACHE_HOME": "cache",
        "XDG_RUNTIME_DIR": "run",
        "XDG_CONFIG_DIRS": "none",
        "XDG_DATA_DIRS": "none",
    }
    for name in folders.values():
        (home / name).mkdir(parents=True, exist_ok=True, mode=0o700)
    own = {
        "HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "UNTILGREEN_STATE": str(home / "untilgreen"),
        "UNTILGREEN_CONFIG": os.devnull,
        "UNTILGREEN_SOLVER": "offline",
        "UNTILGREEN_SANDBOX": "bubblewrap",
        "TERM": "xterm-256color",
        "LANG": "C.UTF-8",
    }
    left_out = ("NVIM", "VIM", "VIMRUNTIME", "NVIM_LOG_FILE", "TMUX", "LC_ALL")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    said = {f"UNTILGREEN_{name.upper()}": value for name, value in settings.items()}
    return kept | own | {name: str(home / folder) for name, folder in folders.items()} | said


def install(home: Path, configuration: str = "") -> None:
    """The plugin as a package that is loaded at start-up, and the user's own init.lua."""
    package = home / "data/nvim/site/pack/test/start"
    package.mkdir(parents=True, exist_ok=True)
    if not (package / "untilgreen").exists():
        (package / "untilgreen").symlink_to(PLUGIN)
    (home / "config/nvim").mkdir(parents=True, exist_ok=True)
    (home / "config/nvim/init.lua").write_text(configuration)


class NeovimError(Exception):
    """What Neovim answered instead of a result."""


class Neovim:
    """One Neovim without a screen."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._unpacker = msgpack.Unpacker(strict_map_key=False, unicode_errors="surrogateescape")
        self._numbers = itertools.count()

    def request(self, method: str, *arguments: object, patience: float = PATIENCE) -> Any:
        assert self._process.stdin is not None
        number = next(self._numbers)
        self._process.stdin.write(msgpack.packb([0, number, method, list(arguments)]))
        self._process.stdin.flush()
        return self._answer(number, method, time.monotonic() + patience)

    def lua(self, code: str, *arguments: object) -> Any:
        """Run a chunk of Lua; its result comes back."""
        return self.request("nvim_exec_lua", code, list(arguments))

    def command(self, command: str) -> None:
        self.request("nvim_command", command)

    def keys(self, keys: str) -> None:
        """As typed; returns when Neovim has taken them."""
        self.request(
            "nvim_feedkeys", self.request("nvim_replace_termcodes", keys, True, True, True), "xt", True
        )

    def until(self, expression: str, *arguments: object, patience: float = PATIENCE) -> Any:
        """Wait until a Lua expression is true, and return its value; `...` in it are the arguments."""
        deadline = time.monotonic() + patience
        while not (value := self.lua(f"return {expression}", *arguments)):
            if time.monotonic() > deadline:
                raise AssertionError(f"never true: {expression} {json.dumps(arguments)}\n{self.report()}")
            time.sleep(0.03)
        return value

    def edit(self, path: Path, line: int = 1) -> None:
        self.request("nvim_cmd", {"cmd": "edit", "args": [str(path)]}, {})
        self.request("nvim_win_set_cursor", 0, [line, 0])

    def text(self, path: Path | None = None) -> str:
        """Of a buffer, the current one when none is named."""
        number = self.request("nvim_call_function", "bufnr", [str(path)]) if path else 0
        return "".join(f"{line}\n" for line in self.request("nvim_buf_get_lines", number, 0, -1, True))

    def messages(self) -> list[str]:
        told = self.request("nvim_exec2", "messages", {"output": True})["output"]
        return [line for line in str(told).split("\n") if line]

    def is_blocked(self) -> bool:
        return bool(self.request("nvim_get_mode")["blocking"])

    def report(self) -> str:
        # It may be a Neovim without the plugin.
        log = self.lua(
            "local is_there, log = pcall(require, 'untilgreen.log') return is_there and log.lines() or {}"
        )
        return "\n".join(["messages:", *self.messages(), "log:", *log])

    def _answer(self, number: int, method: str, deadline: float) -> Any:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        while True:
            for message in self._unpacker:
                if message[0] == 1 and message[1] == number:
                    if message[2] is not None:
                        raise NeovimError(f"{method}: {message[2]}")
                    return message[3]
            if not select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
                blocked = method != "nvim_get_mode" and self.is_blocked()
                raise AssertionError(
                    f"no answer to {method}" + (", Neovim waits for a key" if blocked else "")
                )
            data = os.read(descriptor, 1 << 16)
            if not data:
                raise AssertionError(
                    f"Neovim ended with {self._process.wait()} instead of an answer to {method}"
                )
            self._unpacker.feed(data)


@contextmanager
def neovim(version: str, variables: Mapping[str, str], folder: Path, *arguments: str) -> Iterator[Neovim]:
    """Whatever the test did, none is left behind."""
    process = subprocess.Popen(
        [str(program(version)), "--embed", "--headless", "-n", *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=dict(variables),
    )
    editor = Neovim(process)
    try:
        yield editor
        with_exit(editor, process)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


def with_exit(editor: Neovim, process: subprocess.Popen[bytes]) -> None:
    """Leave as a user does, and be gone soon."""
    with suppress(AssertionError):
        editor.command("qall!")
    assert process.wait(PATIENCE) == 0
