"""Draw docs/demo.svg from a real run of the demo: `.venv/bin/python scripts/picture.py`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

WIDTH = 108
TARGET = Path(__file__).parent.parent / "docs/demo.svg"


def main() -> None:
    # One stream for both, so that progress and result stand in the order in which they came.
    done = subprocess.run(
        [sys.executable, "-m", "untilgreen", "demo"],
        env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(WIDTH)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=True,
    )
    with Path(os.devnull).open("w") as nowhere:
        console = Console(record=True, width=WIDTH, file=nowhere)
        console.print(Text.from_ansi(done.stdout.decode()))
        picture = console.export_svg(title="untilgreen demo", unique_id="demo")
    # A reader's machine should not fetch fonts from somewhere to look at it.
    TARGET.write_text(re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL))


main()
