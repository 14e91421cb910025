"""Which model is meant: by settings, environment and the kind of address; what is missing is said."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr

from untilgreen.errors import ModelError
from untilgreen.models.choosing import choose, open_model
from untilgreen.models.endpoint import PROVIDERS, Endpoint
from untilgreen.models.model import Usage
from untilgreen.models.prices import context_of, cost_of
from untilgreen.settings import Settings, read, user_settings, with_repository

OPENAI = {"OPENAI_API_KEY": "sk-one"}
ANTHROPIC = {"ANTHROPIC_API_KEY": "sk-two"}
LOCAL = "http://localhost:11434/v1"


@pytest.mark.parametrize(
    ("settings", "environ", "provider", "model", "key"),
    [
        (Settings(), OPENAI, "openai", PROVIDERS["openai"].model, "sk-one"),
        (Settings(), ANTHROPIC, "anthropic", PROVIDERS["anthropic"].model, "sk-two"),
        (Settings(), OPENAI | ANTHROPIC, "openai", PROVIDERS["openai"].model, "sk-one"),
        (Settings(model="claude-x"), OPENAI | ANTHROPIC, "anthropic", "claude-x", "sk-two"),
        (Settings(model="gpt-x"), OPENAI | ANTHROPIC, "openai", "gpt-x", "sk-one"),
        (Settings(model="claude-x", model_provider="openai"), OPENAI, "openai", "claude-x", "sk-one"),
        (Settings(model="tiny", model_base_url=LOCAL), {}, "openai", "tiny", ""),
        (Settings(model="claude-x", model_base_url=LOCAL), ANTHROPIC, "openai", "claude-x", ""),
        (Settings(model="tiny", model_base_url=LOCAL), OPENAI, "openai", "tiny", ""),
        (
            Settings(model="tiny", model_base_url=LOCAL, model_key_env="K"),
            {"K": "sk-k"},
            "openai",
            "tiny",
            "sk-k",
        ),
        (Settings(model="tiny", model_base_url="http://192.168.1.7:8000/v1"), {}, "openai", "tiny", ""),
        (Settings(model="m", model_base_url="https://models.example/v1"), OPENAI, "openai", "m", "sk-one"),
        (Settings(model="m", model_key=SecretStr(" sk-file\n")), {}, "openai", "m", "sk-file"),
        (Settings(model="m"), {"OPENAI_BASE_URL": LOCAL, "OPENAI_API_KEY": "any"}, "openai", "m", "any"),
    ],
)
def test_who_is_asked(
    settings: Settings, environ: dict[str, str], provider: str, model: str, key: str
) -> None:
    small = choose(settings, environ).small
    assert (small.provider, small.model, small.key) == (provider, model, key)
    assert not key or key not in repr(small)


@pytest.mark.parametrize(
    ("settings", "environ", "words"),
    [
        (Settings(), {}, "No model is set.*OPENAI_API_KEY or ANTHROPIC_API_KEY.*model_base_url"),
        (Settings(model="gpt-x"), ANTHROPIC, "no key for gpt-x.*OPENAI_API_KEY"),
        (Settings(model="claude-x"), OPENAI, "no key for claude-x.*ANTHROPIC_API_KEY"),
        (Settings(model_base_url=LOCAL), {}, "No model is named.*localhost:11434"),
        (Settings(model_key_env="MY_KEY"), OPENAI, "MY_KEY holds no key"),
        (Settings(model="m", model_base_url="https://models.example/v1"), {}, "no key for m"),
        (Settings(model="m", model_base_url="http://models.example/v1"), OPENAI, "unprotected.*https"),
        (Settings(model="m", model_base_url="localhost:1234"), {}, "not an address"),
        (Settings(model="m", model_base_url="http://[half"), {}, "not an address"),
        (Settings(model="m", model_base_url="https://me:pw@models.example"), OPENAI, "holds a password"),
        (Settings(), {"OPENAI_API_KEY": "a key with ünicode"}, "not a key"),
    ],
)
def test_what_is_missing_is_said(settings: Settings, environ: dict[str, str], words: str) -> None:
    with pytest.raises(ModelError, match=words) as caught:
        choose(settings, environ)
    assert caught.value.exit_code == 4
    assert not any(value in str(caught.value) for name, value in environ.items() if name.endswith("KEY"))


def test_a_strong_model_is_another_one() -> None:
    strong = choose(Settings(model="claude-small", model_strong="claude-big"), ANTHROPIC).strong
    assert strong is not None and strong.model == "claude-big"
    assert choose(Settings(model="a", model_strong="a"), OPENAI).strong is None
    assert choose(Settings(), OPENAI).strong is None


def test_the_key_of_a_configuration_file_is_never_shown(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text('model_key = "sk-of-a-file"\n')
    settings, problems = user_settings({"UNTILGREEN_CONFIG": str(config)}, {"max_attempts": 3})
    assert problems == ()
    assert choose(settings, {}).small.key == "sk-of-a-file"
    assert "sk-of" not in f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    wrong, told = read({"model_key": ["sk-of-a-file"]})
    assert "sk-of" not in f"{wrong!r} {told}" and len(told) == 1


@pytest.mark.parametrize("name", sorted(name for name in Settings.model_fields if name.startswith("model")))
def test_a_repository_has_no_say(name: str) -> None:
    settings, problems = with_repository(Settings(), {name: "http://evil.example"})
    assert settings == Settings()
    assert len(problems) == 1


def test_prices() -> None:
    usage = Usage(read=1_000_000, written=1000, cached=500_000)
    for provider, known in PROVIDERS.items():
        endpoint = Endpoint(provider, known.model, known.base_url)
        price = cost_of(endpoint, usage)
        assert price is not None and 0 < price < 5, "the default is small and its price is known"
        assert context_of(endpoint) >= 100_000
        full = cost_of(endpoint, Usage(read=1_000_000, written=1000))
        assert full is not None and full > price, "what came from a cache is cheaper"
    assert cost_of(Endpoint("openai", "tiny", LOCAL), usage) == 0.0
    assert cost_of(Endpoint("openai", "nobody-knows-this", "https://api.openai.com/v1"), usage) is None
    assert cost_of(Endpoint("openai", "m", "https://models.example/v1"), usage) is None
    assert context_of(Endpoint("openai", "m", "https://models.example/v1")) == 0


@pytest.mark.parametrize(
    "program",
    [
        "import untilgreen.cli.app, untilgreen.lsp.server, untilgreen.engine, untilgreen.doctor",
        "from untilgreen.settings import Settings\n"
        "from untilgreen.models.choosing import choose, open_model\n"
        "open_model(choose(Settings(), {'OPENAI_API_KEY': 'k'}).small, {})",
    ],
)
def test_nobody_waits_for_a_library_that_is_not_asked(program: str) -> None:
    slow = {"openai", "anthropic", "genai_prices", "httpx2"}
    look = f"{program}\nimport sys\nprint({slow} & set(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", look], capture_output=True, text=True, check=True, timeout=60
    )
    assert ended.stdout.strip() == "set()"


async def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anthropic", None)
    monkeypatch.delitem(sys.modules, "untilgreen.models.anthropic", raising=False)
    model = open_model(choose(Settings(), ANTHROPIC).small, {"UNTILGREEN_CACHE": str(tmp_path)})
    with pytest.raises(ModelError, match=r"untilgreen\[anthropic\]"):
        await model.reply(())
