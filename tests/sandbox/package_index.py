"""A package index on the loopback: with one package and a password, or one that never answers."""

from __future__ import annotations

import base64
import io
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WHEEL = "untilgreen_private-1.0-py3-none-any.whl"
# A line that every start of the environment's Python runs; it leaves a file when an image is being made.
STARTED = "import os; os.path.exists('/tmp/untilgreen-build') and os.mkdir('/opt/untilgreen/env/started')\n"


class PackageIndex:
    """Use as `with`; it knows what it was asked."""

    def __init__(self, password: str = "", *, silent: bool = False) -> None:
        self.n_requests = 0
        self.n_authorized = 0
        self._login = f"me:{password}" if password else ""
        self._silent = silent
        self._closing = threading.Event()
        index = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                index.answer(self)

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True

    @property
    def address(self) -> str:
        login = f"{self._login}@" if self._login else ""
        return f"http://{login}127.0.0.1:{self._server.server_port}/simple/"

    def __enter__(self) -> PackageIndex:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        self.n_requests += 1
        if self._silent:
            self._closing.wait(120)
            return
        expected = "Basic " + base64.b64encode(self._login.encode()).decode()
        if self._login and request.headers.get("Authorization") != expected:
            self._send(request, 401, b"")
            return
        self.n_authorized += 1
        if request.path == "/simple/untilgreen-private/":
            self._send(request, 200, f'<!DOCTYPE html><a href="/{WHEEL}">{WHEEL}</a>'.encode())
        elif request.path == f"/{WHEEL}":
            self._send(request, 200, wheel(), "application/octet-stream")
        else:
            self._send(request, 404, b"")

    def _send(
        self, request: BaseHTTPRequestHandler, status: int, body: bytes, kind: str = "text/html"
    ) -> None:
        request.send_response(status)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        if status == 401:
            request.send_header("WWW-Authenticate", "Basic realm=index")
        request.end_headers()
        if request.command == "GET":
            request.wfile.write(body)


def wheel() -> bytes:
    """The smallest package there is."""
    info = "untilgreen_private-1.0.dist-info"
    files = {
        "untilgreen_private.py": "ANSWER = 42\n",
        "untilgreen_private.pth": STARTED,
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: untilgreen-private\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()
