"""What git is doing with a working tree, read from its files: git itself never runs here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from untilgreen.workspace.tracked import git_folder

# Names in git's folder, and what they mean as long as they are there.
_UNDER_WAY = {
    "rebase-merge": "a rebase is under way",
    "rebase-apply": "a rebase is under way",
    "MERGE_HEAD": "a merge is under way",
    "CHERRY_PICK_HEAD": "a cherry-pick is under way",
    "REVERT_HEAD": "a revert is under way",
    "BISECT_LOG": "a bisection is under way",
    "index.lock": "git is at work",
}
_MOST_BYTES = 4 << 20
_MOST_LOG = 8 << 10
"""Of the log of HEAD: what was done since the last look is at its end."""


@dataclass(frozen=True, slots=True)
class Move:
    """One line of the log of HEAD."""

    old: str
    new: str
    what: str
    """Such as `commit: …` or `checkout: …`."""


@dataclass(frozen=True, slots=True)
class GitState:
    """Two that are equal: nobody switched branches, pulled, reset or stashed in between."""

    head: str = ""
    """What HEAD holds: a branch, or a commit."""
    commit: str = ""
    stash: str = ""
    under_way: str = ""
    """Something that takes longer, in a clause."""
    moves: tuple[Move, ...] = ()
    """The last ones, the newest last."""

    def committed_since(self, commit: str) -> bool:
        """Whether commits alone lead from that one to this: they change no file."""
        wanted = self.commit
        for move in reversed(self.moves):
            if move.new != wanted or not (move.what.startswith("commit") or move.old == move.new):
                return False
            wanted = move.old
            if wanted == commit:
                return True
        return False


def read_git(root: Path) -> GitState:
    """Of the repository that the folder lies in; an empty one when there is none. Blocking."""
    for folder in (root, *root.parents):
        if (folder / ".git").exists():
            break
    else:
        return GitState()
    found = git_folder(folder)
    own, common = Path(found.index).parent, Path(found.exclude).parent.parent
    head = _text(own / "HEAD")
    name = head.removeprefix("ref:").strip()
    commit = _reference(common, name) if head.startswith("ref:") else head
    under_way = next((said for name, said in _UNDER_WAY.items() if (own / name).exists()), "")
    return GitState(head, commit, _reference(common, "refs/stash"), under_way, _moves(own / "logs/HEAD"))


def _reference(common: Path, name: str) -> str:
    if loose := _text(common / name):
        return loose
    for line in _text(common / "packed-refs").splitlines():
        commit, _, packed = line.partition(" ")
        if packed == name:
            return commit
    return ""


def _moves(log: Path) -> tuple[Move, ...]:
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - _MOST_LOG))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return ()
    found = []
    for line in lines:
        who, _, what = line.partition("\t")
        old, _, rest = who.partition(" ")
        found.append(Move(old if old.strip("0") else "", rest.partition(" ")[0], what))
    # The first may be cut off.
    return tuple(found[1:] if size > _MOST_LOG else found)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace").strip()
    except OSError:
        return ""
