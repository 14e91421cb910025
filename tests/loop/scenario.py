"""One scenario: a broken workspace, scripted proposals, what happens meanwhile, and how it must end."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from untilgreen.settings import Settings, read

FOLDER = Path(__file__).parent / "scenarios"
DELETED = "DELETE"


@dataclass(frozen=True, slots=True)
class Scenario:
    """What one file says; every part but the expectation may be left out."""

    name: str
    about: str
    expect: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    uses: str = ""
    """The name of a scenario in `projects/` whose files lie below these."""
    root: str = ""
    """The folder that is solved, below that of the files."""
    goal: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    proposals: tuple[Mapping[str, Any], ...] = ()
    rungs: tuple[Mapping[str, Any], ...] = ()
    edits: tuple[Mapping[str, str], ...] = ()
    """The user's: when (an event), path, old and new text."""
    stop: str = ""
    """The event at which the job is stopped; `at once` before its first step."""
    chances: tuple[Mapping[str, Any], ...] = ()
    """Tests that tell something else in one run: state, run (from 1), test, outcome."""
    encoding: str = "utf-8"
    crlf: bool = False
    bom: bool = False

    @classmethod
    def load(cls, path: Path) -> Scenario:
        value: dict[str, Any] = tomllib.loads(path.read_text())
        if uses := value.get("uses"):
            below = tomllib.loads((FOLDER / "projects" / f"{uses}.toml").read_text())
            value["files"] = {**below["files"], **value.get("files", {})}
        for name in ("goal", "proposals", "rungs", "edits", "chances"):
            value[name] = tuple(value.get(name, ()))
        return cls(name=path.stem, **value)

    def write(self, folder: Path) -> None:
        for path, text in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self.bytes_of(text))

    def bytes_of(self, text: str) -> bytes:
        return self._text(text).encode(self.encoding)

    def solver(self, script: Path) -> str:
        if self.rungs:
            steps = [[self._step(step) for step in rung["proposals"]] for rung in self.rungs]
            rungs = [{**rung, "proposals": some} for rung, some in zip(self.rungs, steps, strict=True)]
            script.write_text(json.dumps({"rungs": rungs}))
        else:
            script.write_text(json.dumps({"proposals": [self._step(step) for step in self.proposals]}))
        return f"scripted:{script}"

    def settings_for(self, backend: str, folder: Path) -> Settings:
        raw = {"sandbox": backend, "solver": self.solver(folder / "script.json"), **self.settings}
        settings, problems = read({**raw, "sandbox_base": os.environ.get("UNTILGREEN_SANDBOX_BASE", "")})
        assert problems == ()
        return settings

    def proposed(self) -> list[dict[str, bytes | None]]:
        """The files of every proposal, as bytes."""
        steps = [*self.proposals, *(step for rung in self.rungs for step in rung["proposals"])]
        changes = [change for step in steps for change in step.get("race", (step,))]
        return [
            {path: None if text == DELETED else self.bytes_of(text) for path, text in change["files"].items()}
            for change in changes
        ]

    def _step(self, step: Mapping[str, Any]) -> dict[str, Any]:
        if "race" in step:
            return {**step, "race": [self._step(change) for change in step["race"]]}
        files = {path: None if text == DELETED else self._text(text) for path, text in step["files"].items()}
        return {**step, "files": files, "encoding": self.encoding}

    def _text(self, text: str) -> str:
        text = text.removeprefix("\n")
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return f"\ufeff{text}" if self.bom else text


SCENARIOS = [Scenario.load(path) for path in sorted(FOLDER.glob("*.toml"))]
