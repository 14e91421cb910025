"""setup.cfg, setup.py and Pipfile.lock are read and never run; what cannot be read is said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unit.test_dependencies import found
from untilgreen.project.dependencies import find_dependencies

CFG = """\
[metadata]
name = Corner_Shop
version = attr: shop.__version__
[options]
python_requires = >=3.8
package_dir =
    =src
install_requires =
    requests>=2 ; python_version > "3"  # the web
    # nothing
    attrs
tests_require = coverage
[options.extras_require]
test =
    pytest
    corner-shop[More]
More = rich; tqdm
docs = sphinx
dev:os_name<"Z" = ruff
[options.entry_points]
console_scripts =
    shop = shop.cli:main
pytest11 =
    shop = shop.plugin
[tool:pytest]
addopts = -q %(nothing)s
"""
NEEDED = (
    'requests>=2 ; python_version > "3"',
    "attrs",
    'ruff ; os_name<"Z"',
    "pytest",
    "rich",
    "tqdm",
    "coverage",
)
POINTS = (("console_scripts", "shop", "shop.cli:main"), ("pytest11", "shop", "shop.plugin"))
PY = '''\
"""Not executed."""
import os
from setuptools import find_packages, setup

os.abort()
TESTS = ["pytest", "corner-shop[More]"]
NAME: str = "Corner_" + "Shop"
extras = {"More": "rich\\ntqdm", "test": TESTS, "docs": ("sphinx",), 'dev:os_name<"Z"': ["ruff"]}

if __name__ == "__main__":
    setup(
        name=NAME,
        version=open("VERSION").read(),
        python_requires=">=3.8",
        packages=find_packages("src"),
        install_requires=['requests>=2 ; python_version > "3"'] + ["attrs"],
        extras_require=extras,
        tests_require=("coverage",),
        entry_points="""
            [console_scripts]
            shop = shop.cli:main
            [pytest11]
            shop = shop.plugin
        """,
    )
'''


@pytest.mark.parametrize("files", [{"setup__cfg": CFG}, {"setup__py": PY}], ids=["cfg", "py"])
def test_all_that_is_declared(tmp_path: Path, files: dict[str, str]) -> None:
    answer = found(tmp_path, **files)
    assert answer.requirements == NEEDED
    assert (answer.name, answer.version, answer.requires_python) == ("Corner_Shop", "0.0.0", ">=3.8")
    assert answer.entry_points == POINTS
    assert answer.problems == ()


def test_setup_py_comes_before_setup_cfg(tmp_path: Path) -> None:
    py = "import setuptools\nsetuptools.setup(install_requires=['six'], version='3')\n"
    answer = found(tmp_path, setup__cfg=CFG, setup__py=py)
    assert answer.requirements[0] == "six" and "attrs" not in answer.requirements
    assert "pytest" in answer.requirements
    assert (answer.name, answer.version) == ("Corner_Shop", "3")


@pytest.mark.parametrize(
    ("project", "taken"),
    [
        ("name = 'new'\ndependencies = ['six']\n", ("six",)),
        ("name = 'new'\n", ()),
        ("name = 'new'\ndynamic = ['dependencies']\n", NEEDED[:2]),
    ],
)
def test_a_project_table_stands_for_itself(tmp_path: Path, project: str, taken: tuple[str, ...]) -> None:
    answer = found(tmp_path, pyproject__toml=f"[project]\n{project}", setup__cfg=CFG)
    assert (answer.name, answer.requirements) == ("new", taken)


def test_a_build_table_alone_is_no_project(tmp_path: Path) -> None:
    answer = found(tmp_path, pyproject__toml="[build-system]\nrequires = ['setuptools']\n", setup__cfg=CFG)
    assert answer.requirements == NEEDED


@pytest.mark.parametrize(
    "argument",
    [
        "install_requires=open('requirements.in').read().splitlines()",
        "install_requires=needed()",
        "install_requires=['six'] if os.name == 'nt' else []",
        "install_requires=[f'six=={v}']",
        "install_requires=changed",
        "install_requires=twice",
        "install_requires=[*known, 'attrs']",
        "**arguments()",
    ],
)
def test_what_is_computed_is_said_and_the_rest_is_taken(tmp_path: Path, argument: str) -> None:
    source = f"""\
