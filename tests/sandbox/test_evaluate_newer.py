"""A newer Python has other code objects, and the same is said of candidates."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest

from boxes import own_interpreter, put
from sandbox.candidates import version
from sandbox.evaluated_project import FILES
from sandbox.evaluated_shapes import EVERY
from untilgreen_sandbox.box import BoxSpec, Chosen, RunRequest, open_box
from untilgreen_sandbox.evaluation import EvaluationRequest


@pytest.mark.timeout(300)
async def test_the_right_version_is_found_by_a_newer_python(tmp_path: Path) -> None:
    interpreter = dataclasses.replace(own_interpreter(), version=(3, 13))
    spec = BoxSpec(tmp_path / "project", interpreter, base_image=os.environ["UNTILGREEN_NEWER_BASE"])
    found = {}
    async with open_box(Chosen("docker", "for a test"), spec) as box:
        await put(box, FILES)
        for name, shape in EVERY.items():
            edits = (shape.wrong, shape.right, ("\n", "  # Nothing else.\n"))
            candidates = tuple(version(shape.function, *edit, nth=shape.nth) for edit in edits)
            wanted = EvaluationRequest(candidates, tuple(f"test_shapes.py::{test}" for test in shape.tests))
            told = await box.evaluate(RunRequest(("test_shapes.py",)), wanted)
            found[name] = [one.how for one in told.tried][1:]
    assert found == {name: ["plausible", "duplicate"] for name in EVERY}
