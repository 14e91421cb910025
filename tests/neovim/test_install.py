"""Installing it as the README says: the server as a wheel, and the plugin from the sub-folder."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from boxes import SEED
from neovim.conftest import project
from neovim.nvim import PLUGIN, REPOSITORY, VERSIONS, environment, install, neovim

pytestmark = pytest.mark.timeout(400)
CLIENTS = "vim.lsp.get_clients({ name = 'untilgreen', bufnr = 0 })"


def lines_of_the_readme(language: str, part: str) -> str:
    """The one block of code with this in it."""
    blocks = re.findall(rf"```{language}\n(.*?)```", (PLUGIN / "README.md").read_text(), re.DOTALL)
    [block] = [block for block in blocks if part in block]
    return str(block)


def test_as_a_package_that_is_loaded_late(version: str, tmp_path: Path) -> None:
    variables = {**environment(tmp_path), "XDG_DATA_HOME": str(tmp_path / ".local/share")}
    (tmp_path / "src").mkdir()
    (tmp_path / "src/untilgreen").symlink_to(REPOSITORY)
    subprocess.run(["sh", "-ec", lines_of_the_readme("sh", "ln -s")], env=variables, check=True)
    root = project(tmp_path / "work")
    with neovim(version, variables, root, "calc.py") as nvim:
        nvim.until("vim.v.vim_did_enter == 1")
        assert nvim.lua("return vim.fn.exists(':Untilgreen')") == 0
        nvim.command("packadd untilgreen")
        # The file that is open already is not forgotten.
        nvim.until(f"#{CLIENTS} == 1")
        assert nvim.messages() == []


def test_by_the_package_manager_of_neovim(tmp_path: Path) -> None:
    variables = environment(tmp_path)
    copy = tmp_path / "src/untilgreen"
    shutil.copytree(PLUGIN, copy / "editors/neovim")
    for words in (
        ["init"],
        ["add", "."],
        ["-c", "user.name=me", "-c", "user.email=me@x", "commit", "-m", "x"],
    ):
        subprocess.run(["git", *words], cwd=copy, env=variables, check=True, capture_output=True)
    told = lines_of_the_readme("lua", "vim.pack.add")
    assert "/home/me/" in told
    # It asks whether it may; nobody is here to answer.
    yes = "vim.fn.confirm = function() return 1 end\n"
    (tmp_path / "config/nvim").mkdir()
    (tmp_path / "config/nvim/init.lua").write_text(yes + told.replace("/home/me/", f"{tmp_path}/"))
    root = project(tmp_path / "work")
    with neovim("0.12", variables, root, "calc.py") as nvim:
        nvim.until(f"#{CLIENTS} == 1")
        [found] = nvim.lua("return vim.api.nvim_get_runtime_file('plugin/untilgreen.lua', true)")
        assert found.startswith(str(tmp_path / "data"))


def test_the_server_of_a_wheel_is_a_whole_one(tmp_path: Path) -> None:
    """In one of the versions: which editor starts it makes no difference to what is missing in it."""
    version = random.Random(f"{SEED} wheel").choice(VERSIONS)
    [line] = re.findall(
        r"^\t@\$\(BIN\)/pip (wheel .*) \.$", (REPOSITORY / "Makefile").read_text(), re.MULTILINE
    )
    words = line.replace("--wheel-dir dist", f"--wheel-dir {tmp_path}").split()
    run(sys.executable, "-m", "pip", *words, str(REPOSITORY))
    [wheel] = tmp_path.glob("untilgreen-*.whl")
    run(sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv"))
    own = tmp_path / "venv/bin/python"
    run(sys.executable, "-m", "pip", "--python", str(own), "install", "--no-deps", "--no-index", str(wheel))
    # What it needs is taken from here, all but itself.
    [packages] = (tmp_path / "venv/lib").glob("python3*/site-packages")
    (packages / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    install(tmp_path)
    variables = environment(tmp_path)
    variables.pop("PYTHONPATH", None)
    variables["PATH"] = f"{own.parent}:{os.environ['PATH']}"
    root = project(tmp_path / "work")
    with neovim(version, variables, root, "test_calc.py") as nvim:
        nvim.until(f"#{CLIENTS} == 1")
        assert nvim.lua("return vim.fn.exepath('untilgreen')") == str(own.parent / "untilgreen")
        where = nvim.lua(
            "return vim.fn.system({ ..., '-c', 'import untilgreen; print(untilgreen.__file__)' })", str(own)
        )
        assert where.startswith(str(packages))
        nvim.command("Untilgreen test all")
        nvim.until("#vim.diagnostic.get(0) == 1")


def run(*words: str) -> None:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
