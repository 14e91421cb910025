"""A workspace that a fix is written into and taken back from, without a box."""

from __future__ import annotations

from pathlib import Path

from untilgreen.applying import undo_fix, write_fix
from untilgreen.desk import DiskDesk
from untilgreen.events import Undone
from untilgreen.job import Job
from untilgreen.journal import Journal, new_job_id
from untilgreen.model import FileChange, Goal, Patch, Verdict

BEFORE = {
    "crlf.py": (b"\xef\xbb\xbfa = 1\r\nb = 2\r\n", 0o640),
    "latin.py": ("# -*- coding: latin-1 -*-\nname = 'é'\n".encode("latin-1"), 0o755),
    "gone/deep.py": (b"no end of line", 0o666),
    "other.py": (b"never touched\n", 0o600),
}
PATCH = Patch(
    {
        "crlf.py": FileChange(b"\xef\xbb\xbfa = 3\r\nb = 2\r\n"),
        "latin.py": FileChange("# -*- coding: latin-1 -*-\nname = 'è'\n".encode("latin-1")),
        "gone/deep.py": FileChange(None),
        "new/deep/made.py": FileChange(b"made\n", 0o755),
    }
)

Tree = dict[str, tuple[bytes | None, int]]


class Setting:
    """A workspace, its journal, and what is done to them; one that is there already is taken as it is."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        for path, (data, mode) in () if self.root.exists() else BEFORE.items():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_bytes(data)
            (self.root / path).chmod(mode)
        self.journal = Journal(folder / "state")
        self.desk = DiskDesk(self.root, self.journal.intents)

    async def apply(self, patch: Patch = PATCH) -> str:
        async def work(_emit: object) -> Verdict:
            return Verdict("green", "for a test", patch)

        job_id = new_job_id()
        job = Job(job_id, "solve", Goal(self.root), self.journal.start(job_id, self.root), work)
        await job.ended()
        now = {path: await self.desk.read(path) for path in patch.paths}
        await write_fix(self.journal, job, self.desk, patch, now)
        return job_id

    async def undo(self, job: str | None = None, *, force: bool = False) -> Undone:
        return await undo_fix(self.journal, self.root, self.desk, job, "a test", force=force)

    def tree(self) -> Tree:
        found = {path.relative_to(self.root).as_posix(): path for path in self.root.rglob("*")}
        return {
            name: (None if path.is_dir() else path.read_bytes(), path.stat().st_mode & 0o777)
            for name, path in found.items()
        }
