"""Stubs, and the tests that lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from untilgreen.lsp.discovery import Discovery, look
from untilgreen.lsp.places import places_in, stubs_in


def stubs(text: str) -> list[str]:
    return [place.name for place in stubs_in(text)]


@pytest.mark.parametrize(
    "body",
    [
        "...",
        "pass",
        "raise NotImplementedError",
        'raise NotImplementedError("later")',
        '"""What it does."""',
        '"""What it does."""\n    ...',
        "# TODO: write it\n    return 0",
        "x = 1  # FIXME\n    return x",
    ],
)
def test_what_somebody_still_has_to_write(body: str) -> None:
    assert stubs(f"def f(a):\n    {body}\n") == ["f"]
    assert stubs(
        f"class C:\n    async def f(self):\n        {body.replace(chr(10), chr(10) + '    ')}\n"
    ) == ["C::f"]


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    return 1\n",
        "def f():\n    raise ValueError\n",
        "def f():\n    raise\n",
        "def f(:\n    pass\n",
        "def test_f():\n    pass\n",
        "@overload\ndef f(a: int) -> int: ...\n",
        "class C(ABC):\n    @abc.abstractmethod\n    def f(self): ...\n",
        "class P(Protocol):\n    def f(self) -> int: ...\n",
        "def f():\n    return 'TODO'\n",
        "if TYPE_CHECKING:\n    def f() -> int: ...\n",
    ],
)
def test_what_is_meant_as_it_is(text: str) -> None:
    assert stubs(text) == []


@pytest.mark.parametrize(
    "around",
    [
        "if sys.platform == 'linux':\n    {}\n",
        "if sys.platform == 'win32':\n    x = 1\nelif x:\n    {}\n",
        "if TYPE_CHECKING:\n    import x\nelse:\n    {}\n",
        "try:\n    import fast\nexcept ImportError:\n    {}\n",
        "try:\n    {}\nfinally:\n    x = 1\n",
        "with suppress(ImportError):\n    {}\n",
        "class C:\n    if FAST:\n        {}\n",
    ],
)
def test_what_is_there_under_a_condition_only(around: str) -> None:
    prefix = "C::" if around.startswith("class") else ""
    assert stubs(around.format("def f(): ...")) == [f"{prefix}f"]
    assert [place.name for place in places_in(around.format("def test_f(): ..."))] == [f"{prefix}test_f"]


def test_a_stub_is_reached_through_what_calls_it() -> None:
    text = (
        "def inner(): ...\n\n\ndef outer():\n    return inner()\n\n\ndef far():\n    return outer()\n\n\n"
        "def other():\n    return 1\n"
    )
    [stub] = stubs_in(text)
    assert stub.names == {"inner", "outer", "far"}
    discovery = Discovery()
    tests = "def test_a():\n    assert far()\n\n\nclass TestB:\n    def test_b(self):\n        other()\n"
    assert discovery.see(Path("/w"), "tests/test_x.py", tests)
    assert discovery.reaching(Path("/w"), stub.names) == ("tests/test_x.py::test_a",)
    assert discovery.reaching(Path("/w"), {"other"}) == ("tests/test_x.py::TestB::test_b",)


def test_an_operator_leads_to_its_class() -> None:
    [stub] = stubs_in("class Money:\n    def __add__(self, other):\n        ...\n")
    assert stub.names == {"Money"}


def test_tests_do_not_vanish_while_somebody_types() -> None:
    discovery, root = Discovery(), Path("/w")
    assert discovery.see(root, "test_a.py", "def test_one(): pass\n")
    assert not discovery.see(root, "test_a.py", "def test_one(): pass\n# more\n")
    assert not discovery.see(root, "test_a.py", "def test_one(): pass\ndef test_(\n")
    assert [place.name for place in discovery.files(root)["test_a.py"]] == ["test_one"]
    assert discovery.see(root, "test_a.py", "")
    assert not discovery.see(root, "calc.py", "def test_one(): pass\n")


def test_a_folder_is_looked_through_without_what_is_not_its_own(tmp_path: Path) -> None:
    for name in ("test_a.py", "pkg/b_test.py", ".venv/test_c.py", "env/test_d.py", "node_modules/test_e.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("def test_it():\n    pass\n")
    (tmp_path / "env" / "pyvenv.cfg").touch()
    (tmp_path / "test_link.py").symlink_to(tmp_path / "test_a.py")
    found = look(tmp_path)
    assert sorted(found) == ["pkg/b_test.py", "test_a.py"]
    assert found["test_a.py"] == places_in("def test_it():\n    pass\n")
