"""The project itself in an image, as an editable install leaves it, but without running its build backend."""

from __future__ import annotations

import re

from untilgreen_sandbox.box import BoxSpec, Packages

WORKSPACE = "/w"
"""Where the copy of the workspace lies in a container."""
ENVIRONMENT = "/opt/untilgreen/env"
PYTHON = f"{ENVIRONMENT}/bin/python"

_COMMAND = """\
#!{python}
import sys
from functools import reduce
from importlib import import_module
sys.exit(reduce(getattr, {names!r}, import_module({module!r}))())
"""


def installed_project(spec: BoxSpec) -> dict[str, bytes]:
    """What tells of the project among the installed packages: its version, its entry points, its place."""
    packages = spec.packages
    if not packages.name:
        return {}
    name = re.sub(r"[-_.]+", "_", packages.name).lower()
    folder = f"{name}-{packages.version}.dist-info"
    groups: dict[str, list[str]] = {}
    for group, entry, value in packages.entry_points:
        groups.setdefault(group, []).append(f"{entry} = {value}\n")
    texts = {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {packages.name}\nVersion: {packages.version}\n",
        f"{folder}/INSTALLER": "untilgreen\n",
        f"{folder}/entry_points.txt": "\n".join(
            f"[{group}]\n{''.join(lines)}" for group, lines in groups.items()
        ),
        # Programs that a test starts import the project, too, in whichever folder they are started.
        f"__editable__.{name}.pth": f"{WORKSPACE}/{spec.import_roots[0]}".rstrip("/") + "\n",
    }
    record = f"{folder}/RECORD"
    texts[record] = "".join(f"{file},,\n" for file in [*texts, record])
    version = ".".join(map(str, spec.interpreter.version))
    place = f"{ENVIRONMENT[1:]}/lib/python{version}/site-packages"
    return {f"{place}/{file}": text.encode() for file, text in texts.items()}


def commands(packages: Packages) -> dict[str, str]:
    """The project's own commands, by name; each a program that calls what its entry point names."""
    found = {}
    for group, name, value in packages.entry_points:
        module, _, names = value.partition("[")[0].strip().partition(":")
        if group in ("console_scripts", "gui_scripts") and names and re.fullmatch(r"\w[\w.-]*", name):
            found[name] = _COMMAND.format(python=PYTHON, module=module, names=names.split("."))
    return found