import os
known = ["six"]
changed = ["six"]
changed.append("idna")
twice = ["six"]
if os.name == "nt":
    twice = ["idna"]
setup(name="shop", {argument}, extras_require={{"test": ["pytest"]}})
"""
    answer = found(tmp_path, setup__py=source)
    assert (answer.name, answer.requirements) == ("shop", ("pytest",))
    (problem,) = answer.problems
    assert problem.startswith("setup.py: `") and "setup.py is not executed" in problem


def test_dependencies_of_another_file_are_said(tmp_path: Path) -> None:
    answer = found(tmp_path, setup__cfg="[options]\ninstall_requires = file: needed.txt\n")
    assert answer.requirements == ()
    assert answer.problems == (
        "setup.cfg: `install_requires` is passed over, what another file or code says is not looked up.",
    )


def test_where_packages_come_from_is_not_theirs_to_say(tmp_path: Path) -> None:
    py = "setup(name='x', install_requires=['six @ https://evil.example/six.whl', 'idna\\n--index-url=http://e'])"
    answer = found(tmp_path, setup__py=py)
    assert answer.requirements == ()
    assert len(answer.problems) == 2
    assert all(problem.startswith("setup.cfg or setup.py: `") for problem in answer.problems)


@pytest.mark.parametrize(
    "source",
    ["def (", "x = '\0'", "(" * 5000, "-" * 200_000 + "1", "#" * (2 << 20), "setup(" * 90 + ")" * 90],
)
def test_broken_programs_are_problems(tmp_path: Path, source: str) -> None:
    answer = found(tmp_path, setup__py=source, requirements__txt="six")
    assert answer.requirements == ("six",)
    assert len(answer.problems) == (0 if source.startswith("setup") else 1)


def test_a_warning_of_their_source_is_not_ours(tmp_path: Path) -> None:
    answer = found(tmp_path, setup__py="import re\nre.compile('\\d')\nsetup(name='x')\n")
    assert (answer.name, answer.problems) == ("x", ())


def test_a_lock_of_pipenv(tmp_path: Path) -> None:
    lock = {
        "_meta": {"sources": [{"url": "https://user:hunter2@evil.example/simple"}]},
        "default": {
            "requests": {
                "version": "==2.31.0",
                "index": "pypi",
                "hashes": ["sha256:00"],
                "extras": ["socks"],
            },
            "idna": {"version": "==3.4", "markers": "python_version >= '3.5'"},
            "mine": {"editable": True, "path": "."},
        },
        "develop": {"pytest": {"version": "==8.3.4"}, "odd": 3},
    }
    answer = found(tmp_path, Pipfile__lock=json.dumps(lock), requirements__txt="unused")
    assert answer.requirements == (
        "requests[socks]==2.31.0",
        "idna==3.4 ; (python_version >= '3.5')",
        "pytest==8.3.4",
    )
    assert [problem.split("`")[1] for problem in answer.problems] == ["mine", "odd"]


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"default": 3}', b"\xff", b"[" * 100_000])
def test_broken_locks_of_pipenv_are_passed_over(tmp_path: Path, content: bytes) -> None:
    assert found(tmp_path, Pipfile__lock=content, requirements__txt="six").requirements == ("six",)


@given(st.binary(max_size=80), st.sampled_from(["setup.cfg", "setup.py", "Pipfile.lock"]))
def test_no_bytes_are_an_error(content: bytes, name: str) -> None:
    find_dependencies(Path("/nonexistent"), {name: content}.get)


WORDS = "metadata options name install_requires extras_require test = : [ ] setup ( ) , { }"
words = st.sampled_from([*WORDS.split(), "\n"])


@given(st.lists(words, max_size=25), st.sampled_from(["setup.cfg", "setup.py"]))
def test_no_words_are_an_error(said: list[str], name: str) -> None:
    find_dependencies(Path("/nonexistent"), {name: " ".join(said).encode()}.get)
