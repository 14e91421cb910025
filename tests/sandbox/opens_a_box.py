"""Opens a box in a process of its own and runs until it is ended from outside; a program, not a test.

usage: python opens_a_box.py BACKEND ROOT ENVIRONMENT MARKER
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from boxes import Rig, environment_at, run_one

LONG = """\
    import os, subprocess, sys, time
    def test_long():
        for _ in range(3):
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", {marker!r}],
                             start_new_session=True)
        if os.fork() == 0:
            os.setsid()
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", {marker!r}])
        open("/tmp/file", "w").write("x")
        time.sleep(600)
    """


async def main() -> None:
    backend, root, environment, marker = sys.argv[1:]
    assert backend in ("bubblewrap", "docker")
    rig = Rig(backend, Path(root), environment_at(Path(environment)))  # type: ignore[arg-type]
    async with rig.box() as box:
        await run_one(box, LONG.format(marker=marker))


if __name__ == "__main__":
    asyncio.run(main())
