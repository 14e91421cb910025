"""One declaration of every setting, and who may set it.

The user may set all of them: configuration file, then environment, then flags, the later one wins.
A stranger's repository may leave files out or take them in, add pytest arguments and lower budgets.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from untilgreen.rules import Choice, Rule
from untilgreen.workspace.copied import is_secret

Words = Annotated[tuple[str, ...], Field(strict=False)]
Seconds = Annotated[float, Field(gt=0)]
Solver = Annotated[str, Field(pattern=r"^(auto|offline|model|scripted:.+)$")]

TOML_BYTES = 1024 * 1024
REPOSITORY_LISTS = ("exclude", "include", "pytest_args")
REPOSITORY_BUDGETS = ("max_attempts", "max_seconds", "max_tokens", "max_usd", "test_seconds")


class Settings(BaseModel):
    """What a person can choose. Every field has a value; the text below each one is its documentation."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    sandbox: Literal["auto", "docker", "bubblewrap"] = "auto"
    """Where tests run: the first of docker and bubblewrap that works, or just one of them."""
    sandbox_base: str = ""
    """Docker: the image that ours is built upon; empty means the official slim image."""
    sandbox_image: str = ""
    """Docker: use this image as it is; empty means that ours is built."""
    sandbox_build_network: Annotated[str, Field(min_length=1)] = "bridge"
    """Docker: the network on which packages are installed into our image, for example `bridge` or `host`."""
    sandbox_ca: str = ""
    """Docker: a file of certificates to trust while packages are installed; empty means SSL_CERT_FILE."""
    sandbox_source_builds: bool = False
    """Docker: install packages that have no wheel, too; their own code then runs while the image is built."""
    python: str = ""
    """The project's interpreter or environment folder; empty means that it is looked for."""
    solver: Solver = "auto"
    """Who proposes fixes: `auto`, `offline`, `model` or `scripted:FILE`."""
    model: str = ""
    """The model that is asked, by its provider's name; empty: a small one, where there is a key."""
    model_strong: str = ""
    """A stronger model for what the first one cannot do; empty: none."""
    model_provider: Literal["auto", "openai", "anthropic"] = "auto"
    """Whose language is spoken: by the model's name, and OpenAI's with every server of your own."""
    model_base_url: str = ""
    """The address of a server of your own, for example `http://localhost:11434/v1`; empty: the provider's."""
    model_key_env: str = ""
    """The environment variable that holds the key; empty: OPENAI_API_KEY or ANTHROPIC_API_KEY."""
    model_key: Annotated[SecretStr, Field(repr=False)] = SecretStr("")
    """The key itself, for a configuration file that nobody else can read; it is never shown or written."""
    model_tools: Literal["auto", "on", "off"] = "auto"
    """Whether the model is given tools or writes edits as text; `auto` finds out once and remembers."""
    model_seconds: Seconds = 180.0
    """How long one call of a model may take, with all retries."""
    model_stall_seconds: Seconds = 60.0
    """How long a model may be silent in the middle of a reply."""
    model_context: Annotated[int, Field(ge=0)] = 0
    """How many tokens the model holds at once; 0: what is known about it."""
    apply: Literal["ask", "auto", "never"] = "auto"
    """What happens with a verified fix: ask first, write it at once, or only show it."""
    max_attempts: Annotated[int, Field(ge=1)] = 12
    """How many proposals are tested before the job gives up; each solver gets its share of them."""
    max_seconds: Seconds = 300.0
    """How long a job may take, counted from its first test run; the last check of a fix is not cut short."""
    max_tokens: Annotated[int, Field(ge=0)] = 400_000
    """How many tokens a job may use, those that are read and those that are written."""
    max_usd: Annotated[float, Field(ge=0)] = 1.0
    """How much a job may cost, in dollars, by the prices that are known."""
    test_seconds: Seconds = 120.0
    """How long one test run may take."""
    verify_seconds: Seconds = 600.0
    """How long the verification of a fix may take; of a suite that does not fit only a part is run."""
    scope: Literal["full", "affected"] = "full"
    """What is good enough for green: all tests again, or those that a fix can affect."""
    memory_mb: Annotated[int, Field(ge=64)] = 2048
    """Memory of the sandbox, in megabytes."""
    processes: Annotated[int, Field(ge=16)] = 256
    """How many processes and threads the sandbox may hold."""
    workspace_max_mb: Annotated[int, Field(ge=1)] = 500
    """The largest workspace that is copied, in megabytes."""
    exclude: Words = ()
    """Globs of files and folders that are never copied."""
    include: Words = ()
    """Globs of files and folders that are copied although they would be left out."""
    pytest_args: Words = ()
    """More arguments for pytest."""
    findings: dict[Rule, Choice] = {}
    """What happens with a fix in which a rule finds something: `block`, `show` (as without this) or `off`."""
    watch: Literal["off", "diagnose", "suggest", "fix"] = "off"
    """Watch mode of folders where none was chosen: run tests on save, look for fixes, write them."""
    watch_settle_ms: Annotated[int, Field(ge=10, le=10_000)] = 200
    """Watch mode: how long saves may follow one another before tests run, in milliseconds."""
    watch_fixes: Annotated[int, Field(ge=0)] = 3
    """Watch mode: how many fixes are written into one file within ten minutes; further ones are offered."""
    watch_model: bool = False
    """Watch mode: also ask a model for fixes, within the two budgets that follow."""
    watch_tokens_per_hour: Annotated[int, Field(ge=0)] = 200_000
    """Watch mode: how many tokens models may use in an hour."""
    watch_usd_per_hour: Annotated[float, Field(ge=0)] = 0.5
    """Watch mode: how much models may cost in an hour, in dollars, by the prices that are known."""
    journal_max_mb: Annotated[int, Field(ge=1)] = 200
    """How large the journal of all jobs may grow, in megabytes; the newest always stay."""
    journal_days: Annotated[int, Field(ge=1)] = 90
    """How long jobs are kept; fixes that were written can be undone for longer."""


