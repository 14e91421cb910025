"""Where a model is and how it is asked; what is fixed for each provider."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

Provider = Literal["openai", "anthropic"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is fixed for a provider."""

    title: str
    base_url: str
    key_env: str
    url_env: str
    model: str
    """Asked when nobody names one: small, cheap, and good with tools."""


PROVIDERS: dict[Provider, Known] = {
    "openai": Known("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL", "gpt-6-luna"),
    "anthropic": Known(
        "Anthropic",
        "https://api.anthropic.com",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_BASE_URL",
        "claude-haiku-5-5",
    ),
}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One model of one server."""

    provider: Provider
    model: str
    base_url: str
    key: str = field(default="", repr=False)
    """Empty: the server wants none."""
    key_source: str = ""
    """Where the key came from, for people."""
    tools: bool | None = None
    """What the user says about tools; None: find out."""
    seconds: float = 180.0
    stall_seconds: float = 60.0
    context: int = 0

    @property
    def place(self) -> str:
        """Where it is, for people."""
        return urlsplit(self.base_url).netloc

    @property
    def is_own(self) -> bool:
        """The provider's own service, and not one that speaks its language."""
        return self.base_url.rstrip("/") == PROVIDERS[self.provider].base_url

    @property
    def is_local(self) -> bool:
        return is_loopback(self.base_url)


def is_loopback(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    address = _address(host)
    return address.is_loopback if address else host == "localhost" or host.endswith(".localhost")


def is_private(url: str) -> bool:
    """On this machine or on a network of the user's own."""
    host = urlsplit(url).hostname or ""
    address = _address(host)
    if address:
        return address.is_private or address.is_link_local
    return is_loopback(url) or "." not in host or host.endswith((".local", ".lan", ".internal", ".home.arpa"))


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
