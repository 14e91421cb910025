"""From settings and environment to the models that are asked. No network, and no provider's library yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from untilgreen.errors import ModelError
from untilgreen.models.asking import RemoteModel, Wire
from untilgreen.models.endpoint import PROVIDERS, Endpoint, Provider, is_loopback, is_private
from untilgreen.models.model import Model
from untilgreen.models.patience import PATIENT, Patience
from untilgreen.models.tool_support import ToolSupport, default_folder
from untilgreen.settings import Settings

WAYS = "Set OPENAI_API_KEY or ANTHROPIC_API_KEY, or `model_base_url` and `model` for a server of your own."


@dataclass(frozen=True, slots=True)
class Chosen:
    """The endpoints that a user's settings mean."""

    small: Endpoint
    strong: Endpoint | None = None


def choose(settings: Settings, environ: Mapping[str, str]) -> Chosen:
    """Raises `ModelError` that says what to set."""
    small = _endpoint(settings, environ, settings.model)
    strong = None
    if settings.model_strong and settings.model_strong != small.model:
        strong = _endpoint(settings, environ, settings.model_strong)
    return Chosen(small, strong)


def open_model(
    endpoint: Endpoint,
    environ: Mapping[str, str],
    patience: Patience = PATIENT,
) -> Model:
    """Ready to be asked; nothing is connected before the first call."""
    return RemoteModel(endpoint, _wire, ToolSupport(default_folder(environ)), patience)


def _wire(endpoint: Endpoint) -> Wire:
    # Both libraries take their time to load, so only those who ask a model wait for one of them.
    if endpoint.provider == "openai":
        from untilgreen.models.openai import OpenAIWire

        return OpenAIWire(endpoint)
    try:
        from untilgreen.models.anthropic import AnthropicWire
    except ModuleNotFoundError as error:
        if error.name != "anthropic":
            raise
        raise ModelError("Anthropic's library is not there.", "Install `untilgreen[anthropic]`.") from None
    return AnthropicWire(endpoint)


def _endpoint(settings: Settings, environ: Mapping[str, str], name: str) -> Endpoint:
    provider = _provider(settings, environ, name)
    known = PROVIDERS[provider]
    base_url = settings.model_base_url or environ.get(known.url_env, "") or known.base_url
    _check_address(base_url)
    if provider == "anthropic":
        # Its library adds this part itself.
        base_url = base_url.rstrip("/").removesuffix("/v1")
    is_own = base_url.rstrip("/") == known.base_url
    if not name and not is_own:
        raise ModelError("No model is named.", f"Set `model` to one that {urlsplit(base_url).netloc} has.")
    key, source = _key(settings, environ, provider, base_url)
    if not key and not is_private(base_url):
        variable = settings.model_key_env or known.key_env
        raise ModelError(
            f"There is no key for {name or known.title}.",
            f"Set {variable}, or `model_key_env` to the variable that holds it.",
        )
    if key and base_url.startswith("http:") and not is_private(base_url):
        raise ModelError(f"A key would travel unprotected to {base_url}.", "Use https in `model_base_url`.")
    return Endpoint(
        provider,
        name or known.model,
        base_url,
        key,
        source,
        {"auto": None, "on": True, "off": False}[settings.model_tools],
        settings.model_seconds,
        settings.model_stall_seconds,
        settings.model_context,
    )


def _provider(settings: Settings, environ: Mapping[str, str], name: str) -> Provider:
    if settings.model_provider != "auto":
        return settings.model_provider
    if settings.model_base_url:
        return "openai"
    if name:
        return "anthropic" if name.startswith("claude") else "openai"
    for provider, known in PROVIDERS.items():
        if environ.get(known.key_env) or environ.get(known.url_env):
            return provider
    if settings.model_key_env or settings.model_key.get_secret_value():
        return "openai"
    raise ModelError("No model is set.", WAYS)


def _key(
    settings: Settings, environ: Mapping[str, str], provider: Provider, base_url: str
) -> tuple[str, str]:
    """The key and where it was, for people."""
    known = PROVIDERS[provider]
    if settings.model_key_env:
        key = environ.get(settings.model_key_env, "").strip()
        if not key:
            raise ModelError(f"{settings.model_key_env} holds no key (`model_key_env`).", "Set it.")
        return _checked(key, settings.model_key_env), f"in {settings.model_key_env}"
    if key := settings.model_key.get_secret_value().strip():
        return _checked(key, "model_key"), "in `model_key`"
    # A provider's key is not for a server on this machine, unless the same hand named both.
    if is_loopback(base_url) and settings.model_base_url:
        return "", ""
    return _checked(environ.get(known.key_env, "").strip(), known.key_env), f"in {known.key_env}"


def _checked(key: str, name: str) -> str:
    if key.isascii() and key.isprintable() and " " not in key:
        return key
    raise ModelError(f"What {name} holds is not a key: it has characters that no key has.")


def _check_address(base_url: str) -> None:
    try:
        parts = urlsplit(base_url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fine = False
    if fine and "@" in parts.netloc:
        raise ModelError("`model_base_url` holds a password.", "Set `model_key_env` instead.")
    if not fine:
        raise ModelError(f"`model_base_url` is not an address that starts with http or https: {base_url!r}.")
