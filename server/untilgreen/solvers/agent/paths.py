"""Which file of the workspace a model names; everything else is refused. Pure."""

from __future__ import annotations

from untilgreen.solvers.agent.refusal import Refusal

LONGEST = 400


def inside(path: str) -> str:
    """The same file, as the workspace names it: relative to its root, posix."""
    name = path.strip()
    if not name or len(name) > LONGEST or any(ord(character) < 32 for character in name):
        raise Refusal("That is not the path of a file. Name one relative to the project's root: src/shop.py")
    if name.startswith(("/", "~")) or name[1:3] in (":\\", ":/"):
        raise Refusal(
            f"{name} is absolute. Only files of this project can be used: src/shop.py, without / before."
        )
    if "\\" in name:
        raise Refusal(f"{name} has backslashes; paths have slashes here.")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise Refusal(f"{name} leads out of the project; only files below its root can be used.")
    if not parts or name.endswith("/"):
        raise Refusal(f"{name} is a folder. Name a file; list_files tells which there are.")
    return "/".join(parts)
