"""Bad settings keep what is good; a repository cannot widen anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.settings import Settings, read, user_settings, with_repository

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from([*Settings.model_fields, "nonsense", ""])


def test_every_setting_is_documented() -> None:
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@given(st.dictionaries(names, values))
def test_read_never_raises_and_names_each_bad_field_once(raw: dict[str, Any]) -> None:
    settings, problems = read(raw)
    defaults = Settings()
    for name, value in raw.items():
        told = [problem for problem in problems if problem.startswith(f"{name}: ")]
        expected = tuple(value) if isinstance(value, list) else value
        if told:
            assert len(told) == 1
            assert getattr(settings, name, None) == getattr(defaults, name, None)
        elif name == "model_key":
            assert settings.model_key.get_secret_value() == value
        else:
            assert getattr(settings, name) == expected
            assert isinstance(value, bool) == isinstance(getattr(defaults, name), bool)


def test_a_bad_field_keeps_its_default_and_the_good_ones() -> None:
    settings, problems = read({"max_attempts": 3, "memory_mb": "lots", "colour": "red", "test_seconds": True})
    assert (settings.max_attempts, settings.memory_mb, settings.test_seconds) == (3, 2048, 120)
    assert {problem.split(":")[0] for problem in problems} == {"memory_mb", "test_seconds", "colour"}


@pytest.mark.parametrize("solver", ["auto", "offline", "model", "scripted:fix.json"])
def test_solvers(solver: str) -> None:
    assert read({"solver": solver}) == (Settings(solver=solver), ())
    assert read({"solver": f"{solver[:3]}!"})[0].solver == "auto"


def test_flags_win_over_environment_over_file(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('max_attempts = 1\nmax_seconds = 1\ntest_seconds = 1\nexclude = ["a"]\n')
    environ = {
        "UNTILGREEN_CONFIG": str(config),
        "UNTILGREEN_MAX_SECONDS": "2.5",
        "UNTILGREEN_TEST_SECONDS": "2",
        "UNTILGREEN_INCLUDE": "x/*.txt, y",
        "UNTILGREEN_SANDBOX": "",
        "UNTILGREEN_STATE": "/somewhere",
    }
    settings, problems = user_settings(environ, {"test_seconds": 3, "memory_mb": None})
    assert problems == ()
    assert settings == Settings(
        max_attempts=1, max_seconds=2.5, test_seconds=3.0, exclude=("a",), include=("x/*.txt", "y")
    )


def test_a_bad_upper_layer_leaves_the_lower_one(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("max_attempts = 2\n")
    environ = {"UNTILGREEN_CONFIG": str(config), "UNTILGREEN_MAX_ATTEMPTS": "many"}
    settings, problems = user_settings(environ, {})
    assert settings.max_attempts == 2
    assert len(problems) == 1 and problems[0].startswith("environment: max_attempts: ")


@pytest.mark.parametrize("text", [b"max_attempts = ", b"\xff", b"a = " + b"[" * 100_000, b"#" * 2**21, None])
def test_a_broken_configuration_file_is_a_problem(tmp_path: Path, text: bytes | None) -> None:
    config = tmp_path / "config.toml"
    if text is not None:
        config.write_bytes(text)
    settings, problems = user_settings({"UNTILGREEN_CONFIG": str(config)}, {"max_attempts": 4})
    assert settings == Settings(max_attempts=4)
    assert len(problems) == 1 and str(config) in problems[0]


def test_a_repository_may_narrow() -> None:
    mine = Settings(exclude=("mine",), max_attempts=5, pytest_args=("-q",))
    table = {"exclude": ["theirs"], "include": ["data"], "pytest_args": ["-x"], "max_attempts": 2}
    settings, problems = with_repository(mine, table)
    assert problems == ()
    assert settings == Settings(
        exclude=("theirs", "mine"), include=("data",), pytest_args=("-x", "-q"), max_attempts=2
    )


@given(st.dictionaries(names, values))
def test_a_repository_never_widens(table: dict[str, Any]) -> None:
    mine = Settings(max_attempts=4, max_seconds=10.0, exclude=("mine",))
    settings, _problems = with_repository(mine, table)
    assert settings.max_attempts <= 4 and settings.max_seconds <= 10 and settings.test_seconds <= 120
    assert "mine" in settings.exclude
    free = {
        "max_attempts",
        "max_seconds",
        "max_tokens",
        "max_usd",
        "test_seconds",
        "exclude",
        "include",
        "pytest_args",
    }
    assert settings.model_dump(exclude=free) == mine.model_dump(exclude=free)
    assert Settings.model_validate(settings.model_dump()) == settings


@pytest.mark.parametrize("name", sorted(set(Settings.model_fields) - {"exclude", "include", "pytest_args"}))
def test_a_repository_is_told_what_is_not_for_it(name: str) -> None:
    settings, problems = with_repository(Settings(), {name: 10**6})
    assert settings == Settings()
    assert len(problems) == 1 and name in problems[0]


def test_a_repository_may_not_ask_for_secrets() -> None:
    settings, problems = with_repository(
        Settings(include=("own.key",)), {"include": ["a/.env", "data", "own.key"]}
    )
    assert settings.include == ("data", "own.key")
    assert len(problems) == 2 and "a/.env" in problems[0]
