"""Which files of a folder are copied into the sandbox.

Left out are version control, environments, caches, build output, bytecode, secrets and what is no file.
An exclude wins over an include, an include wins over these rules; version control stays out always.
"""

from __future__ import annotations

import os
import posixpath
import re
import stat
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase, translate
from pathlib import Path

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache"})
FOREIGN = frozenset({".venv", ".tox", ".nox", "node_modules"})
SECRETS = (
    *(".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pypirc", ".npmrc", ".yarnrc"),
    *(".git-credentials", ".htpasswd", ".pgpass", ".my.cnf", ".boto", ".s3cfg", ".dockercfg", ".vault-token"),
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube"),
)
NOT_SECRETS = ("*.py", "*.pyi", ".env.example", ".env.sample", ".env.template", ".env.dist", ".env.*.example")
BYTECODE = (".pyc", ".pyo")


class Copied:
    """The files that are copied, with their sizes. Nothing is read yet."""

    def __init__(self, root: Path, exclude: Sequence[str] = (), include: Sequence[str] = ()) -> None:
        self.root = root
        self.sizes: dict[str, int] = {}
        """Path → size of files; links have none."""
        self.left_out: list[str] = []
        """What a test might miss; folders end with a slash."""
        self._exclude = exclude
        self._include = include
        self._closed: set[str] = set()
        """Folders of which nothing is taken unless an include says so."""
        self._visit("")

    def takes_buffer(self, path: str) -> bool:
        """The same rules for an open editor buffer, whose file may not be on disk."""
        parts = path.split("/")
        if not {"", ".", ".."}.isdisjoint(parts):
            raise ValueError(f"not a path inside the workspace: {path!r}")
        parents = ["/".join(parts[:depth]) for depth in range(1, len(parts))]
        if any(_matches(parent, self._exclude) for parent in parents):
            return False
        return not VERSION_CONTROL.intersection(parts) and self._takes(
            path, closed=any(parent in self._closed or self._closed_by_name(parent) for parent in parents)
        )

    def _visit(self, folder: str, *, closed: bool = False, in_output: bool = False) -> None:
        try:
            with os.scandir(self.root / folder) as scan:
                found = sorted(scan, key=lambda item: item.name)
        except OSError:
            self.left_out.append(f"{folder}/")
            return
        names = {item.name for item in found}
        # A package may well be called `env` or `build`; what lies inside tells.
        environment = bool(folder) and not names.isdisjoint({"pyvenv.cfg", "conda-meta"})
        if not closed and not self._included(folder):
            closed = environment or (in_output and "__init__.py" not in names)
        if closed:
            self._closed.add(folder)
            self.left_out.append(f"{folder}/")
            if not self._reached(folder):
                return
        package_root = not folder or not names.isdisjoint({"pyproject.toml", "setup.py", "setup.cfg"})
        for item in found:
            path = f"{folder}/{item.name}" if folder else item.name
            if item.is_dir(follow_symlinks=False):
                self._enter(path, closed=closed, package_root=package_root)
            else:
                self._look_at(item, path, closed=closed)

    def _enter(self, path: str, *, closed: bool, package_root: bool) -> None:
        name = posixpath.basename(path)
        if name in VERSION_CONTROL or not _is_text(path):
            return
        if _matches(path, self._exclude):
            self.left_out.append(f"{path}/")
        elif self._included(path):
            self._visit(path)
        elif not (closed or self._closed_by_name(path)):
            self._visit(path, in_output=package_root and bool(_OUTPUT.match(name)))
        elif self._reached(path):
            self._visit(path, closed=True)
        elif not closed and name not in CACHES:
            self._closed.add(path)
            self.left_out.append(f"{path}/")

    def _look_at(self, item: os.DirEntry[str], path: str, *, closed: bool) -> None:
        if not _is_text(path):
            self.left_out.append(ascii(path)[1:-1])
        elif self._takes(path, closed=closed):
            try:
                status = item.stat(follow_symlinks=False)
            except OSError:
                self.left_out.append(path)
                return
            if stat.S_ISREG(status.st_mode):
                self.sizes[path] = status.st_size
            elif stat.S_ISLNK(status.st_mode):
                self.sizes[path] = 0
        elif not closed and not path.endswith(BYTECODE):
            self.left_out.append(path)

    def _takes(self, path: str, *, closed: bool) -> bool:
        if _matches(path, self._exclude):
            return False
        if is_secret(path):
            # A secret comes along only by a glob that speaks of it, never by a `*` or with its folder.
            return _matches(path, (glob for glob in self._include if is_secret(glob)))
        return self._included(path) or not (closed or path.endswith(BYTECODE))

    def _closed_by_name(self, path: str) -> bool:
        name = posixpath.basename(path)
        return name in CACHES or name in FOREIGN or is_secret(path)

    def _included(self, path: str) -> bool:
        return _matches(path, self._include)

    def _reached(self, folder: str) -> bool:
        """True when an include names something below a folder that is left out."""
        starts = [_WILD.split(glob.removeprefix("./"))[0] for glob in self._include]
        return any(
            "/" in start and (start.startswith(f"{folder}/") or f"{folder}/".startswith(start))
            for start in starts
        )


def is_secret(path: str) -> bool:
    """True for names that usually hold keys or passwords, and for globs that name such files."""
    name = posixpath.basename(path.rstrip("/")).lower()
    return bool(_SECRET.match(name)) and not _NOT_SECRET.match(name)


def _matches(path: str, globs: Iterable[str]) -> bool:
    """A glob without a slash means a name at any depth, as in .gitignore; `*` also crosses slashes."""
    for glob in globs:
        plain = glob.removeprefix("./").rstrip("/")
        if fnmatchcase(path, plain.removeprefix("/")) or fnmatchcase(path, plain.removeprefix("**/")):
            return True
        if "/" not in plain.removeprefix("**/") and fnmatchcase(
            posixpath.basename(path), plain.removeprefix("**/")
        ):
            return True
    return False


def _is_text(path: str) -> bool:
    """A name that is not UTF-8 cannot go through JSON to an editor or into a box."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs))


_SECRET = _any_of(SECRETS)
_NOT_SECRET = _any_of(NOT_SECRETS)
_OUTPUT = _any_of(("build", "dist"))
_WILD = re.compile(r"[*?\[]")
