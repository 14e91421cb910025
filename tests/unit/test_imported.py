"""What templates import ahead: told by runs of all tests, and by runs of some."""

from __future__ import annotations

from untilgreen_sandbox.imported import Imported


def test_a_run_of_some_tests_adds_and_a_run_of_all_decides() -> None:
    imported = Imported()
    imported.learn(Imported(["b", "a"], ["x.py"], ["test_x.py"], {"test_x.py": ["x.py"]}), of_all_tests=True)
    imported.learn(Imported(["c", "a"], [], ["test_y.py"], {"test_y.py": []}), of_all_tests=False)
    assert imported == Imported(
        ["b", "a", "c"], ["x.py"], ["test_x.py", "test_y.py"], {"test_x.py": ["x.py"], "test_y.py": []}
    )
    imported.learn(Imported(["a"]), of_all_tests=True)
    assert imported == Imported(["a"])
