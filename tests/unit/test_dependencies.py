"""What to install is read from files that nobody trusts: all shapes, and no way to choose where from."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.project.dependencies import Dependencies, find_dependencies
from untilgreen.project.reading import reader
from untilgreen.project.requirement import NotTaken, read_poetry, read_requirement


def found(root: Path, **files: str | bytes) -> Dependencies:
    """Names have a double underscore for a dot, and a single one more for a folder."""
    for name, content in files.items():
        path = root / name.replace("___", "/").replace("__", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return find_dependencies(root, reader(root))


PYPROJECT = """\
[project]
name = "My.Project"
version = "1.2.3"
dependencies = ["requests>=2 ; python_version>'3'", "attrs"]
[project.optional-dependencies]
test = ["pytest", "my-project[more]"]
more = ["rich", "my_project[test]"]
docs = ["sphinx"]
[project.scripts]
mine = "my.cli:main"
[project.entry-points.pytest11]
own = "my.plugin"
[dependency-groups]
dev = ["ruff", {include-group = "Lint_ers"}]
lint-ers = ["mypy", {include-group = "dev"}]
docs = ["furo"]
"""
NEEDED = ("requests>=2 ; python_version>'3'", "attrs", "pytest", "rich", "ruff", "mypy")


def test_a_folder_without_any_declaration(tmp_path: Path) -> None:
    assert found(tmp_path) == Dependencies()


def test_pyproject_with_extras_and_groups_that_include_each_other(tmp_path: Path) -> None:
    answer = found(tmp_path, pyproject__toml=PYPROJECT)
    assert answer.requirements == NEEDED
    assert (answer.name, answer.version) == ("My.Project", "1.2.3")
    assert answer.entry_points == (
        ("console_scripts", "mine", "my.cli:main"),
        ("pytest11", "own", "my.plugin"),
    )
    assert (answer.constraints, answer.problems, answer.files) == ((), (), ("pyproject.toml",))
    assert {"requests", "attrs", "rich"} <= answer.modules


def test_a_computed_version_is_not_computed(tmp_path: Path) -> None:
    answer = found(tmp_path, pyproject__toml='[project]\nname="x"\ndynamic=["version"]\n')
    assert (answer.name, answer.version) == ("x", "0.0.0")


def test_a_uv_lock_gives_versions_but_not_of_what_it_has_twice_or_from_elsewhere(tmp_path: Path) -> None:
    lock = """\
    version = 1
    package = [
      {name="attrs", version="25.1.0", source={registry="https://index"}},
      {name="requests", version="2.0", source={registry="https://index"}},
      {name="numpy", version="1.0", source={registry="https://index"}},
      {name="numpy", version="2.0", source={registry="https://index"}},
      {name="my-project", version="1.2.3", source={editable="."}},
      {name="fork", version="1", source={git="https://somewhere"}},
      {name="odd"}, 3,
    ]
    """
    answer = found(tmp_path, pyproject__toml=PYPROJECT, uv__lock=lock, requirements__txt="unused")
    assert answer.requirements == NEEDED
    assert answer.constraints == ("attrs==25.1.0", "requests==2.0")
    assert "requirements.txt" not in answer.files


def test_poetry_with_its_lock(tmp_path: Path) -> None:
    pyproject = """\
    [tool.poetry]
    name = "poem"
    version = "0.3"
    plugins = {pytest11 = {poem = "poem.plugin"}}
    extras = {test = ["attrs"]}
    [tool.poetry.dependencies]
    python = "^3.9"
    requests = {version = "^2.31", extras = ["socks"]}
    attrs = {version = "*", optional = true}
    rich = {version = "*", optional = true}
    mine = {path = "../mine"}
    [tool.poetry.group.test.dependencies]
    pytest = "~8.1"
    [tool.poetry.group.docs.dependencies]
    sphinx = "*"
    [tool.poetry.dev-dependencies]
    six = "1.16"
    """
    lock = """\
    [[package]]
    name = "requests"
    version = "2.32.0"
    [[package]]
    name = "pytest"
    version = "8.1.1"
    [package.source]
    type = "legacy"
    url = "https://index"
    [[package]]
    name = "mine"
    version = "1"
    [package.source]
    type = "directory"
    url = "../mine"
    """
    answer = found(tmp_path, pyproject__toml=pyproject, poetry__lock=lock)
    assert answer.requirements == ("requests[socks]>=2.31,<3", "attrs", "six==1.16", "pytest>=8.1,<8.2")
    assert answer.constraints == ("requests==2.32.0", "pytest==8.1.1")
    assert answer.entry_points == (("pytest11", "poem", "poem.plugin"),)
    (problem,) = answer.problems
    assert problem.startswith("pyproject.toml: `mine` is passed over")


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        ("^1.2.3", "x>=1.2.3,<2"),
        ("^0.2.3", "x>=0.2.3,<0.3"),
        ("^0.0.3", "x>=0.0.3,<0.0.4"),
        ("^0.0", "x>=0.0,<0.1"),
        ("~1", "x>=1,<2"),
        ("~1.2.3", "x>=1.2.3,<1.3"),
        (">=1.2, <2.0 !=1.5", "x>=1.2,<2.0,!=1.5"),
        ("1.2.*", "x==1.2.*"),
        ("~=1.4", "x~=1.4"),
        ("*", "x"),
        ("1.0 || 2.0", "x"),
        ({"version": "^2", "python": "<3.9", "markers": "os_name=='nt'"},
         "x>=2,<3 ; python_full_version < '3.9' and (os_name=='nt')"),
    ],
)  # fmt: skip
def test_poetrys_versions_in_the_words_of_the_standard(wanted: object, text: str) -> None:
    assert [one.text for one in read_poetry("x", wanted)] == [text]


def test_requirements_files_with_includes_hashes_and_the_project_itself(tmp_path: Path) -> None:
    answer = found(
        tmp_path,
        pyproject__toml='[project]\nname="me"\ndependencies=["attrs"]\n'
        '[project.optional-dependencies]\nall=["tqdm"]\n',
        requirements__txt="\ufeff# a\nsix==1.16.0 \\\n  --hash=sha256:00ff \\\n  --hash=sha256:11ee # why\n"
        "-r more/deep.txt\n--constraint=pins.txt\n--require-hashes\nme==3\n",
        **{"requirements-dev__txt": "-e .[all]\npytest\nsix==1.16.0 --hash=sha256:00ff --hash=sha256:11ee\n"},
        more___deep__txt="-rdeeper.txt\nrich (>=13)\n",
        more___deeper__txt="-r ../requirements.txt\nidna\n",
        pins__txt="idna<4\n-r more/deeper.txt\n",
    )
    assert answer.requirements == (
        "attrs", "tqdm", "pytest", "six==1.16.0 --hash=sha256:00ff --hash=sha256:11ee", "idna", "rich>=13",
    )  # fmt: skip
    assert set(answer.constraints) >= {"idna<4"}
    assert answer.problems == ()
    assert "more/deeper.txt" in answer.files


@pytest.mark.parametrize(
    "line",
    [
        "--index-url https://user:hunter2@evil.example/simple",
        "-i https://user:hunter2@evil.example/simple",
        "--extra-index-url=https://user:hunter2@evil.example",
        "--find-links https://user:hunter2@evil.example",
        "--trusted-host hunter2",
        "--no-binary :all:",
        "-e git+https://hunter2@evil.example/x#egg=x",
        "-e ../hunter",
        "../lib",
        "./vendored/x.whl",
        "x.tar.gz",
        "file:///etc/passwd",
        "-r ../../etc/passwd",
        "-r /etc/passwd",
        "-r missing.txt",
        "six @ https://evil.example/six.whl",
        "git+https://evil.example/x",
        "https://evil.example/x.whl",
        "six=1",
        "${SECRET}",
    ],
)
def test_what_is_passed_over_is_told_once_without_its_password(tmp_path: Path, line: str) -> None:
    answer = found(tmp_path, requirements__txt=f"idna\n{line}\n{line}\n")
    assert answer.requirements == ("idna",)
    (problem,) = answer.problems
    assert "passed over" in problem
    assert "hunter2" not in problem


def test_a_requirement_cannot_smuggle_in_a_line(tmp_path: Path) -> None:
    pyproject = (
        '[project]\nname="x\\n--y"\nversion="1/../2"\ndependencies=["six\\n--index-url http://evil"]\n'
    )
    answer = found(tmp_path, pyproject__toml=pyproject)
    assert (answer.requirements, answer.name) == ((), "")
    assert all("\n" not in problem for problem in answer.problems)


def test_what_uv_takes_from_elsewhere_is_not_taken_from_an_index(tmp_path: Path) -> None:
    sources = '[tool.uv.sources]\nAttrs={path="../attrs"}\nruff=[{index="theirs"}]\nmypy={workspace=true}\n'
    answer = found(tmp_path, pyproject__toml=PYPROJECT + sources)
    assert answer.requirements == tuple(line for line in NEEDED if line not in ("attrs", "mypy"))
    assert len(answer.problems) == 3


@pytest.mark.parametrize("content", [b"\xff\xfe", b"[project", b"a=" + b"[" * 5000, b"[[package]]\nname=1\n"])
@pytest.mark.parametrize("name", ["pyproject__toml", "uv__lock", "poetry__lock"])
def test_broken_files_are_problems(tmp_path: Path, name: str, content: bytes) -> None:
    answer = found(tmp_path, requirements__txt="six", **{name: content})
    assert answer.requirements == ("six",)
    assert len(answer.problems) == (0 if content.startswith(b"[[") else 1) or answer.constraints == ()


def test_nothing_outside_of_the_workspace_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("password\n")
    root = tmp_path / "root"
    root.mkdir()
    (root / "requirements.txt").symlink_to(tmp_path / "secret.txt")
    (root / "out").symlink_to(tmp_path)
    (root / "requirements-more.txt").write_text("-r out/secret.txt\nsix\n")
    os.mkfifo(root / "requirements-pipe.txt")
    answer = find_dependencies(root, reader(root))
    assert (answer.requirements, answer.files) == (("six",), ("requirements-more.txt",))
    assert len(answer.problems) == 3


@given(
    st.text(max_size=40) | st.from_regex(r"[a-z.]+ ?(\[[a-z,]*\])? ?[<>=~!]*[0-9.]*( ?;.*)?", fullmatch=True)
)
def test_reading_its_own_text_again_changes_nothing(text: str) -> None:
    try:
        once = read_requirement(text)
    except NotTaken:
        return
    assert read_requirement(once.text) == once
    assert "\n" not in once.text and not once.text.startswith("-")


@given(st.binary(max_size=60), st.sampled_from(["pyproject.toml", "uv.lock", "poetry.lock"]))
def test_no_bytes_are_an_error(content: bytes, name: str) -> None:
    find_dependencies(Path("/nonexistent"), {name: content}.get)


NAMES = """project tool poetry uv sources group dev dependencies name dependency-groups optional-dependencies
entry-points scripts package extras"""
words = st.sampled_from(NAMES.split())
values = st.recursive(
    st.text("ab=-[]@;.1\n", max_size=5) | st.integers() | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(words, values, max_size=4))
def test_no_shape_of_tables_is_an_error(tables: dict[str, object]) -> None:
    text = "".join(f"{name} = {toml(value)}\n" for name, value in tables.items())
    content = {"pyproject.toml": text.encode(), "uv.lock": text.encode()}
    answer = find_dependencies(Path("/nonexistent"), content.get)
    assert not any("not valid TOML" in problem for problem in answer.problems)


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    if isinstance(value, str):
        return '"' + value.replace("\n", "\\n") + '"'
    return str(value).lower()
