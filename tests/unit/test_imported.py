"""What templates import ahead: told by runs of all tests, and by runs of some."""

from __future__ import annotations

from untilgreen_sandbox.imported import Imported


def test_a_run_of_some_tests_adds_and_a_run_of_all_decides() -> None:
    imported = Imported()
    imported.learn({"modules": ["b", "a"], "plain": ["x.py"], "rewritten": ["test_x.py"]}, of_all_tests=True)
    imported.learn({"modules": ["c", "a"], "rewritten": ["test_y.py"]}, of_all_tests=False)
    assert imported.told() == {
        "modules": ["b", "a", "c"],
        "plain": ["x.py"],
        "rewritten": ["test_x.py", "test_y.py"],
    }
    imported.learn({"modules": ["a"]}, of_all_tests=True)
    assert imported.told() == {"modules": ["a"], "plain": [], "rewritten": []}
