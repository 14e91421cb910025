"""Projects that are tested with more than pytest, or with less."""

from __future__ import annotations

from shapes.shape import CODE, Shape

FRAMEWORKS = (
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
)
