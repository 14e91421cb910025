"""Honest fixes of whole modules, doctests, projects of one file, and those that show little."""

from __future__ import annotations

from honest.styles import ADD, ADDS, Style, adding

DOCUMENTED = '''
def add(a, b):
    """%s

    >>> add(1, 2)
    3
    >>> add([1],
    ...     [2])
    [1, 2]
    """
    return a %s b
'''
DOCUMENTED_CLASS = '''
class Box:
    """
    >>> Box().open()
    Traceback (most recent call last):
        ...
    ValueError: shut
    """

    def open(self):
        """
        >>> x = Box()
        >>> x.size  # doctest: +ELLIPSIS
        3...
        """
        %s

    size = %d
'''
MODULES = (
    Style(
        "a function that is missing",
        ADDS,
        ADDS + "\n\ndef mul(a, b):\n    return a * b\n",
        """
        from calc import add, mul

        def test_add():
            assert add(1, 2) == 3

        def test_mul():
            assert mul(2, 3) == 6
        """,
    ),
    Style(
        "a module that is missing",
        "",
        "def area(a, b):\n    return a * b\n",
        """
        def test_area():
            from pack.shapes import area
            assert area(2, 3) == 6
        """,
        {"pack/__init__.py": ""},
        path="pack/shapes.py",
    ),
    Style(
        "a constant",
        "LIMIT = 10\n\n\ndef allowed(n):\n    return n < LIMIT\n",
        "LIMIT = 100\n\n\ndef allowed(n):\n    return n < LIMIT\n",
        """
        from calc import allowed

        def test_allowed():
            assert allowed(50)
            assert not allowed(100)
        """,
    ),
    Style(
        "a generator",
        "def evens(n):\n    for i in range(n):\n        if i % 2:\n            yield i\n",
        "def evens(n):\n    for i in range(n):\n        if i % 2 == 0:\n            yield i\n",
        "from calc import evens\ndef test_evens():\n    assert list(evens(5)) == [0, 2, 4]\n"
        "    for value in evens(5):\n        assert value % 2 == 0\n",
    ),
    Style(
        "tests in a folder, code in a package",
        ADD,
        ADDS,
        """
        from pack.calc import add
        from .helping import three

        def test_add():
            assert add(1, 2) == three()
        """,
        {
            "src/pack/__init__.py": "",
            "tests/__init__.py": "",
            "tests/helping.py": "def three():\n    return 3\n",
            "pyproject.toml": "[project]\nname = 'pack'\nversion = '1'\n",
        },
        path="src/pack/calc.py",
        test_path="tests/test_calc.py",
    ),
    Style(
        "doctests in a module",
        DOCUMENTED % ("Adds.", "-"),
        DOCUMENTED % ("Adds two things.", "+"),
        "",
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
    ),
    Style(
        "doctests of classes and exceptions",
        DOCUMENTED_CLASS % ("pass", 21),
        DOCUMENTED_CLASS % ("raise ValueError('shut')", 31),
        "",
        {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"},
    ),
    Style(
        "examples in a text",
        ADD,
        ADDS,
        "Adding\n======\n\n>>> from calc import add\n>>> add(1, 2)\n3\n",
        {"pytest.ini": "[pytest]\naddopts = --doctest-glob=*.rst\n"},
        test_path="docs/guide.rst",
    ),
    Style(
        "one file with code and tests",
        "def add(a, b):\n    return a - b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        "def add(a, b):\n    return a + b\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        "",
        {"pytest.ini": "[pytest]\npython_files = *.py\n"},
    ),
    Style(
        "one file that is named like a test",
        "import pytest\n\n\ndef add(a, b):\n    return a - b\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_add(n):\n    assert add(n, 2) == n + 2\n",
        "import pytest\n\n\ndef add(a, b):\n    return a + b\n\n\n@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_add(n):\n    assert add(n, 2) == n + 2\n",
        "",
        path="test_all.py",
    ),
    Style(
        "other names for tests",
        ADD,
        ADDS,
        """
        from calc import add

        def check_add():
            assert add(1, 2) == 3

        class AddSuite:
            def check_it(self):
                assert add(2, 2) == 4
        """,
        {
            "pytest.ini": "[pytest]\npython_files = check_*.py\npython_functions = check_*\n"
            "python_classes = *Suite\n"
        },
        test_path="check_calc.py",
    ),
    Style(
        "a data file",
        '{"limit": 10}\n',
        '{"limit": 100}\n',
        """
        import json
        import pathlib

        def test_limit():
            path = pathlib.Path(__file__).parent / "limits.json"
            assert json.loads(path.read_text())["limit"] == 100
        """,
        path="limits.json",
    ),
)
WEAK = (
    Style(
        "only that it does not raise",
        "def load(text):\n    raise NotImplementedError\n",
        "def load(text):\n    return dict(part.split('=') for part in text.split(';'))\n",
        "from calc import load\ndef test_load():\n    load('a=1;b=2')\n",
        weak=True,
    ),
    adding(
        "a test that is known by its name",
        """
        import pathlib
        from calc import add

        def test_kept(request):
            kept = pathlib.Path(__file__).with_name(f"{request.node.name}.txt")
            assert str(add(1, 2)) == kept.read_text()
        """,
        {"test_kept.txt": "3"},
        weak=True,
    ),
    adding(
        "expectations from elsewhere",
        """
        from calc import add
        from expecting import expect

        def test_add():
            expect(add(1, 2), 3)
        """,
        {"expecting.py": "def expect(a, b):\n    assert a == b\n"},
        weak=True,
    ),
    adding(
        "tests made by a loop",
        """
        from calc import add

        def make(n):
            def test():
                assert add(n, 1) == n + 1
            return test

        for n in range(2):
            globals()[f"test_{n}"] = make(n)
        """,
        weak=True,
    ),
)
