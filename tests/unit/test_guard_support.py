"""Files that only serve the tests are found wherever they lie; code stays free whatever it is called."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from untilgreen.model import Entry, FileChange, Patch
from untilgreen.solve.guard import protect, refusals

TEST = "def test_it():\n    assert it()\n"


def refused(files: Mapping[str, str], path: str, roots: tuple[str, ...] = ("",)) -> bool:
    """Whether a patch of this file is, in a project whose planned tests are those that hold one."""
    entries = {name: Entry("file", 0o644, len(text), "x") for name, text in files.items()}
    tests = frozenset(name for name, text in files.items() if "def test_" in text)
    guarded = protect(
        entries,
        tests,
        roots,
        frozenset(),
        may_change_tests=False,
        read=lambda name: files[name].encode(),
    )
    return bool(refusals(Patch({path: FileChange(b"x = 1\n")}), guarded))


HELPER = "def check(got, want):\n    assert got == want\n"
CODE = "def it():\n    return 1\n"


@pytest.mark.parametrize("folder", ["specs", "checks", "unit_tests", "Tests", "TEST", "qa/first", "testing"])
def test_helpers_beside_tests_of_code_elsewhere(folder: str) -> None:
    test = "from helpers import check\nfrom calc import it\n" + TEST
    files = {"calc.py": CODE, f"{folder}/helpers.py": HELPER, f"{folder}/test_calc.py": test}
    assert refused(files, f"{folder}/helpers.py")
    assert refused({**files, f"{folder}/data/rows.csv": "1"}, f"{folder}/data/rows.csv")
    assert not refused(files, "calc.py")


@pytest.mark.parametrize(
    ("says", "path"),
    [
        ("json.loads(Path('golden/add.json').read_text())", "golden/add.json"),
        ("json.loads((Path('expected') / 'add.json').read_text())", "expected/add.json"),
        ("list(Path('cases').glob('*.json'))", "cases/one.json"),
        ("open(os.path.join(HERE, 'answers', name))", "answers/deep/one.txt"),
    ],
)
def test_data_that_only_tests_name(says: str, path: str) -> None:
    test = f"from calc import it\ndef test_it():\n    assert {says}\n"
    assert refused({"calc.py": CODE, path: "1", "test_calc.py": test}, path)


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("def it():\n    return open('rates.csv')\n", "rates.csv"),
        ("def it():\n    return open(HERE / 'data' / NAME)\n", "data/rates.csv"),
        ("def it():\n    return open(f'fixtures/{NAME}')\n", "fixtures/rates.csv"),
    ],
)
def test_data_that_code_names_is_free(code: str, path: str) -> None:
    name = path.split("/")[-1] if "/" not in path else path.split("/")[0] + "/"
    test = f"from calc import it\ndef test_it():\n    assert it('{name}')\n"
    assert not refused({"calc.py": code, path: "1", "test_calc.py": test}, path)


def test_data_that_a_test_is_about_is_free() -> None:
    test = "import json\ndef test_it():\n    assert json.load(open('limits.json'))\n"
    assert not refused({"limits.json": "1", "calc.py": CODE, "test_limits.py": test}, "limits.json")


def test_data_that_nobody_names_is_free() -> None:
    test = "from calc import it\ndef test_it():\n    assert it() == {'data': 1}\n"
    assert not refused({"calc.py": CODE, "data/rates.csv": "1", "test_calc.py": test}, "data/rates.csv")


@pytest.mark.parametrize(
    "loaded",
    [
        {"conftest.py": "pytest_plugins = ['plug.deep']\n"},
        {"test_calc.py": "from calc import it\npytest_plugins = 'plug.deep'\n" + TEST},
        {"pytest.ini": "[pytest]\naddopts = -q -p plug.deep\n"},
        {"pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["-p", "plug.deep"]\n'},
    ],
)
def test_modules_that_the_tests_load_as_plugins(loaded: Mapping[str, str]) -> None:
    files = {"calc.py": CODE, "plug/deep.py": "x = 1\n", "plug/other.py": "x = 1\n"}
    files |= {"test_calc.py": "from calc import it\n" + TEST, **loaded}
    assert refused(files, "plug/deep.py")
    assert not refused(files, "plug/other.py")


@pytest.mark.parametrize(
    ("files", "path"),
    [
        # A test beside what it tests.
        ({"two/sums.py": CODE, "two/test_sums.py": "from sums import it\n" + TEST}, "two/sums.py"),
        (
            {
                "pkg/__init__.py": "",
                "pkg/core.py": CODE,
                "pkg/rest.py": CODE,
                "other.py": CODE,
                "pkg/test_core.py": "import other\nfrom pkg.core import it\nfrom pkg.rest import it\n" + TEST,
            },
            "pkg/rest.py",
        ),
        (
            {
                "shop/models.py": CODE,
                "shop/views.py": "import shop.models\nfrom accounts.models import User\n",
                "shop/tests.py": "from shop.models import it\nfrom accounts.models import User\n" + TEST,
                "accounts/models.py": CODE,
            },
            "shop/views.py",
        ),
        # Code needs what lies there.
        (
            {"pkg/run.py": "from pkg.test import tool\n", "pkg/test/tool.py": CODE, "t/test_a.py": TEST},
            "pkg/test/tool.py",
        ),
        ({"cli.py": "import testing.api\n", "testing/api.py": CODE, "t/test_a.py": TEST}, "testing/api.py"),
        # All there is.
        ({"test/calc.py": CODE, "test/test_calc.py": "from calc import it\n" + TEST}, "test/calc.py"),
        # Called a test, and none.
        ({"ab_test.py": CODE, "test_ab.py": "from ab_test import it\n" + TEST}, "ab_test.py"),
        (
            {"pkg/testing/api.py": CODE, "tests/test_a.py": "from pkg.testing.api import it\n" + TEST},
            "pkg/testing/api.py",
        ),
    ],
)
def test_code_is_free_whatever_its_place_is_called(files: Mapping[str, str], path: str) -> None:
    assert not refused(files, path)


@pytest.mark.parametrize(
    ("files", "path"),
    [
        (
            {"calc.py": CODE, "tests/helper.py": CODE, "tests/test_a.py": "import helper\n" + TEST},
            "tests/helper.py",
        ),
        (
            {"calc.py": CODE, "helper_test.py": HELPER, "test_a.py": "import helper_test\n" + TEST},
            "helper_test.py",
        ),
        (
            {"calc.py": CODE, "test_tools.py": CODE, "test_a.py": "import test_tools\n" + TEST},
            "test_tools.py",
        ),
        # What starts the tests is not what they test.
        (
            {
                "run.py": "import unittest\nimport tests.suite\n",
                "tests/suite.py": CODE,
                "tests/test_a.py": TEST,
            },
            "tests/suite.py",
        ),
        ({"test/calc.py": HELPER, "test/test_calc.py": "from calc import it\n" + TEST}, "test/calc.py"),
    ],
)
def test_helpers_are_not_free_for_that(files: Mapping[str, str], path: str) -> None:
    assert refused(files, path)
