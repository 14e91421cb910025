"""What is in the .vsix: all that an installed extension needs, and nothing that would not work there."""

from __future__ import annotations

import json
import re
import zipfile
from pathlib import Path

from untilgreen.settings import Settings

MOST_BYTES = 1_000_000


def test_the_package_is_small_and_whole(vsix: Path) -> None:
    assert vsix.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(vsix) as package:
        names = {name.removeprefix("extension/") for name in package.namelist()}
        manifest = json.loads(package.read("extension/package.json"))
        readme = package.read("extension/readme.md").decode()
        pictures = {
            name: package.read(f"extension/{name}") for name in names if name.startswith("dist/vscode-")
        }
    assert any(re.fullmatch(r"server/untilgreen-.+\.whl", name) for name in names)
    assert {manifest["icon"], "dist/extension.js", "example/tests/test_prices.py"} <= names
    assert {"media/timeline.html", "media/timeline.js", "media/story.js", "media/plot.js"} <= names
    steps = manifest["contributes"]["walkthroughs"][0]["steps"]
    assert {step["media"].get("markdown") or step["media"]["image"] for step in steps} <= names
    assert not any(name.startswith(("src/", "node_modules/")) for name in names)
    assert readme.startswith("# untilgreen for VS Code")
    # Pictures lie in the package; of other pages there are none to go to.
    assert set(re.findall(r"!\[.+\]\((.+)\)", readme)) == set(pictures) and len(pictures) >= 3
    assert all(picture.startswith(b"\x89PNG") for picture in pictures.values())
    assert not re.search(r"\]\(\.|data:", readme)


def test_the_settings_are_the_servers(vsix: Path) -> None:
    """But for where it is found, and how much is told of what is said to it."""
    with zipfile.ZipFile(vsix) as package:
        manifest = json.loads(package.read("extension/package.json"))
    settings = set(manifest["contributes"]["configuration"]["properties"])
    own = {"untilgreen.path", "untilgreen.trace.server"}
    assert settings - own == {f"untilgreen.{name}" for name in Settings.model_fields}


def test_the_extension_itself_calls_nobody(vsix: Path) -> None:
    """No telemetry: it talks to its server, through pipes, and has nothing to talk to anybody else with."""
    with zipfile.ZipFile(vsix) as package:
        code = package.read("extension/dist/extension.js").decode()
    used = {name.removeprefix("node:") for name in re.findall(r'\brequire\("([^"]+)"\)', code)}
    assert "child_process" in used
    assert used.isdisjoint({"http", "https", "http2", "tls", "dgram", "dns", "undici"})
    assert not re.search(r"\bfetch\(|XMLHttpRequest|WebSocket|createTelemetryLogger|https?://", code)
