"""Calls a program with random input and prints what it does: `python observing.py HIDDEN SEED`.

The program is whatever version of it stands on the path.
"""

from __future__ import annotations

import importlib.util
import random
import sys


def main() -> None:
    hidden, seed = sys.argv[1:]
    spec = importlib.util.spec_from_file_location("hidden", hidden)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for line in module.observe(random.Random(seed)):
        print(line.replace("\n", "\\n"))


if __name__ == "__main__":
    main()
