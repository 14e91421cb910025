"""Does a Docker engine answer? Exit status 0 if it does. Needs neither the docker command nor docker-py.

usage: engine_answers.py [ADDRESS]

The address is DOCKER_HOST, or the default socket when that is not set.
"""

from __future__ import annotations

import http.client
import os
import socket
import ssl
import sys
from pathlib import Path
from urllib.parse import urlsplit

SECONDS = 5


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=SECONDS)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(SECONDS)
        self.sock.connect(self.path)


def connection(address: str) -> http.client.HTTPConnection:
    url = urlsplit(address)
    if url.scheme == "unix":
        return UnixConnection(url.path)
    if url.scheme not in ("tcp", "http", "https") or url.hostname is None:
        raise OSError(f"cannot ask an engine at {address}")
    certificates = Path(os.environ.get("DOCKER_CERT_PATH") or Path.home() / ".docker")
    if not os.environ.get("DOCKER_TLS_VERIFY"):
        return http.client.HTTPConnection(url.hostname, url.port or 2375, timeout=SECONDS)
    context = ssl.create_default_context(cafile=str(certificates / "ca.pem"))
    context.load_cert_chain(certificates / "cert.pem", certificates / "key.pem")
    return http.client.HTTPSConnection(url.hostname, url.port or 2376, timeout=SECONDS, context=context)


def answers(address: str) -> bool:
    try:
        asked = connection(address)
        asked.request("GET", "/_ping")
        return asked.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("DOCKER_HOST")
    sys.exit(0 if answers(address or "unix:///var/run/docker.sock") else 1)
