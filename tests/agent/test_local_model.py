"""One run with real weights on this machine, from the question to the verdict.

The model is far too small to write code. It shows that a real server is understood, that bad answers are
survived, and that the verdict is honest whatever it says.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent.parent
FILES = {
    "calc.py": 'def add(a, b):\n    """The sum of both."""\n    return a - b\n',
    "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
}
ENDS = {"green": 0, "better": 1, "stuck": 1, "budget": 1}


@pytest.mark.timeout(1800)
def test_a_real_model_is_asked_and_the_verdict_is_honest(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    for path, text in FILES.items():
        (root / path).write_text(text)
    recording = tmp_path / "recording.jsonl"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("UNTILGREEN_")}
    environment |= {"XDG_STATE_HOME": str(tmp_path / "state"), "UNTILGREEN_MODEL_SECONDS": "600"}
    command = [
        sys.executable,
        "-m",
        "untilgreen",
        "solve",
        "--root",
        root,
        "--sandbox",
        "bubblewrap",
        "--json",
    ]
    command += ["--solver", "model", "--max-seconds", "900", "--max-attempts", "3", "--record", recording]
    done = subprocess.run(
        [REPOSITORY / "scripts/with-local-model", *command],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
    )
    told = json.loads(done.stdout)
    assert told.get("verdict") in ENDS, (told, done.stderr)
    assert done.returncode == ENDS[told["verdict"]]
    assert told["tokens"] > 0 and told["usd"] == 0
    assert len(recording.read_text().splitlines()) > 1, "it said something"
    assert {path: (root / path).read_text() for path in FILES} == FILES, "nothing was asked to be written"
    if told["verdict"] == "green":
        subprocess.run(["patch", "-p1"], cwd=root, input=told["patch"], text=True, check=True)
        subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"], cwd=root, check=True)
