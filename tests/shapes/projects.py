"""Ten shapes that Python projects have, small, each with tests that pass and tests that do not."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

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
    editable: str = ""
    """The folder that an editable install put on the path of the project's environment."""

    @property
    def in_an_image(self) -> bool:
        """An image knows neither an environment of this machine nor what is installed in it."""
        return not self.packages and not self.editable

    def write(self, root: Path) -> None:
        for path, text in self.files.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(textwrap.dedent(text))


def tests_of(module: str) -> str:
    return TESTS.format(module=module)


SHAPES = (
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
    Shape(
        "django",
        {
            "pytest.ini": "[pytest]\nDJANGO_SETTINGS_MODULE = site_settings\npython_files = tests.py\n",
            "site_settings.py": """\
                SECRET_KEY = "x"
                INSTALLED_APPS = ["shop"]
                DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "db.sqlite3"}}
                USE_TZ = True
                """,
            "manage.py": "",
            "shop/__init__.py": "",
            "shop/models.py": """\
                from django.db import models

                class Item(models.Model):
                    name = models.CharField(max_length=20)
                    price = models.IntegerField()
                """,
            "shop/migrations/__init__.py": "",
            "shop/migrations/0001_initial.py": """\
                from django.db import migrations, models

                class Migration(migrations.Migration):
                    operations = [
                        migrations.CreateModel("Item", [
                            ("id", models.BigAutoField(primary_key=True)),
                            ("name", models.CharField(max_length=20)),
                            ("price", models.IntegerField()),
                        ])
                    ]
                """,
            "shop/tests.py": """\
                import pytest
                from django.test import TestCase
                from shop.models import Item

                class ItemTest(TestCase):
                    @classmethod
                    def setUpTestData(cls):
                        Item.objects.create(name="pen", price=2)

                    def test_right(self):
                        self.assertEqual(Item.objects.get().price, 2)

                    def test_wrong(self):
                        self.assertEqual(Item.objects.count(), 2)

                @pytest.mark.django_db
                def test_empty():
                    assert Item.objects.count() == 0

                def test_without_the_database():
                    Item.objects.count()
                """,
        },
        packages=("pytest", "pytest-django", "django"),
    ),
    Shape(
        "asyncio",
        {
            "pytest.ini": "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n",
            "test_shop.py": """\
                import asyncio
                import pytest

                @pytest.fixture
                async def two():
                    await asyncio.sleep(0)
                    yield 2

                async def test_right(two):
                    assert two == 2

                async def test_wrong(two):
                    assert two == 3

                @pytest.fixture
                async def broken():
                    raise RuntimeError("no loop")

                async def test_error(broken):
                    pass

                def test_plain():
                    pass
                """,
        },
        packages=("pytest", "pytest-asyncio"),
    ),
    Shape(
        "unittest",
        {
            "shop/__init__.py": CODE,
            "tests/__init__.py": "",
            "tests/test_shop.py": """\
                import unittest
                from shop import double

                class Shop(unittest.TestCase):
                    def test_right(self):
                        self.assertEqual(double(2), 4)

                    def test_wrong(self):
                        self.assertEqual(double(2), 5)

                    @unittest.skip("not now")
                    def test_skipped(self):
                        pass

                    @unittest.expectedFailure
                    def test_expected(self):
                        self.fail()

                    def test_parts(self):
                        for n in (1, 2):
                            with self.subTest(n=n):
                                self.assertEqual(double(n), 2)

                class NoServer(unittest.TestCase):
                    @classmethod
                    def setUpClass(cls):
                        raise RuntimeError("no server")

                    def test_error(self):
                        pass
                """,
        },
    ),
    Shape(
        "editable install",
        {
            "pyproject.toml": "[project]\nname = 'shop'\nversion = '1'\n",
            "lib/shop/__init__.py": CODE,
            "tests/test_shop.py": tests_of("shop"),
        },
        editable="lib",
    ),
)
