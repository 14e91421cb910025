"""Our own pytest, for projects whose environment has none: it and what it needs, nothing else of ours."""

from __future__ import annotations

from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

from untilgreen_sandbox.box import Interpreter
from untilgreen_sandbox.errors import SandboxError

INSIDE = "/opt/untilgreen/pytest"
"""Where the packages are seen inside the box."""


def bundled_packages(interpreter: Interpreter) -> tuple[Path, ...]:
    """The folders and files to show inside; all of them pure Python."""
    if interpreter.has_pytest:
        return ()
    version = ".".join(map(str, interpreter.version))
    found: dict[str, Distribution] = {}
    try:
        _collect(
            "pytest", {"python_version": version, "python_full_version": f"{version}.0", "extra": ""}, found
        )
    except PackageNotFoundError as error:
        raise SandboxError(
            f"The project's Python {version} has no pytest, and there ours needs {error.name}, too. "
            f"Install it there: {interpreter.executable} -m pip install pytest"
        ) from error
    return tuple(sorted({path for one in found.values() for path in _top_level(one)}))


def _collect(name: str, environment: dict[str, str], found: dict[str, Distribution]) -> None:
    if name in found:
        return
    found[name] = distribution(name)
    for text in found[name].requires or ():
        requirement = Requirement(text)
        if requirement.marker is None or requirement.marker.evaluate(environment):
            _collect(requirement.name, environment, found)


def _top_level(one: Distribution) -> set[Path]:
    """What the distribution put into site-packages; its scripts lie elsewhere."""
    names = {file.parts[0] for file in one.files or () if file.parts[0] not in ("..", "__pycache__")}
    return {Path(str(one.locate_file(name))) for name in names}
