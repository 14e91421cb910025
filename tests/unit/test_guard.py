"""What no patch may touch, and what any honest patch may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.model import Entry, FileChange, Patch
from untilgreen.solve.guard import MAX_BYTES, Protection, protect, refusals

FILES = (
    *(
        "calc.py",
        "pkg/__init__.py",
        "pkg/core.py",
        "pkg/types.py",
        "tests/test_calc.py",
        "tests/data/helper.py",
    ),
    *("unit/test_core.py", "check_it.py", "src/shop/cart.py", "json/__init__.py", "a b/ü.py"),
)


def protection(*, may_change_tests: bool = False) -> Protection:
    entries = {path: Entry("file", 0o644, 1, "x") for path in FILES}
    entries["linked"] = Entry("link", 0o777, 0, "x")
    entries["link.py"] = Entry("link", 0o777, 0, "x")
    tests = frozenset({"tests/test_calc.py", "unit/test_core.py", "check_it.py"})
    return protect(entries, tests, ("src", ""), frozenset({"numpy"}), may_change_tests=may_change_tests)


def rules(path: str, content: bytes | None = b"x = 1\n", **options: bool) -> list[str]:
    patch = Patch({path: FileChange(content)})
    return [finding.rule for finding in refusals(patch, protection(**options))]


@pytest.mark.parametrize(
    "path",
    [
        *("calc.py", "pkg/core.py", "pkg/types.py", "src/shop/cart.py", "a b/ü.py", "new.py", "pkg/json.py"),
        *(
            "pkg/new/deep.py",
            "src/shop/random.py",
            "latest.py",
            "contest.py",
            "pkg/testing_tools.py",
            "data.csv",
        ),
        *("json/tool.py", "pkg/numpy.py", "docs/test-plan.md", "unit/numpy_tools.py"),
    ],
)
def test_honest_paths_are_free(path: str) -> None:
    assert rules(path) == []


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        *(
            (path, "outside")
            for path in ("", "/etc/passwd", "../x.py", "a/../../x", "a//b", "./a", "a\\b", "a\nb")
        ),
        *((path, "outside") for path in ("..", "a/..", "a/.", "x\0")),
        *(
            (path, "hidden")
            for path in (".env", ".github/x.yml", "pkg/.hidden/x.py", ".pytest.ini", ".coveragerc")
        ),
        *(
            (path, "test")
            for path in ("tests/test_calc.py", "tests/new.py", "tests/data/helper.py", "test_x.py")
        ),
        *(
            (path, "test")
            for path in ("pkg/x_test.py", "conftest.py", "pkg/conftest.py", "check_it.py", "pkg/tests.py")
        ),
        *((path, "test") for path in ("pkg/test/data.json", "Conftest.py")),
        *(
            (path, "configuration")
            for path in ("pyproject.toml", "pkg/setup.cfg", "tox.ini", "pytest.ini", "setup.py")
        ),
        *(
            (path, "configuration")
            for path in ("Makefile", "package.json", "uv.lock", "requirements-dev.txt")
        ),
        *((path, "start-up") for path in ("x.pth", "sitecustomize.py", "pkg/usercustomize.py")),
        *(
            (path, "binary")
            for path in ("pkg/core.pyc", "pkg/_c.so", "__pycache__/calc.py", "x.cpython-311.so.1")
        ),
        *((path, "link") for path in ("link.py", "linked/x.py", "linked/deep/x.py")),
        *(
            (path, "shadow")
            for path in ("random.py", "src/typing.py", "numpy/__init__.py", "src/numpy/core.py")
        ),
        *((path, "shadow") for path in ("unit/random.py", "pytest.py", "_pytest/config.py", "unit/numpy.py")),
    ],
)
def test_protected_paths_are_refused(path: str, rule: str) -> None:
    if path.startswith(("pytest.py", "_pytest")):
        # The runner's own modules are among the installed ones.
        entries = protection().entries
        guarded = protect(
            entries, frozenset(), ("",), frozenset({"pytest", "_pytest"}), may_change_tests=False
        )
        found = refusals(Patch({path: FileChange(b"")}), guarded)
        assert [finding.rule for finding in found] == [rule]
    else:
        assert rules(path) == [rule]


def test_deleting_is_changing() -> None:
    assert rules("tests/test_calc.py", None) == ["test"]
    assert rules("pyproject.toml", None) == ["configuration"]
    assert rules("pkg/core.py", None) == []


def test_leave_to_change_tests_lifts_that_and_nothing_else() -> None:
    assert rules("tests/test_calc.py", may_change_tests=True) == []
    assert rules("conftest.py", may_change_tests=True) == []
    assert rules("pytest.ini", may_change_tests=True) == ["configuration"]
    assert rules("../x.py", may_change_tests=True) == ["outside"]


def test_one_bad_file_refuses_the_patch_and_is_named() -> None:
    patch = Patch({"calc.py": FileChange(b""), "conftest.py": FileChange(b""), "x.pth": FileChange(b"")})
    found = refusals(patch, protection())
    assert [(finding.path, finding.rule) for finding in found] == [
        ("conftest.py", "test"),
        ("x.pth", "start-up"),
    ]
    assert all(finding.reason for finding in found)


def test_an_empty_patch_is_no_proposal() -> None:
    assert [finding.rule for finding in refusals(Patch(), protection())] == ["empty"]


def test_a_huge_file_is_refused() -> None:
    assert rules("calc.py", b"x" * (MAX_BYTES + 1)) == ["size"]


@given(st.lists(st.sampled_from(["..", ".", "", "a", "b.py", "~", "\\", "C:"]), min_size=1, max_size=6))
def test_no_path_that_is_let_through_leaves_the_root(parts: list[str]) -> None:
    path = "/".join(parts)
    if not rules(path):
        assert not path.startswith("/")
        assert all(part not in ("", ".", "..") for part in path.split("/"))
