"""The commands: what they take, and what they hand to the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from untilgreen import __version__
from untilgreen.cli.demo import run_demo
from untilgreen.cli.door import Door, Options
from untilgreen.errors import UsageError
from untilgreen.ladder import Wishes
from untilgreen.model import Goal

app = typer.Typer(
    name="untilgreen",
    help="Makes failing tests pass, and can prove it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Tests = Annotated[
    list[str] | None, typer.Argument(metavar="[PATH|ID]...", help="Test files, folders or ids; none: all.")
]
Root = Annotated[Path, typer.Option("--root", help="The project's folder.")]
Sandbox = Annotated[
    str | None, typer.Option("--sandbox", metavar="auto|docker|bubblewrap", help="Where tests run.")
]
Json = Annotated[bool, typer.Option("--json", help="One JSON object on stdout; progress goes to stderr.")]
Verbose = Annotated[bool, typer.Option("--verbose", help="Every event as a JSON line on stderr.")]
Job = Annotated[str | None, typer.Argument(metavar="[JOB]", help="None: the last one applied here.")]
MayChangeTests = Annotated[bool, typer.Option("--may-change-tests", help="Lift the protection of tests.")]
All = Annotated[bool, typer.Option("--all", help="The journal, too: nothing can be undone then.")]
HERE = Path()


def _tell_version(asked: bool) -> None:
    if asked:
        typer.echo(f"untilgreen {__version__}")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Tell which one this is.")
    ] = False,
) -> None:
    pass


@app.command()
def test(
    tests: Tests = None,
    root: Root = HERE,
    sandbox: Sandbox = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Run tests in the sandbox and show a table."""
    options = Options(root, json, verbose, {"sandbox": sandbox})
    with Door(options) as door:
        door.test(Goal(door.root, door.ids(tests or [])))


@app.command()
def solve(
    tests: Tests = None,
    note: Annotated[str, typer.Option("--note", help="What you know about the failure, in words.")] = "",
    solver: Annotated[
        str | None, typer.Option("--solver", metavar="auto|offline|model|scripted:FILE")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="NAME", help="The model to ask, as its provider names it."),
    ] = None,
    may_change_tests: Annotated[
        bool, typer.Option("--may-change-tests", help="Lift the protection of tests.")
    ] = False,
    max_attempts: Annotated[int | None, typer.Option("--max-attempts", metavar="N")] = None,
    max_seconds: Annotated[float | None, typer.Option("--max-seconds", metavar="N")] = None,
    max_usd: Annotated[float | None, typer.Option("--max-usd", metavar="X")] = None,
    max_tokens: Annotated[int | None, typer.Option("--max-tokens", metavar="N")] = None,
    scope: Annotated[
        str | None, typer.Option("--scope", metavar="full|affected", help="What is good enough for green.")
    ] = None,
    apply: Annotated[bool, typer.Option("--apply/--diff", help="Write the fix, or only show it.")] = False,
    show_prompt: Annotated[
        bool,
        typer.Option(
            "--show-prompt",
            help="Run the tests once, print what a model would be sent first, and ask nobody.",
        ),
    ] = False,
    record: Annotated[
        Path | None,
        typer.Option("--record", metavar="FILE", help="Write down what models are asked and say."),
    ] = None,
    replay: Annotated[
        Path | None, typer.Option("--replay", metavar="FILE", help="Play such a recording; nobody is asked.")
    ] = None,
    accept_findings: Annotated[
        bool, typer.Option("--accept-findings", help="Write it although something in it needs eyes.")
    ] = False,
    root: Root = HERE,
    sandbox: Sandbox = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Make failing tests pass; shows a verified diff, or writes it with --apply."""
    flags: dict[str, Any] = {
        "sandbox": sandbox,
        "solver": solver,
        "max_attempts": max_attempts,
        "max_seconds": max_seconds,
        "model": model,
        "max_usd": max_usd,
        "max_tokens": max_tokens,
        "scope": scope,
    }
    with Door(Options(root, json, verbose, flags)) as door:
        goal = Goal(door.root, door.ids(tests or []), note, may_change_tests)
        if show_prompt:
            door.show_prompt(goal)
        door.solve(
            goal,
            apply=apply,
            accept=accept_findings,
            wishes=Wishes(record=record, replay=replay),
        )


@app.command()
def watch(
    tests: Tests = None,
    mode: Annotated[
        str | None,
        typer.Option("--mode", metavar="diagnose|suggest|fix", help="Run tests, look for fixes, write them."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Do it once, as after a save, and end.")] = False,
    solver: Annotated[
        str | None, typer.Option("--solver", metavar="auto|offline|model|scripted:FILE")
    ] = None,
    root: Root = HERE,
    sandbox: Sandbox = None,
    json: Json = False,
) -> None:
    """Keep tests green while you work: run them on every save, and look for fixes."""
    with Door(Options(root, json, False, {"sandbox": sandbox, "solver": solver})) as door:
        door.watch(Goal(door.root, door.ids(tests or [])), mode, once=once)


@app.command()
def undo(
    job: Annotated[
        str | None, typer.Argument(metavar="[JOB]", help="None: the last one applied here.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Also when the files were edited since.")] = False,
    root: Root = HERE,
    json: Json = False,
) -> None:
    """Give back the files as they were before a fix was applied."""
    with Door(Options(root, json, False, {})) as door:
        door.undo(job, force=force)


@app.command()
def history(
    job: Annotated[str | None, typer.Argument(metavar="[JOB]", help="None: list the jobs here.")] = None,
    verify: Annotated[
        bool, typer.Option("--verify", help="Check the job's verdict again, in a fresh sandbox.")
    ] = False,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="How many jobs are listed.")] = 20,
    root: Root = HERE,
    sandbox: Sandbox = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """List the jobs of a project, show the way of one, or check its verdict again."""
    with Door(Options(root, json, verbose, {"sandbox": sandbox})) as door:
        if not verify:
            door.history(job, most=most)
        elif job is None:
            raise UsageError("Name the job whose verdict should be checked: untilgreen history JOB --verify")
        else:
            door.check_again(job)


@app.command()
def doctor(
    images: Annotated[bool, typer.Option("--images", help="Also list our images and their sizes.")] = False,
    root: Root = HERE,
    json: Json = False,
) -> None:
    """Check all that a solve needs; every problem comes with its remedy."""
    with Door(Options(root, json, False, {})) as door:
        door.doctor(images=images)


@app.command()
def clean(
    everything: Annotated[
        bool, typer.Option("--all", help="The journal, too: nothing can be undone then.")
    ] = False,
    json: Json = False,
) -> None:
    """Remove the images we built; with --all also the journal of all jobs."""
    with Door(Options(HERE, json, False, {})) as door:
        door.clean(everything=everything)


@app.command()
def demo(
    apply: Annotated[bool, typer.Option("--apply", help="Write the fix into the copy, too.")] = False,
    sandbox: Sandbox = None,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Solve a bundled broken project, end to end and offline."""
    run_demo(Options(HERE, json, verbose, {"sandbox": sandbox}), apply=apply)


@app.command()
def serve(
    tcp: Annotated[str | None, typer.Option("--tcp", metavar="HOST:PORT", help="Instead of stdio.")] = None,
) -> None:
    """The language server, for editors (stdio by default)."""
    from untilgreen.cli.serving import serve_from_arguments

    serve_from_arguments(["--tcp", tcp] if tcp else [])
