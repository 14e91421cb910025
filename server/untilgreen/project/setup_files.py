"""What setup.cfg and setup.py say of a project, in the words of pyproject.toml. Neither is executed.

Of setup.py only what stands there as it is can be known: text, lists, dicts, names given to them, and sums.
"""

from __future__ import annotations

import ast
import configparser
import re
import warnings
from collections.abc import Callable, Mapping

from untilgreen.trees import tree_of

CFG, PY = "setup.cfg", "setup.py"
SOURCE_BYTES = 1 << 20

Tell = Callable[[str, str, str], None]
"""Takes the file, why something in it is passed over, and what that is; may be empty."""
# What setup() calls it, and what pyproject.toml calls it.
_WORDS = {
    "name": "name",
    "version": "version",
    "python_requires": "requires-python",
    "install_requires": "dependencies",
    "extras_require": "optional-dependencies",
    "entry_points": "entry-points",
}


def setup_table(cfg: str | None, py: str | None, tell: Tell) -> dict[str, object]:
    """The `project` table that these two stand for; what setup.py says comes first, as for setuptools."""
    table = _of_cfg(cfg, tell) if cfg else {}
    if py:
        table |= {key: value for key, value in _of_py(py, tell).items() if value}
    return table


def _of_cfg(text: str, tell: Tell) -> dict[str, object]:
    # A percent sign means nothing here, and option names of extras keep their capitals.
    parser = configparser.RawConfigParser(delimiters=("=",), strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except (configparser.Error, ValueError) as error:
        tell(CFG, f"it cannot be read ({(str(error).splitlines() or [''])[0]})", "")
        return {}

    def section(name: str) -> dict[str, str]:
        return dict(parser.items(name)) if parser.has_section(name) else {}

    metadata, options = section("metadata"), section("options")
    said: dict[str, object] = {
        **metadata,
        "python_requires": options.get("python_requires", ""),
        "install_requires": _listed(options.get("install_requires", "")),
        "extras_require": {key: _listed(text) for key, text in section("options.extras_require").items()},
        "tests_require": _listed(options.get("tests_require", "")),
        "entry_points": section("options.entry_points"),
    }
    for key in ("install_requires", "python_requires", "version"):
        if str(said.get(key, "")).startswith(("file:", "attr:")):
            # A version is not needed, and computed more often than not.
            if key != "version":
                tell(CFG, "what another file or code says is not looked up", key)
            said[key] = ""
    return _table(said)


def _listed(text: str) -> str:
    """In a single line a semicolon stands between two requirements, unless a condition follows it."""
    alone = "\n" not in text and not re.search(r";[^;]*['\"]", text)
    return text.replace(";", "\n") if alone else text


def _of_py(source: str, tell: Tell) -> dict[str, object]:
    if len(source) > SOURCE_BYTES:
        tell(PY, f"it is larger than {SOURCE_BYTES >> 10} kB", "")
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = tree_of(source)
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _is_setup(node.func)]
        known = _constants(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tell(PY, "it is not Python that can be read", "")
        return {}
    said: dict[str, object] = {}
    for keyword in (keyword for call in calls for keyword in call.keywords):
        if keyword.arg is not None and keyword.arg not in (*_WORDS, "tests_require"):
            continue
        try:
            value = _value(keyword.value, known)
        except (_Computed, RecursionError):
            # A version is not needed, and computed more often than not.
            if keyword.arg != "version":
                tell(PY, "it is computed, and setup.py is not executed", keyword.arg or "**")
            continue
        said |= {keyword.arg: value} if keyword.arg else value if isinstance(value, dict) else {}
    return _table(said)


def _is_setup(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name == "setup"


class _Computed(Exception):
    """Only running the program would tell."""


def _constants(tree: ast.Module) -> Mapping[str, object]:
    """Names that get one value at the top of the file, and no other anywhere."""
    stored = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and _changes(node)]
    # A method may change a list or a dict in place: requirements.append("more").
    called = [node.value.id for node in ast.walk(tree) if _is_part_of_name(node)]  # type: ignore[attr-defined]
    known: dict[str, object] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if not isinstance(node, ast.Assign | ast.AnnAssign) or node.value is None or len(targets) != 1:
            continue
        name = getattr(targets[0], "id", "")
        if name and stored.count(name) == 1 and name not in called:
            try:
                known[name] = _value(node.value, known)
            except _Computed:
                continue
    return known


def _changes(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _is_part_of_name(node: ast.AST) -> bool:
    """`name.x`, or `name[x]` where something is put."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.value, ast.Name) and not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)


def _value(node: ast.expr, known: Mapping[str, object]) -> object:
    if isinstance(node, ast.Constant) and isinstance(node.value, str | None):
        return node.value
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(one, known) for one in node.elts]
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_value(key, known)): _value(value, known) for key, value in pairs if key is not None}
    if isinstance(node, ast.Name) and node.id in known:
        return known[node.id]
    if isinstance(node, ast.Subscript):
        whole, key = _value(node.value, known), _value(node.slice, known)
        if isinstance(whole, dict) and key in whole:
            return whole[key]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _value(node.left, known), _value(node.right, known)
        if isinstance(left, list) and isinstance(right, list):
            return left + right
        if isinstance(left, str) and isinstance(right, str):
            return left + right
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict" and not node.args:
        return {word.arg: _value(word.value, known) for word in node.keywords if word.arg}
    raise _Computed


def _table(said: Mapping[str, object]) -> dict[str, object]:
    """In the words and shapes of pyproject.toml; a text holds one requirement per line."""
    table = {new: said[old] for old, new in _WORDS.items() if old in said}
    extras = said.get("extras_require")
    # A key may hold a condition behind a colon: `test:python_version<"3.9"`.
    optional: dict[str, list[str]] = {}
    plain: list[str] = []
    for key, lines in extras.items() if isinstance(extras, dict) else ():
        extra, _, condition = str(key).partition(":")
        found = [f"{line} ; {condition}" if condition else line for line in _requirements(lines)]
        if extra.strip():
            optional.setdefault(extra.strip(), []).extend(found)
        else:
            plain += found
    table["dependencies"] = [*_requirements(said.get("install_requires")), *plain]
    if needed := _requirements(said.get("tests_require")):
        optional["test"] = [*optional.get("test", []), *needed]
    table["optional-dependencies"] = optional
    groups = {group: _entry_points(lines) for group, lines in _groups(said.get("entry_points")).items()}
    table["scripts"] = groups.pop("console_scripts", {})
    table["gui-scripts"] = groups.pop("gui_scripts", {})
    table["entry-points"] = groups
    return {key: value for key, value in table.items() if value}


def _requirements(value: object) -> list[str]:
    lines = value.splitlines() if isinstance(value, str) else value if isinstance(value, list) else []
    words = (line.partition(" #")[0].strip() for line in lines if isinstance(line, str))
    return [word for word in words if word and not word.startswith("#")]


def _groups(value: object) -> dict[str, object]:
    """Entry points may be one text, in the form of a file of settings."""
    if isinstance(value, dict):
        return {str(group): lines for group, lines in value.items()}
    groups: dict[str, list[str]] = {}
    group = ""
    for line in _requirements(value):
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group:
            groups.setdefault(group, []).append(line)
    return dict(groups)


def _entry_points(value: object) -> dict[str, str]:
    pairs = (line.partition("=") for line in _requirements(value))
    return {name.strip(): target.strip() for name, equals, target in pairs if equals}
