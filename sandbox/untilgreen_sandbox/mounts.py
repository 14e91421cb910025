"""What a bubblewrap box sees of the machine: an ordered list of mounts, shallow ones first."""

from __future__ import annotations

from pathlib import Path

from untilgreen_sandbox.box import Limits
from untilgreen_sandbox.errors import SandboxError

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
# Enough for the loader, time zones and public certificates; no users, no keys, no host names.
ETC = (
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "alternatives",
    "localtime",
    "timezone",
    "mime.types",
    "ssl/certs",
)
HIDDEN = (
    "/proc/sysrq-trigger",
    "/proc/kcore",
    "/proc/kmsg",
    "/proc/keys",
    "/proc/timer_list",
    "/proc/config.gz",
)
HOSTS = Path(__file__).with_name("hosts")
"""Names of the loopback, and of nothing else."""
SHARED_MEMORY_MB = 64


class Mounts:
    """Collects mounts and refuses those that would show more than an interpreter."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._shown: dict[Path, Path] = {}
        self._workspace: Path | None = None

    def show(self, source: Path, target: Path) -> None:
        self._shown[target] = source

    def show_interpreter(self, folder: Path, root: Path) -> None:
        """Bind an interpreter's folder at its own path, read-only."""
        if any(folder.is_relative_to(system) for system in SYSTEM):
            return
        private = (root, root.resolve(), Path.home(), Path.home().resolve())
        if any(one.is_relative_to(shown) for one in private for shown in (folder, folder.resolve())):
            raise SandboxError(
                f"The interpreter's folder {folder} holds your own files, too; a sandbox may not see it. "
                "Set `python` to an interpreter in a folder of its own, for example a virtual environment."
            )
        self.show(folder, folder)

    def workspace(self, root: Path) -> None:
        if any(root.is_relative_to(system) for system in (*SYSTEM, "/proc", "/dev", "/etc")) or root == Path(
            "/"
        ):
            raise SandboxError(f"{root} is a folder of the system; open a project folder instead.")
        self._workspace = root

    def inside(self, root: Path) -> list[str]:
        """Mounts that lie in the workspace, relative to it."""
        return [str(target.relative_to(root)) for target in self._shown if target.is_relative_to(root)]

    def arguments(self) -> list[str]:
        found: list[str] = []
        for system in SYSTEM:
            path = Path(system)
            if path.is_symlink():
                found += ["--symlink", str(path.readlink()), system]
            elif path.is_dir():
                found += ["--ro-bind", system, system]
        found += ["--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"]
        for hidden in HIDDEN:
            if Path(hidden).exists():
                found += ["--ro-bind", "/dev/null", hidden]
        found += ["--dev", "/dev", *self._scratch("/dev/shm", SHARED_MEMORY_MB)]
        found += [
            *self._scratch("/tmp", self._limits.disk_mb),
            *self._scratch("/var/tmp", self._limits.disk_mb),
        ]
        seen = {Path("/etc", name): Path("/etc", name) for name in ETC if Path("/etc", name).exists()}
        seen |= {Path("/etc/hosts"): HOSTS, **self._shown}
        placed = {target: ["--ro-bind", str(source), str(target)] for target, source in seen.items()}
        if self._workspace is not None:
            placed[self._workspace] = self._scratch(str(self._workspace), self._limits.disk_mb, mode="0777")
        made = {Path("/"), Path("/tmp")}
        for target in sorted(placed, key=lambda path: len(path.parts)):
            for parent in [folder for folder in reversed(target.parents) if folder not in made]:
                # bubblewrap makes parents for itself alone, and a folder in the workspace must stay writable.
                in_workspace = self._workspace is not None and parent.is_relative_to(self._workspace)
                found += ["--perms", "0777" if in_workspace else "0755", "--dir", str(parent)]
                made.add(parent)
            made.add(target)
            found += placed[target]
        # Without root they belong to the tests' own user, who could leave something there for the next run.
        return [*found, "--remount-ro", "/dev", "--remount-ro", "/"]

    def _scratch(self, target: str, size_mb: int, mode: str = "1777") -> list[str]:
        return ["--size", str(size_mb << 20), "--perms", mode, "--tmpfs", target]
