"""A Box is a place where workspace code may run. Two kinds exist: docker and bubblewrap."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol, runtime_checkable

from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.evaluation import Evaluation, EvaluationRequest
from untilgreen_sandbox.imported import Imported
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.trace import TraceReport

Backend = Literal["auto", "docker", "bubblewrap"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits of one box and of each run in it."""

    seconds: float = 120.0
    """Wall time of one run."""
    memory_mb: int = 2048
    """Private data of one process; see `disk_mb` for all of them."""
    processes: int = 256
    open_files: int = 1024
    file_mb: int = 256
    """Largest single file a test may write."""
    disk_mb: int = 1024
    """Size of the workspace copy with what tests write into it; /tmp and /var/tmp may have as much each. It
    is memory, too: all processes and files of a box together never hold more than `memory_mb` and this."""
    n_files: int = 200_000
    """Number of files and folders in all these places."""
    cpus: float = 0.0
    """Processors that a container may use; 0 means all that the engine has."""
    output_kb: int = 256
    """What is kept of a run's output; the rest is counted and dropped."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The project's Python, read from files and never executed on the host."""

    executable: Path
    version: tuple[int, int]
    prefix: Path
    base_prefix: Path
    has_pytest: bool
    here: bool = True
    """False for a version that the project asks for and this machine lacks: only an image can have it."""


@dataclass(frozen=True, slots=True)
class Packages:
    """What a project needs installed, and its own name. For images; bubblewrap shows what is there."""

    requirements: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    name: str = ""
    """Empty when the project has none."""
    version: str = ""
    entry_points: tuple[tuple[str, str, str], ...] = ()
    """Group, name and object of each one of the project itself."""


@dataclass(frozen=True, slots=True)
class Building:
    """How the user lets images be built."""

    network: str = "bridge"
    """The engine's network that reaches the package index."""
    ca: str = ""
    """A file of certificates to trust; empty means what the environment names, if it does."""
    source_builds: bool = False
    """Whether code of packages may run while they are installed."""


@dataclass(frozen=True, slots=True)
class BoxSpec:
    """All a backend needs to open a box."""

    root: Path
    """The workspace on the host; bubblewrap shows the copy under the same path."""
    interpreter: Interpreter
    import_roots: tuple[str, ...] = ("",)
    """Workspace-relative folders that are put on sys.path."""
    limits: Limits = field(default_factory=Limits)
    base_image: str = ""
    """Docker only; empty means the official slim image of the interpreter's version."""
    image: str = ""
    """Docker only: use this image as it is."""
    packages: Packages = field(default_factory=Packages)
    building: Building = field(default_factory=Building)
    imported: Imported = field(default_factory=Imported, compare=False, repr=False)
    """Filled by the first run of the user's own code, whichever box it is in."""


@dataclass(frozen=True, slots=True)
class Change:
    """One file to write into the box, or to remove from it."""

    path: str
    content: bytes | None
    mode: int = 0o644


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Which tests to run, and how."""

    ids: tuple[str, ...] = ()
    """Empty: all that the configuration names."""
    runner: Literal["pytest"] = "pytest"
    arguments: tuple[str, ...] = ()
    seconds: float | None = None
    """Wall limit for this run; None takes the box's own."""
    one_test: float | None = None
    """Wall limit for each single test, after which the run is over as well; None: as long as the run."""
    rung: Literal["auto", "checkpoint", "cold"] = "auto"
    """How warm the process may be: `auto` forks a run with changes from a template, when that is safe;
    `checkpoint` makes a template even when nothing is changed; `cold` is a new process."""
    editable: tuple[str, ...] = ()
    """Other paths that later runs are likely to change, so that one template serves them all."""
    all_files: bool = False
    """True when all files are collected whichever tests are asked for: one template serves them all."""
    probes: bool = False
    """True when the template of this run is to serve traces and evaluations as well."""
    shared: bool = False
    """True when another box runs other tests at the same time: then nothing is made ready for the next run
    meanwhile, and files are collected in the order in which they are asked for."""
    anonymous: bool = False
    """True when the code under test is not told which test is running."""
    one_order: bool = True
    """True when sets have the same order in every process, so that tests named by it are planned and found;
    else each process draws one, as Python does."""
    config_file: str = ""
    """The configuration file the plan was made with, so that a run of a part reads the same one."""
    listed: Callable[[int], None] | None = field(default=None, compare=False)
    """Is told how many tests there are, as soon as that is known and before any of them runs."""


