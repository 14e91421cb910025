"""What a shape of project is, and the tests that most of them have: some pass and some do not."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from boxes import BACKENDS, Backend

TESTS = """\
    import pytest
    from {module} import double

    def test_right():
        assert double(2) == 4

    def test_wrong():
        assert double(2) == 5

    @pytest.mark.parametrize("n", [1, 2])
    def test_each(n):
        assert double(n) == 2

    @pytest.mark.skip(reason="not now")
    def test_skipped():
        assert False

    @pytest.mark.xfail
    def test_expected():
        assert double(2) == 5

    class TestInside:
        def test_error(self, no_such_fixture):
            pass
    """
CODE = "def double(n):\n    return 2 * n\n"


@dataclass(frozen=True, slots=True)
class Shape:
    """A project, and what it needs besides pytest."""

    name: str
    files: dict[str, str]
    packages: tuple[str, ...] = ()
    """Declared in its `requirements.txt`, which is what an image is made from."""
    editable: bool = False
    """Whether it is installed, editable, in an environment of its own, with all that has to be built."""
    backends: tuple[Backend, ...] = BACKENDS

    def write(self, root: Path) -> None:
        for path, text in self.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(textwrap.dedent(text))
        if self.packages:
            (root / "requirements.txt").write_text("".join(f"{name}\n" for name in self.packages))


def tests_of(module: str) -> str:
    return TESTS.format(module=module)
