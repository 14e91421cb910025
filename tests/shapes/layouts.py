"""Where projects have their code, their tests and their options."""

from __future__ import annotations

from shapes.shape import CODE, Shape, tests_of

LAYOUTS = (
    Shape(
        "src layout",
        {
            "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\ntestpaths = ['tests']\n",
            "src/shop/__init__.py": "from shop.core import double\n",
            "src/shop/core.py": CODE,
            "tests/test_shop.py": tests_of("shop"),
        },
    ),
    Shape("flat", {"shop.py": CODE, "test_shop.py": tests_of("shop"), "setup.py": ""}),
    Shape(
        "namespace package",
        {
            "company/shop/core.py": CODE,
            "company/office/core.py": CODE,
            "tests/shop/test_shop.py": tests_of("company.shop.core"),
            "tests/office/test_office.py": tests_of("company.office.core"),
        },
    ),
    Shape(
        "monorepo",
        {
            "pytest.ini": "[pytest]\naddopts = --import-mode=importlib\n"
            "pythonpath = packages/one/src packages/two/src\n",
            "packages/one/src/one/__init__.py": CODE,
            "packages/one/tests/test_core.py": tests_of("one"),
            "packages/one/pyproject.toml": "[project]\nname = 'one'\nversion = '1'\n",
            "packages/two/src/two/__init__.py": CODE,
            "packages/two/tests/test_core.py": tests_of("two"),
            "packages/two/pyproject.toml": "[project]\nname = 'two'\nversion = '1'\n",
        },
    ),
    Shape(
        "options",
        {
            "pyproject.toml": """\
                [tool.pytest.ini_options]
                addopts = ["-ra", "--strict-markers", "--strict-config", "-m", "not slow"]
                testpaths = ["checks"]
                python_files = ["check_*.py"]
                python_functions = ["check_*"]
                python_classes = ["Check*"]
                markers = ["slow: takes long"]
                filterwarnings = ["error"]
                xfail_strict = true
                """,
            "shop.py": CODE,
            "test_elsewhere.py": "def test_never(): pass\n",
            "checks/check_shop.py": """\
                import warnings
                import pytest
                from shop import double

                def check_right():
                    assert double(2) == 4

                def check_warning():
                    warnings.warn("careful")

                @pytest.mark.slow
                def check_slow():
                    assert False

                @pytest.mark.xfail
                def check_unexpected():
                    assert True

                def test_not_one():
                    assert False

                class CheckInside:
                    def check_method(self):
                        assert double(1) == 3
                """,
        },
    ),
    Shape(
        "plugins of a conftest",
        {
            "conftest.py": "pytest_plugins = ['fixtures.numbers', 'fixtures.names']\n",
            "fixtures/__init__.py": "",
            "fixtures/numbers.py": "import pytest\n\n@pytest.fixture(params=[2, 3])\ndef n(request):\n"
            "    return request.param\n",
            "fixtures/names.py": "def pytest_collection_modifyitems(items):\n    items.reverse()\n",
            "shop.py": CODE,
            "tests/conftest.py": "import pytest\n\n@pytest.fixture\ndef two():\n    return 2\n",
            "tests/test_shop.py": tests_of("shop")
            + "\n    def test_both(n, two):\n        assert double(two) == two * n\n",
        },
    ),
)
