"""Which files of a folder are copied into the sandbox.

Left out are version control, environments, caches, build output, bytecode, secrets, what is no file, and what
git ignores. Ignored files among code and tests come along when they are small: generated modules, compiled
extensions and data are often ignored, and tests need them.
An exclude wins over an include, an include wins over these rules; version control stays out always.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import translate
from typing import Literal

from untilgreen.workspace.ignored import Ignored

VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})
CACHES = frozenset({"__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".hypothesis", ".cache"})
FOREIGN = frozenset({".venv", ".tox", ".nox", "node_modules"})
OUTPUT = frozenset({"build", "dist"})
ENVIRONMENT = frozenset({"pyvenv.cfg", "conda-meta"})
PACKAGE_ROOT = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
TEST_FOLDERS = frozenset({"tests", "test"})
SECRETS = (
    *(".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx"),
    *("id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", ".netrc", "_netrc", ".pypirc", ".npmrc", ".yarnrc"),
    *(".git-credentials", ".htpasswd", ".pgpass", ".my.cnf", ".boto", ".s3cfg", ".dockercfg", ".vault-token"),
    *(".ssh", ".aws", ".azure", ".gnupg", ".kube"),
)
NOT_SECRETS = (".env.example", ".env.sample", ".env.template", ".env.dist", ".env.*.example")
SOURCE = (".py", ".pyi")
MODULES = (".py", ".so", ".pyd")
METADATA = (".egg-info", ".dist-info")
BYTECODE = (".pyc", ".pyo")
IGNORED_BYTES = 5 << 20
"""The largest ignored file that comes along."""

Decision = Literal["take", "take if small", "leave", "leave silently"]


@dataclass(frozen=True, slots=True)
class Place:
    """What the folders above say about one."""

    folder: str = ""
    rules: Ignored = field(default_factory=Ignored)
    closed: bool = False
    """Nothing is taken unless an include says so."""
    in_output: bool = False
    named: bool = False
    """An include named it."""
    included: bool = False
    """An include named it or a folder above, so nothing in it is ignored."""
    ignored: bool = False
    code: bool = False
    """It lies among code or tests."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What is taken of one folder; a value that stays right while names and rules stay as they are."""

    place: Place
    """With what the folder's own names told."""
    package_root: bool = False
    files: tuple[str, ...] = ()
    if_small: frozenset[str] = frozenset()
    """Those of the files that git ignores."""
    folders: tuple[Place, ...] = ()
    left_out: tuple[str, ...] = ()
    """What a test might miss; folders end with a slash."""


