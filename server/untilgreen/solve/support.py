"""Which files only serve the tests, wherever they lie: known from what tests and code import and name.

Nothing is read before a patch touches a file about which names alone do not decide.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import PurePosixPath

from untilgreen.errors import UntilgreenError
from untilgreen.model import Entry

TEST_FOLDERS = frozenset(
    (
        *("tests", "test", "unit_tests", "unittests", "integration_tests", "functional_tests", "e2e_tests"),
        *("testdata", "test_data", "__tests__", "__snapshots__"),
    )
)
TOP_FOLDERS = frozenset(("testing", "spec", "specs", "fixtures", "golden", "goldens"))
"""For tests where they stand outermost; inside of packages they may be anything."""
TEST_NAMES = ("test_*.py", "*_test.py", "test.py", "tests.py", "conftest.py")
MOST_FILES = 4000
LARGEST = 1 << 20
_FROM = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)", re.M)
_IMPORT = re.compile(rb"^[ \t]*import[ \t]+([^\n#;]+)", re.M)
_PLUGINS = re.compile(rb"^[ \t]*pytest_plugins[ \t]*(?::[^=\n]*)?=[ \t]*(\([^)]*\)|\[[^\]]*\]|[^\n]+)", re.M)
_OPTION = re.compile(rb"(?:^|[\s\"'=,\[])-p[ \t=\"',]*([A-Za-z_][\w.]*)")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_TEXT = re.compile(rb"[\"']([\w.]+)[\"']")
_TESTS_SOMETHING = re.compile(
    rb"\b(assert|pytest|unittest|fixture|AssertionError)\b|^\s*(def|class)\s+[Tt]est", re.M
)
_AS_FOLDER = (
    rb"[\"'/]%(name)s/|/%(name)s[\"']|/[ \t]*[\"']%(name)s[\"']"
    rb"|(?:Path|join|joinpath|open|glob|listdir|scandir|walk)\([^)\n]*[\"']%(name)s[\"']"
)
"""Where a text speaks of a folder, and not only says its name."""
_OPTIONS_IN = ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.toml")


class Support:
    """Of one workspace, as it was before any change."""

    def __init__(
        self,
        entries: Mapping[str, Entry],
        test_files: Collection[str],
        folders: Collection[str],
        read: Callable[[str], bytes] | None,
    ) -> None:
        """`folders` are those that modules are imported from; without `read` names alone decide."""
        self._entries = entries
        self._test_files = frozenset(test_files)
        self._folders = sorted(folders)
        self._read_file = read
        self._known: dict[str, bool] = {}

    def holds(self, path: str) -> bool:
        """Whether this is no code of the project, but of its tests. Blocking the first time."""
        if path not in self._known:
            self._known[path] = self._decide(path)
        return self._known[path]

    def _decide(self, path: str) -> bool:
        if path in self._test_files:
            return True
        if is_named_like_a_test(path):
            return not self._is_mere_name(path)
        folder = folder_of_tests(path)
        if folder:
            top = folder.lower() in TOP_FOLDERS
            return not (self._is_code_of_top(folder, path) if top else self._is_code_in(folder, path))
        if self._read_file is None:
            return False
        if path in self._plugins or self._stands_among_tests(path):
            return True
        return not path.endswith(".py") and path in self._entries and self._is_only_named_by_tests(path)

    def _is_mere_name(self, path: str) -> bool:
        """`speed_test.py` may measure speed: it is there, was planned by nobody and expects nothing."""
        if path not in self._entries or not path.endswith("_test.py") or folder_of_tests(path):
            return False
        return bool(self._read(path)) and not self._expects(path)

    def _is_code_in(self, folder: str, path: str) -> bool:
        """Of a folder that is named like one for tests: code that other code needs, or all code there is."""
        if self._read_file is None or not path.endswith(".py") or path not in self._entries:
            return False
        alone = not any(_is_code_name(one) and not one.startswith(f"{folder}/") for one in self._code)
        return (alone or path in self._imported_by_code) and not self._expects(path)

    def _stands_among_tests(self, path: str) -> bool:
        """In a folder that holds tests of code elsewhere, and from which no code imports anything."""
        if path not in self._entries or (path.endswith(".py") and not self._expects(path)):
            return False
        for parent in PurePosixPath(path).parents:
            folder = parent.as_posix()
            tests = [one for one in self._test_files if posixpath.dirname(one) == folder]
            if folder != "." and tests and self._is_test_folder(folder, tests):
                return True
        return False

    def _is_test_folder(self, folder: str, tests: list[str]) -> bool:
        inside = f"{folder}/"
        if any(one.startswith(inside) for one in self._imported_by_code):
            return False
        names = {posixpath.basename(one).removesuffix(".py") for one in tests}
        modules = {one for one in self._entries if one.startswith(inside) and one.endswith(".py")}
        beside = {one[len(inside) :].removesuffix(".py") for one in modules} - names - {"__init__"}
        # Tests that stand beside what they test bear its name, or are few.
        if len(beside) > len(tests) or any(
            name.removeprefix("test_").removesuffix("_test") in beside for name in names
        ):
            return False
        elsewhere = [
            one
            for test in tests
            for one in self._imports(test)
            if not one.startswith(inside) and _is_code_path(one)
        ]
        return bool(elsewhere)

    def _is_only_named_by_tests(self, path: str) -> bool:
        """Data that a test of some code speaks of, or of its folder, and no code does."""
        folder, name = posixpath.split(path)
        # A test that imports nothing may well be about the data.
        tests = [
            self._read(one)
            for one in self._all_tests
            if one not in self._test_files or any(_is_code_path(other) for other in self._imports(one))
        ]
        code = [self._read(one) for one in self._code]
        named = re.compile(rb"[\"'/]" + re.escape(name).encode() + rb"[\"']")
        if _any_has(named, code):
            return False
        if _any_has(named, tests):
            return True
        parts = [re.compile(_AS_FOLDER % {b"name": re.escape(part).encode()}) for part in folder.split("/")]
        return any(_any_has(part, tests) and not _any_has(part, code) for part in parts if folder)

    def _is_code_of_top(self, folder: str, path: str) -> bool:
        """Of a folder that is only perhaps one for tests."""
        if path.endswith(".py") or self._read_file is None:
            return path in self._imported_by_code
        said = re.compile(_AS_FOLDER % {b"name": re.escape(folder).encode()})
        return _any_has(said, [self._read(one) for one in self._code])

    @cached_property
    def _all_tests(self) -> tuple[str, ...]:
        named = {one for one in self._entries if is_named_like_a_test(one) or folder_of_tests(one)}
        return tuple(one for one in self._entries if one in self._test_files or one in named)

    @cached_property
    def _code(self) -> tuple[str, ...]:
        tests = frozenset(self._all_tests)
        found = (one for one in self._entries if one.endswith(".py") and one not in tests)
        return tuple(sorted(found)[:MOST_FILES])

    @cached_property
    def _imported_by_code(self) -> frozenset[str]:
        """By modules that do not stand among tests themselves."""
        folders = {posixpath.dirname(one) for one in self._test_files} - {""}
        found: set[str] = set()
        for path in self._code:
            place, starts_tests = posixpath.dirname(path), self._expects(path)
            for imported in self._imports(path):
                # Helpers of tests import each other, and what starts tests imports them.
                helps = place in folders and posixpath.dirname(imported) == place
                if not helps and not (starts_tests and folder_of_tests(imported)):
                    found.add(imported)
        return frozenset(found)

    @cached_property
    def _plugins(self) -> frozenset[str]:
        """Modules that the tests' own configuration loads."""
        named: set[str] = set()
        for path in self._all_tests:
            for found in _PLUGINS.findall(self._read(path)):
                named |= {one.decode() for one in _TEXT.findall(found)}
        for path in _OPTIONS_IN:
            named |= {one.decode() for one in _OPTION.findall(self._read(path))}
        return frozenset(one for name in named for one in self._files_of(name))

    def _expects(self, path: str) -> bool:
        return bool(_TESTS_SOMETHING.search(self._read(path)))

    def _imports(self, path: str) -> Iterator[str]:
        """Files of the workspace."""
        text, folder = self._read(path), posixpath.dirname(path)
        for dots, module, names in _FROM.findall(text):
            words = [word.split(b" as ")[0].strip() for word in names.strip(b"()\\ \n").split(b",")]
            inner = [word.decode() for word in words if _WORD.fullmatch(word)]
            for name in (module.decode(), *(f"{module.decode()}.{one}".strip(".") for one in inner)):
                if dots:
                    base = posixpath.normpath(posixpath.join(folder, *[".."] * (len(dots) - 1)))
                    yield from self._in_folder("" if base == "." else base, name)
                else:
                    yield from self._files_of(name)
        for modules in _IMPORT.findall(text):
            for word in modules.split(b","):
                yield from self._files_of(word.split(b" as ")[0].strip().decode("utf-8", "replace"))

    def _files_of(self, module: str) -> Iterator[str]:
        for folder in self._folders:
            yield from self._in_folder(folder, module)

    def _in_folder(self, folder: str, module: str) -> Iterator[str]:
        at = posixpath.join(folder, *module.split(".")) if module else folder
        for path in (f"{at}.py", posixpath.join(at, "__init__.py")):
            if path in self._entries:
                yield path

    def _read(self, path: str) -> bytes:
        """Nothing, where there is nothing that can be read."""
        entry = self._entries.get(path)
        if entry is None or entry.size > LARGEST or self._read_file is None:
            return b""
        try:
            return self._read_file(path)
        except (OSError, UntilgreenError):
            return b""


def _any_has(pattern: re.Pattern[bytes], texts: list[bytes]) -> bool:
    return any(pattern.search(text) for text in texts)


def is_named_like_a_test(path: str) -> bool:
    name = posixpath.basename(path).lower()
    return any(fnmatchcase(name, pattern) for pattern in TEST_NAMES)


def folder_of_tests(path: str) -> str:
    """The outermost folder of a path that is named like one for tests; empty when there is none."""
    folders = PurePosixPath(path).parts[:-1]
    for n, part in enumerate(folders):
        if part.lower() in TEST_FOLDERS or (n == 0 and part.lower() in TOP_FOLDERS):
            return "/".join(folders[: n + 1])
    return ""


def _is_code_path(path: str) -> bool:
    return not is_named_like_a_test(path) and not folder_of_tests(path)


def _is_code_name(path: str) -> bool:
    return posixpath.basename(path) not in ("setup.py", "noxfile.py", "manage.py", "__init__.py")