def read(raw: Mapping[str, object]) -> tuple[Settings, tuple[str, ...]]:
    """Settings from what an editor or a file says; what is wrong keeps its default and is told."""
    return _lay(Settings(), raw, "")


def laid_over(settings: Settings, raw: Mapping[str, object], source: str) -> tuple[Settings, tuple[str, ...]]:
    """These values over those settings; a bad one leaves what was there and is told."""
    return _lay(settings, raw, source)


def user_settings(
    environ: Mapping[str, str], flags: Mapping[str, object]
) -> tuple[Settings, tuple[str, ...]]:
    """What the user says in configuration file, environment and flags; a flag of None was not given."""
    table, problems = _configuration_file(environ)
    variables = {
        name: _from_text(name, text)
        for name in Settings.model_fields
        if (text := environ.get(f"UNTILGREEN_{name.upper()}", ""))
    }
    given = {name: value for name, value in flags.items() if value is not None}
    settings = Settings()
    for raw, source in ((table, "configuration file: "), (variables, "environment: "), (given, "")):
        settings, more = _lay(settings, raw, source)
        problems += more
    return settings, problems


def with_repository(settings: Settings, table: Mapping[str, object]) -> tuple[Settings, tuple[str, ...]]:
    """The user's settings, narrowed by `[tool.untilgreen]` of a repository that nobody has to trust."""
    source = "pyproject.toml [tool.untilgreen]: "
    allowed = {name: table[name] for name in (*REPOSITORY_LISTS, *REPOSITORY_BUDGETS) if name in table}
    problems = [
        f"{source}{_shown(name)} is not for a repository to set; it was ignored."
        for name in table
        if name not in allowed
    ]
    none = dict.fromkeys(REPOSITORY_LISTS, ())
    wanted, more = _lay(settings.model_copy(update=none), allowed, source)
    problems += more
    update: dict[str, object] = {}
    for name in REPOSITORY_BUDGETS:
        mine, theirs = getattr(settings, name), getattr(wanted, name)
        update[name] = min(mine, theirs)
        if theirs > mine:
            problems.append(f"{source}{name} may only be lowered; it stays at {mine:g}.")
    for name in ("exclude", "pytest_args"):
        update[name] = (*getattr(wanted, name), *getattr(settings, name))
    # A user may name a secret to have it copied; a stranger may not.
    secrets = [glob for glob in wanted.include if is_secret(glob)]
    update["include"] = (*(glob for glob in wanted.include if glob not in secrets), *settings.include)
    problems += [f"{source}include may not name the secret {_shown(glob)}." for glob in secrets]
    return settings.model_copy(update=update), tuple(problems)


def _lay(settings: Settings, raw: Mapping[str, object], source: str) -> tuple[Settings, tuple[str, ...]]:
    """Lay these values over the settings; a bad one leaves what was there and becomes a sentence."""
    below = settings.model_dump()
    above = {str(name): value for name, value in raw.items()}
    try:
        return Settings.model_validate(below | above), ()
    except ValidationError as error:
        wrong: dict[str, str] = {}
        for detail in error.errors(include_url=False, include_context=False):
            name = str(detail["loc"][0])
            said = "there is no such setting" if detail["type"] == "extra_forbidden" else detail["msg"]
            wrong.setdefault(name, said[0].lower() + said[1:])
    good = {name: value for name, value in above.items() if name not in wrong}
    problems = tuple(f"{source}{_shown(name)}: {said}; it was ignored." for name, said in wrong.items())
    return Settings.model_validate(below | good), problems


def _configuration_file(environ: Mapping[str, str]) -> tuple[dict[str, object], tuple[str, ...]]:
    named = environ.get("UNTILGREEN_CONFIG", "")
    path = Path(named) if named else platformdirs.user_config_path("untilgreen") / "config.toml"
    if not named and not path.exists():
        return {}, ()
    return read_toml(path)


def read_toml(path: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    """The tables of a TOML file, or nothing and one sentence why."""
    try:
        with path.open("rb") as file:
            content = file.read(TOML_BYTES + 1)
        if len(content) > TOML_BYTES:
            return {}, (f"{path} is larger than {TOML_BYTES // 1024} kB; it was not read.",)
        return tomllib.loads(content.decode()), ()
    except OSError as error:
        return {}, (f"{path} cannot be read: {os.strerror(error.errno or 0)}.",)
    # Deep nesting ends the parser of the standard library with a RecursionError.
    except (ValueError, RecursionError) as error:
        return {}, (f"{path} is not valid TOML: {str(error) or 'it is nested too deeply'}.",)


def _from_text(name: str, text: str) -> object:
    """A variable's text in the type of its field; text that does not fit is left for validation to refuse."""
    default = Settings.model_fields[name].default
    if isinstance(default, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if isinstance(default, dict):
        pairs = [part.partition("=") for part in text.split(",") if part.strip()]
        return {rule.strip(): choice.strip() for rule, _, choice in pairs}
    if isinstance(default, str | SecretStr):
        return text
    if isinstance(default, bool):
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _shown(name: str) -> str:
    """A name that somebody else chose, made harmless for one line of a screen."""
    return repr(name)[1:-1][:60]
