"""Runs in the test process: which of a project's pytest options count in the sandbox.

A run has to tell about every planned test, once, in this process. Options that would keep it from that are
taken out by name before pytest parses them, whether or not their plugin is installed; all others stay.
`docs/pytest-options.md` lists them. Its source comes to that process in its request, so it imports nothing of
ours.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from typing import Any, List

FLAGS = frozenset(
    (
        # Ends before every planned test was told.
        *("--exitfirst", "--lf", "--last-failed", "--ff", "--failed-first", "--nf", "--new-first"),
        *("--sw", "--stepwise", "--sw-skip", "--stepwise-skip", "--sw-reset", "--stepwise-reset"),
        # Runs no test at all, or waits for somebody at a keyboard.
        *("--collect-only", "--co", "--collectonly", "--setup-only", "--setup-plan", "--setuponly"),
        *("--setupplan", "--fixtures", "--funcargs", "--fixtures-per-test", "--markers", "--help"),
        *("--version", "--pdb", "--trace", "--cache-clear"),
        # Draws what is told in values.
        *("--full-trace", "--showlocals"),
        # Runs tests in other processes, or more than once, or in another order.
        *("--looponfail", "--boxed", "--forked", "--random-order", "--loadscope-reorder"),
        *("--no-loadscope-reorder", "--force-flaky", "--no-flaky-report", "--no-success-flaky-report"),
        *("--randomly-dont-reset-seed", "--randomly-dont-reorganize", "--fail-on-flaky"),
        *("--rerun-show-tracebacks", "--self-contained-html", "--json-report", "--no-cov"),
        *("--no-cov-on-fail", "--cov-append", "--cov-branch", "--cov-reset"),
    )
)
VALUED = frozenset(
    (
        *("--tb", "--maxfail", "--lfnf", "--last-failed-no-failures", "--pdbcls"),
        *("--numprocesses", "--maxprocesses", "--max-worker-restart", "--dist", "--tx", "--px", "--rsyncdir"),
        *("--rsyncignore", "--testrunuid"),
        *("--cov-config", "--cov-fail-under", "--cov-context", "--cov-report", "--cov-precision"),
        *("--reruns", "--reruns-delay", "--reruns-delay-backoff-factor", "--only-rerun", "--rerun-except"),
        *("--rerun-exclude-path", "--reruns-mode", "--force-reruns", "--max-suite-reruns", "--max-runs"),
        *("--min-passes", "--randomly-seed", "--random-order-bucket", "--random-order-seed"),
        *("--junitxml", "--junit-xml", "--junitprefix", "--junit-prefix", "--html", "--css", "--report-log"),
        *("--json-report-file", "--json-report-omit", "--json-report-indent", "--alluredir", "--pastebin"),
        *("--result-log", "--resultlog"),
    )
)
# These take the next word unless it is an option.
MAYBE_VALUED = frozenset(("--cov", "--cache-show", "--debug", "--json-report-summary"))
SHORT_FLAGS = frozenset("xdfhVl")
SHORT_VALUED = frozenset("n")
SHORT_VALUED_KEPT = frozenset("ckmoprW")
PLUGINS = re.compile(
    r"(no:)?(xdist(\.plugin|\.looponfail)?|pytest_cov(\.plugin)?|randomly|pytest_randomly|random_order(\.plugin)?"
    r"|rerunfailures|pytest_rerunfailures|flaky(\.flaky_pytest_plugin)?|pytest_forked)$"
)
# They run tests again or shuffle them although no option says so.
BLOCKED = ("randomly", "rerunfailures", "flaky")
# They start programs and make folders before the first test, in every run; who uses them names them.
UNLESS_NAMED = {"benchmark": "pytest_benchmark"}
MOST_FILES = 2000
BLOCKED_SETTINGS = (
    *("reruns", "reruns_delay", "reruns_delay_backoff_factor", "reruns_mode", "rerun_exclude_path"),
    *("max_suite_reruns", "rerun_except", "only_rerun"),
)
BLOCKED_MARKERS = ("flaky(*arguments): a test that its project would run again; here it runs once.",)

_CONFIGURATION = re.compile(r"^\[(pytest|tool:pytest|tool\.pytest(\.ini_options)?)\]", re.MULTILINE)
_IMPORTS_PYTEST = re.compile(r"^\s*(import|from)\s+pytest\b", re.MULTILINE)
_IMPORTS_UNITTEST = re.compile(r"^\s*(import|from)\s+(unittest|django\.test|twisted\.trial)\b", re.MULTILINE)


def kept(arguments: List[str]) -> List[str]:
    """The arguments without those that would keep a run from telling about every planned test."""
    left: List[str] = []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            return [*left, word, *words]
        name, given, _ = word.partition("=")
        if name in FLAGS:
            continue
        if name in VALUED or name in MAYBE_VALUED:
            optional = name in MAYBE_VALUED
            if not given and words and not (optional and words[0].startswith("-")):
                words.pop(0)
        elif re.match(r"-[A-Za-z]", word):
            left += _short(word, words)
        else:
            left.append(word)
    return left


def _short(word: str, words: List[str]) -> List[str]:
    """What stays of one word of short options, such as `-xvs` or `-n4`; takes a value from the next words."""
    flags = ""
    for n, letter in enumerate(word[1:], 1):
        if letter in SHORT_VALUED or letter in SHORT_VALUED_KEPT:
            joined = word[n + 1 :]
            value = joined or (words.pop(0) if words else "")
            if letter in SHORT_VALUED or (letter == "p" and PLUGINS.match(value)):
                break
            return ["-" + flags + letter + joined] + ([] if joined else [value])
        if letter not in SHORT_FLAGS:
            flags += letter
    return ["-" + flags] if flags else []


def own_arguments(root: str) -> List[str]:
    """What every run is told besides: plugins that run tests again stay out, nothing is remembered."""
    arguments = [word for name in BLOCKED for word in ("-p", "no:" + name)]
    arguments += ["-o", "cache_dir=/tmp/pytest-cache"]
    for name, module in UNLESS_NAMED.items():
        if importlib.util.find_spec(module) is not None and not named_in(root, name):
            arguments += ["-p", "no:" + name]
    # Failures are told in values; drawing them takes longer than most tests.
    arguments += ["--tb=line"]
    if unittest_only(root):
        # unittest's own pattern, together with the one that pytest would have looked for.
        arguments += ["-o", "python_files=test*.py *_test.py"]
    return arguments


def filter_addopts(pytest: Any) -> None:
    """Make pytest see only what is kept of `addopts`, from whichever file it takes them.

    `Config.getini` is public and each version reads `addopts` through it, once, before any option is parsed.
    Which file counts, and how it is written, stays pytest's own business.
    """
    original = pytest.Config.getini

    def getini(config: Any, name: str) -> Any:
        value = original(config, name)
        if name != "addopts":
            return value
        pytest.Config.getini = original
        return kept(list(value))

    pytest.Config.getini = getini


def hide_current_test() -> None:
    """Keep pytest from writing the name of each test into the environment, where any code can read it."""
    runner = sys.modules.get("_pytest.runner")
    if hasattr(runner, "_update_current_test_var"):
        runner._update_current_test_var = lambda item, when: None  # type: ignore[union-attr]


def named_in(root: str, word: str) -> bool:
    """Whether any code or configuration may speak of it; yes when that would take long to find out."""
    read = 0
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        for name in files:
            if name.endswith((".py", ".toml", ".ini", ".cfg")):
                read += 1
                if read > MOST_FILES or word in _text(os.path.join(folder, name)):
                    return True
    return False


def unittest_only(root: str) -> bool:
    """True when the tests are unittest's and nothing speaks of pytest."""
    for name in ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "conftest.py"):
        if os.path.exists(os.path.join(root, name)):
            return False
    for name in ("pyproject.toml", "tox.ini", "setup.cfg"):
        if _CONFIGURATION.search(_text(os.path.join(root, name))):
            return False
    found = False
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name[0] not in "._" and name != "node_modules"]
        if "conftest.py" in files:
            return False
        for name in files:
            if name.startswith("test") and name.endswith(".py"):
                text = _text(os.path.join(folder, name))
                if _IMPORTS_PYTEST.search(text):
                    return False
                found = found or bool(_IMPORTS_UNITTEST.search(text))
    return found


def _text(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(1 << 20)
    except OSError:
        return ""
