"""Two tests that no code can pass; and many pairs that only look like it."""

from __future__ import annotations

import pytest

from untilgreen.solve.contradiction import Contradiction, find_contradiction

HEAD = "from m import f\nimport m\n"
ONE = "def test_a():\n    assert f(1) == 2\n"
OTHER = "def test_b():\n    assert f(1) == 3\n"


def found(source: str, *more: str, **files: str) -> Contradiction | None:
    texts = {"t.py": HEAD + source} | {f"{name}.py": text for name, text in files.items()}
    ids = ("t.py::test_a", "t.py::test_b", *more)
    return find_contradiction(ids, (), lambda path: texts[path].encode() if path in texts else None)


@pytest.mark.parametrize(
    "other",
    [
        OTHER,
        "def test_b():\n    assert 3 == f(1)\n",
        "def test_b():\n    '''Why.'''\n    assert m.f(1) == 3\n",
        "def test_b():\n    assert f(2) == 5\n    assert f(1) is None\n",
    ],
)
def test_a_literal_pair(other: str) -> None:
    pair = found(ONE + other)
    assert pair is not None
    assert "t.py:4  assert f(1) == 2  ≠  t.py:" in pair.text


def test_other_shapes() -> None:
    klass = "class TestX:\n    def test_c(self):\n        assert f(1) == 4\n"
    assert found(ONE + klass, "t.py::TestX::test_c") is not None
    method = "class X(unittest.TestCase):\n    def test_c(self):\n        self.assertEqual(f(1), 4)\n"
    assert found(ONE + method, "t.py::X::test_c") is not None
    assert found(ONE + method.replace("unittest.TestCase", "Base"), "t.py::X::test_c") is None
    rows = "import pytest\n@pytest.mark.parametrize('n', [1, 2])\ndef test_c(n):\n    assert f(n) == 9\n"
    assert found(ONE + rows, "t.py::test_c[1]", "t.py::test_c[2]") is not None
    keyword = "def test_b():\n    assert f(x=1, y=(2, [3])) == 1\n"
    swapped = "def test_a():\n    assert f(y=(2, [3]), x=1) == 2\n"
    assert found(keyword + swapped) is not None


@pytest.mark.parametrize(
    "source",
    [
        ONE + "def test_b():\n    assert f(1) == 2.0\n",
        ONE + "def test_b():\n    assert f(2) == 3\n",
        ONE + "def test_b():\n    assert f('1') == 3\n",
        ONE + "def test_b():\n    assert f(1) != 3\n",
        ONE + "def test_b():\n    assert f(1) >= 3\n",
        ONE + "def test_b():\n    m.reset()\n    assert f(1) == 3\n",
        ONE + "def test_b(monkeypatch):\n    assert f(1) == 3\n",
        ONE + "def test_b():\n    x = 3\n    assert f(1) == x\n",
        ONE + "def test_b():\n    if m.new:\n        assert f(1) == 3\n",
        ONE + "def test_b():\n    with m.mode():\n        assert f(1) == 3\n",
        ONE + "@m.mode\n" + OTHER,
        ONE + "import pytest\n@pytest.mark.skip\n" + OTHER,
        ONE + "async def test_b():\n    assert f(1) == 3\n",
        ONE + OTHER + "def setup_function():\n    m.reset()\n",
        ONE + OTHER + "f = m.g\n",
        ONE + "def test_b():\n    assert g(1) == 3\n",
        ONE + "def helper():\n    assert f(1) == 3\n",
        "def test_a():\n    assert f() == 2\ndef test_b():\n    assert f() == 3\n",
        "def test_a():\n    assert f(1) == 2\n    assert f(1) == 3\ndef test_b():\n    assert f(1) == 3\n",
        "def test_a():\n    assert len([1]) == 2\ndef test_b():\n    assert len([1]) == 3\n",
        ONE + "def test_b():\n    assert f(m.X) == 3\n",
        ONE + "def test_b():\n    assert f(*[1]) == 3\n",
    ],
)
def test_what_only_looks_like_it(source: str) -> None:
    assert found(source) is None


def test_the_world_may_differ() -> None:
    assert found(ONE + OTHER) is not None
    assert found(ONE + OTHER, conftest="@pytest.fixture(autouse=True)\ndef clean(): ...\n") is None
    assert found(ONE + OTHER, m="seen = []\ndef f(n):\n    seen.append(n)\n    return len(seen)\n") is None
    assert found(ONE + OTHER, m="def f(n):\n    global last\n    last = n\n    return n\n") is None
    assert found(ONE + OTHER, m="import functools\n@functools.cache\ndef f(n):\n    return n\n") is None
    assert found(ONE + OTHER, m="LIMIT = 4\ndef f(n):\n    return n + LIMIT\n") is not None


def test_only_tests_that_matter() -> None:
    source = (HEAD + ONE + OTHER).encode()
    read = {"t.py": source}.get
    assert find_contradiction(("t.py::test_a",), (), read) is None
    assert find_contradiction(("t.py::test_a",), ("t.py::test_b",), read) is not None, "it must not break"
    assert find_contradiction((), ("t.py::test_a", "t.py::test_b"), read) is None


@pytest.mark.parametrize("source", [b"\xff", b"def test_a(:", b"", None])
def test_what_cannot_be_read_claims_nothing(source: bytes | None) -> None:
    assert find_contradiction(("t.py::test_a",), (), lambda _path: source) is None
