"""What the terminal writes is what it has looked at: also when the user edits meanwhile, or hears less."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from untilgreen.cli.door import Door, Options
from untilgreen.cli.screen import Screen
from untilgreen.ladder import NO_WISHES
from untilgreen.model import Goal, Verdict

CODE = (
    "LIMIT = 3\n\n\ndef size():\n    return 0\n\n\n"
    "def check(n):\n    if n > LIMIT:\n        raise ValueError(n)\n    return n\n\n\nNAME = 'x'\n"
)
FIXED = CODE.replace("LIMIT = 3", "LIMIT = 5").replace("return 0", "return 1")
TEST = "from calc import check\ndef test_check():\n    assert check(4) == 4\n"
OTHER = "from calc import NAME\ndef test_name():\n    assert NAME\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("UNTILGREEN_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    root = tmp_path / "project"
    root.mkdir()
    for name, text in {"calc.py": CODE, "test_calc.py": TEST, "test_other.py": OTHER}.items():
        (root / name).write_text(text)
    return root


def applied(root: Path, capsys: pytest.CaptureFixture[str], **flags: Any) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of `untilgreen solve --apply`."""
    script = root.parent / "script.json"
    script.write_text(json.dumps({"proposals": [{"hypothesis": "more", "files": {"calc.py": FIXED}}]}))
    told = {"solver": f"scripted:{script}", "sandbox": "bubblewrap", **flags}
    with pytest.raises(SystemExit) as left, Door(Options(root, True, False, told)) as door:
        door.solve(Goal(root), apply=True, accept=False, wishes=NO_WISHES)
    assert isinstance(left.value.code, int)
    return left.value.code, json.loads(capsys.readouterr().out)


def test_a_fix_that_needs_eyes_since_an_edit_is_not_written(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[Verdict] = []

    def edit_behind_it(_screen: Screen, verdict: Verdict) -> None:
        if not shown:
            # What the fix does is not needed by what is left of the test.
            (root / "calc.py").write_text(CODE.replace("NAME = 'x'", "NAME = 'y'"))
            (root / "test_calc.py").write_text(TEST.replace("assert check(4) == 4", "check(4)"))
        shown.append(verdict)

    monkeypatch.setattr(Screen, "verdict", edit_behind_it)
    code, told = applied(root, capsys)
    assert [verdict.findings for verdict in shown[:1]] == [()]
    assert [finding["rule"] for finding in told["findings"]] == ["unproven"]
    assert (code, "Nothing was written" in told["reason"]) == (1, True), told
    assert (root / "calc.py").read_text() == CODE.replace("NAME = 'x'", "NAME = 'y'")


def test_a_fix_that_was_verified_in_part_is_not_written_only_because_nobody_is_told(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quietly = {"findings": {"not-all-run": "off"}, "verify_seconds": 0.001}
    code, told = applied(root, capsys, **quietly)
    assert (code, told["scope"], told["findings"]) == (1, "affected", []), told
    assert "only a part of the tests" in told["reason"]
    assert (root / "calc.py").read_text() == CODE
    assert applied(root, capsys, **quietly, scope="affected")[0] == 0
    assert (root / "calc.py").read_text() == FIXED