class Rules:
    """Decides by names alone; nothing is read."""

    def __init__(
        self, exclude: Sequence[str] = (), include: Sequence[str] = (), import_roots: Sequence[str] = ("",)
    ) -> None:
        self._exclude = _globs(exclude)
        self._include = _globs(include)
        self._secrets = _globs(glob for glob in include if is_secret(glob))
        self._starts = [_WILD.split(glob.removeprefix("./"))[0] for glob in include]
        self._import_roots = frozenset(filter(None, (root.strip("/") for root in import_roots)))

    def look(
        self, place: Place, files: Sequence[str], folders: Sequence[str], tracks: Callable[[str], bool]
    ) -> Listing:
        """Decide about everything in a folder; files are regular ones and links."""
        listing = self.arrive(place, {*files, *folders})
        place = listing.place
        told: list[str] = []
        if place.closed or (place.ignored and not place.code):
            told.append(f"{place.folder}/")
            if not self._reached(place.folder) and (place.closed or not tracks(place.folder)):
                return Listing(place, left_out=tuple(told))
        prefix = f"{place.folder}/" if place.folder else ""
        taken: list[str] = []
        if_small: set[str] = set()
        for name in files:
            if not _is_text(name):
                told.append(ascii(prefix + name)[1:-1])
                continue
            decision = self.file(listing, prefix + name, name, tracks)
            if decision in ("take", "take if small"):
                taken.append(name)
            if decision == "take if small":
                if_small.add(name)
            elif decision == "leave":
                told.append(prefix + name)
        entered = [self.enter(listing, prefix + name, name, told.append) for name in folders]
        below = tuple(child for child in entered if child is not None)
        return Listing(place, listing.package_root, tuple(taken), frozenset(if_small), below, tuple(told))

    def arrive(self, place: Place, names: set[str] | frozenset[str]) -> Listing:
        """What the names in a folder tell about it: a package may well be called `env` or `build`."""
        folder = place.folder
        package_root = not folder or not names.isdisjoint(PACKAGE_ROOT)
        closed, code = place.closed, place.code
        if not closed and not place.named:
            environment = bool(folder) and not names.isdisjoint(ENVIRONMENT)
            closed = environment or (place.in_output and "__init__.py" not in names)
        if not code and folder:
            modules = not package_root and any(name.endswith(MODULES) for name in names)
            code = modules or "__init__.py" in names
        if (closed, code) != (place.closed, place.code):
            place = replace(place, closed=closed, code=code)
        return Listing(place, package_root)

    def file(self, listing: Listing, path: str, name: str, tracks: Callable[[str], bool]) -> Decision:
        place = listing.place
        if name in VERSION_CONTROL:
            return "leave silently"
        if self._exclude and self._exclude(path, name):
            return "leave silently" if place.closed else "leave"
        if is_secret(name):
            # A secret comes along only by a glob that speaks of it, never by a `*` or with its folder.
            if self._secrets and self._secrets(path, name):
                return "take"
            return "leave silently" if place.closed else "leave"
        if self._include and self._include(path, name):
            return "take"
        if place.closed or name.endswith(BYTECODE):
            return "leave silently"
        if place.included or not (place.ignored or place.rules(path, name, is_folder=False)):
            return "take"
        if tracks(path):
            return "take"
        if place.code or (listing.package_root and not place.ignored):
            return "take if small"
        return "leave silently" if place.ignored else "leave"

    def enter(
        self, listing: Listing, path: str, name: str, tell: Callable[[str], None] = lambda _path: None
    ) -> Place | None:
        """The folder of this name, or None when nothing in it can be taken."""
        place = listing.place
        if name in VERSION_CONTROL or not _is_text(name):
            return None
        if self._exclude and self._exclude(path, name):
            tell(f"{path}/")
            return None
        code = place.code or name in TEST_FOLDERS or path in self._import_roots or name.endswith(METADATA)
        if self._include and self._include(path, name):
            return Place(path, place.rules, named=True, included=True, code=code)
        foreign = name in CACHES or name in FOREIGN or is_secret(name)
        if place.closed or foreign:
            if self._reached(path):
                return Place(path, place.rules, closed=True)
            if not place.closed and name not in CACHES:
                tell(f"{path}/")
            return None
        ignored = place.ignored or place.rules(path, name, is_folder=True)
        return Place(
            path,
            place.rules,
            in_output=listing.package_root and name in OUTPUT,
            included=place.included,
            ignored=ignored and not place.included,
            code=code,
        )

    def _reached(self, folder: str) -> bool:
        """True when an include names something below a folder that is left out."""
        return any(
            "/" in start and (start.startswith(f"{folder}/") or f"{folder}/".startswith(start))
            for start in self._starts
        )


def is_secret(path: str) -> bool:
    """True for names that usually hold keys or passwords, and for globs that name such files."""
    name = path.rstrip("/").rpartition("/")[2].lower()
    return not name.endswith(SOURCE) and bool(_SECRET.match(name)) and not _NOT_SECRET.match(name)


def _globs(globs: Iterable[str]) -> Callable[[str, str], bool] | None:
    """A glob without a slash means a name at any depth, as in .gitignore; `*` also crosses slashes."""
    paths: list[str] = []
    names: list[str] = []
    for glob in globs:
        plain = glob.removeprefix("./").rstrip("/")
        anywhere = plain.removeprefix("**/")
        paths += [plain.removeprefix("/"), anywhere]
        names += [anywhere] if "/" not in anywhere else []
    if not paths:
        return None
    path_matches = _any_of(paths).match
    name_matches = _any_of(names).match if names else None
    return lambda path, name: bool(path_matches(path) or (name_matches and name_matches(name)))


def _is_text(name: str) -> bool:
    """A name that is not UTF-8 cannot go through JSON to an editor or into a box."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(translate(glob) for glob in globs))


_SECRET = _any_of(SECRETS)
_NOT_SECRET = _any_of(NOT_SECRETS)
_WILD = re.compile(r"[*?\[]")