class Box(Protocol):
    """Real and scripted boxes look alike."""

    backend: str
    description: str

    async def put(self, changes: AsyncIterator[Change]) -> None:
        """Make these the files of the pristine tree."""

    async def plan(self, request: RunRequest) -> Report:
        """List what would run, without running it."""

    async def run(self, request: RunRequest, changes: tuple[Change, ...] = ()) -> Report:
        """Run tests on the pristine tree with these changes laid over it; the tree is pristine afterwards."""

    async def trace(
        self, request: RunRequest, changes: tuple[Change, ...] = (), values: tuple[str, ...] = ()
    ) -> TraceReport:
        """A run that also tells what each test executed; of these functions (`path:qualified.name`, or `*`
        for all) also with which values."""

    async def evaluate(
        self, request: RunRequest, wanted: EvaluationRequest, changes: tuple[Change, ...] = ()
    ) -> Evaluation:
        """Try versions of functions on the pristine tree with these changes laid over it."""

    async def close(self) -> None:
        """End every process and give everything back. Safe to call twice."""


@runtime_checkable
class Ranked(Protocol):
    """A box that can let others go first."""

    async def rank(self, *, low: bool) -> bool:
        """Whether all others that want the processor go first, from now on.

        False when it let them before, and cannot be brought forward any more.
        """


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which backend will be used, and why."""

    backend: Literal["docker", "bubblewrap"]
    why: str


async def choose_backend(
    wanted: Backend, spec: BoxSpec, progress: Callable[[str], None] = lambda _text: None
) -> Chosen:
    """Docker, then bubblewrap, never none; the reasons of both are in the error."""
    refusals: list[str] = []
    if wanted in ("auto", "docker"):
        from untilgreen_sandbox import docker

        refusal = _own_environment(spec) if wanted == "auto" else ""
        refusal = refusal or await docker.problem(spec, progress, remember=wanted == "auto") or ""
        if not refusal:
            return Chosen("docker", "asked for" if wanted == "docker" else "a Docker engine answers")
        refusals.append(f"docker: {refusal}")
    if wanted in ("auto", "bubblewrap"):
        from untilgreen_sandbox import bubblewrap

        refusal = await bubblewrap.problem(spec) or ""
        if not refusal:
            return Chosen("bubblewrap", "; ".join(refusals) or "asked for")
        refusals.append(f"bubblewrap: {refusal}")
    raise NoSandbox("No sandbox can be had. " + " ".join(refusals))


def _own_environment(spec: BoxSpec) -> str:
    """What is installed but not declared cannot be in an image; bubblewrap shows it as it is."""
    own = spec.interpreter.prefix != spec.interpreter.base_prefix
    if own and not spec.image and not spec.packages.requirements:
        return "the project has an environment of its own and declares no dependencies for an image."
    return ""


@asynccontextmanager
async def open_box(
    chosen: Chosen, spec: BoxSpec, progress: Callable[[str], None] = lambda _text: None
) -> AsyncIterator[Box]:
    """A new box of the chosen kind, closed on the way out whatever happens."""
    if chosen.backend == "docker":
        from untilgreen_sandbox.docker import DockerBox

        box: Box = await DockerBox.open(spec, progress)
    else:
        from untilgreen_sandbox.bubblewrap import BubblewrapBox

        box = await BubblewrapBox.open(spec, progress)
    try:
        yield box
    finally:
        await box.close()
