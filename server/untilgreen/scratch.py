"""Folders for a moment: each bears the name of its process, so that what a killed one left is found."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from untilgreen_sandbox.owner import Owner, is_gone, this_process


@contextmanager
def scratch_folder(folder: Path) -> Iterator[Path]:
    """An empty folder below this one, gone at the end."""
    mine = folder / this_process().text()
    mine.mkdir(mode=0o700, parents=True)
    try:
        yield mine
    finally:
        shutil.rmtree(mine, ignore_errors=True)


def sweep(folder: Path) -> None:
    """Remove what processes left that are certainly gone."""
    for left in folder.glob("*"):
        owner = Owner.parse(left.name)
        if owner is not None and is_gone(owner):
            shutil.rmtree(left, ignore_errors=True)
