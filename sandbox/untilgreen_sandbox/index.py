"""Where packages come from: what the user's own environment and configuration of pip and uv say.

All of it may hold passwords. It goes into the environment of the installer, and nowhere else.
"""

from __future__ import annotations

import configparser
import os
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from untilgreen_sandbox.errors import NoSandbox

CERTIFICATE_VARIABLES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE")
_CERTIFICATE = re.compile(rb"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----")
_PASSED = re.compile(
    r"(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy"
    r"|PIP_(TRUSTED_HOST|DEFAULT_TIMEOUT|RETRIES)"
    r"|UV_(INSECURE_HOST|HTTP_TIMEOUT|INDEX_STRATEGY|INDEX_\w+_(USERNAME|PASSWORD))"
)
# pip's name of each setting, and the variables that have it, the strongest first.
_FIRST = ("index-url", ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "PIP_INDEX_URL"))
_MORE = ("extra-index-url", ("UV_INDEX", "UV_EXTRA_INDEX_URL", "PIP_EXTRA_INDEX_URL"))
SHORTEST_SECRET = 4


def index_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Variables for pip and uv in the image that make them look where the user's own look."""
    found = {name: value for name, value in environ.items() if value and _PASSED.fullmatch(name)}
    configured = _pip_configuration(environ)
    if first := _addresses(*_FIRST, environ, configured)[:1]:
        found |= {"UV_DEFAULT_INDEX": first[0], "PIP_INDEX_URL": _without_name(first[0])}
    if more := _addresses(*_MORE, environ, configured):
        found |= {"UV_INDEX": " ".join(more), "PIP_EXTRA_INDEX_URL": " ".join(map(_without_name, more))}
    return found


def hidden(text: str, environment: Mapping[str, str]) -> str:
    """The text without any password that the environment holds."""
    for secret in sorted(_secrets(environment), key=len, reverse=True):
        text = text.replace(secret, "****")
    return text


def certificates(setting: str, environ: Mapping[str, str]) -> bytes:
    """The certificates that the user trusts besides the usual ones; a private key in that file stays out."""
    if setting:
        try:
            found = _CERTIFICATE.findall(Path(setting).expanduser().read_bytes())
        except (OSError, RuntimeError) as error:
            raise NoSandbox(f"the file that `sandbox_ca` names cannot be read: {error}.") from error
        if not found:
            raise NoSandbox(f"there is no PEM certificate in {setting}, which `sandbox_ca` names.")
        return b"\n".join(found) + b"\n"
    named = [environ.get(name, "") for name in CERTIFICATE_VARIABLES]
    for path in [*named, *_pip_configuration(environ).get("cert", "").splitlines()]:
        try:
            if path and (found := _CERTIFICATE.findall(Path(path).read_bytes())):
                return b"\n".join(found) + b"\n"
        except OSError:
            continue
    return b""


def _addresses(
    setting: str, variables: tuple[str, ...], environ: Mapping[str, str], configured: Mapping[str, str]
) -> list[str]:
    """The strongest answer; a folder of this machine is not to be seen from inside, so it is passed over."""
    answers = (*(environ.get(name, "") for name in variables), configured.get(setting, ""))
    words = next((answer.split() for answer in answers if answer.strip()), [])
    return [word for word in words if _without_name(word).startswith(("http://", "https://"))]


def _without_name(address: str) -> str:
    """uv lets an index have a name; pip does not know that."""
    return re.sub(r"^[\w.-]+=(?=\w+://)", "", address)


def _secrets(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        if name.endswith("_PASSWORD"):
            yield value
        for word in value.split():
            login = word.partition("://")[2].split("/")[0].rpartition("@")[0]
            password = login.partition(":")[2] or login
            if login:
                yield login
            yield from (text for text in (password, unquote(password)) if len(text) >= SHORTEST_SECRET)


def _pip_configuration(environ: Mapping[str, str]) -> dict[str, str]:
    """pip's files in pip's order, the later one wins; never the one of an environment in a workspace."""
    found: dict[str, str] = {}
    for path in _pip_files(environ):
        parser = configparser.RawConfigParser()
        try:
            parser.read_string(path.read_text("utf-8"))
        except (OSError, ValueError, configparser.Error):
            continue
        for section in ("global", "install"):
            found |= parser.items(section) if parser.has_section(section) else []
    return found


def _pip_files(environ: Mapping[str, str]) -> Iterator[Path]:
    named = environ.get("PIP_CONFIG_FILE", "")
    if named == os.devnull:
        return
    home = Path(environ.get("HOME") or environ.get("USERPROFILE") or os.sep)
    if sys.platform == "win32":
        yield Path(environ.get("PROGRAMDATA", r"C:\ProgramData")) / "pip/pip.ini"
        yield home / "pip/pip.ini"
        yield Path(environ.get("APPDATA", str(home))) / "pip/pip.ini"
    else:
        yield from (Path(folder) / "pip/pip.conf" for folder in _folders(environ))
        yield Path("/etc/pip.conf")
        yield home / ".pip/pip.conf"
        if sys.platform == "darwin":
            yield home / "Library/Application Support/pip/pip.conf"
        yield Path(environ.get("XDG_CONFIG_HOME") or home / ".config") / "pip/pip.conf"
    if named:
        yield Path(named)


def _folders(environ: Mapping[str, str]) -> list[str]:
    return [folder for folder in environ.get("XDG_CONFIG_DIRS", "/etc/xdg").split(os.pathsep) if folder]
