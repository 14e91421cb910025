"""How an image with a project's packages is made: the steps, the files that go in, the words when it fails.

No step runs code of a package, unless the user allows source builds. The one that reaches the index has the
user's passwords in its environment, so nothing that it has just installed is started by it: bytecode is
compiled afterwards, by the base's own Python.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from untilgreen_sandbox.box import BoxSpec, Packages
from untilgreen_sandbox.editable import ENVIRONMENT, PYTHON, commands
from untilgreen_sandbox.text import clean

WORK = "/tmp/untilgreen-build"
TOOLS = f"{WORK}/tools"
CERTIFICATES = f"{WORK}/certificates.pem"
RECIPE = 2
"""Raised when the steps below change, so that older images are not taken for what they would make."""
SHOWN_LINES = 10
LONGEST_LINE = 300

_PROBE = """\
import sys
from importlib.util import find_spec
print("%d.%d" % sys.version_info[:2], *(name for name in ("venv", "ensurepip") if find_spec(name)))
"""
_CLEAN = f"import shutil; shutil.rmtree({WORK!r}, ignore_errors=True)"
_HAS_PYTEST = (
    f"import glob; print(len(glob.glob({ENVIRONMENT!r} + '/lib/python*/site-packages/pytest/__init__.py')))"
)

# A name that is taken stays what it is: no project may put its own program in place of the environment's.
_SCRIPTS = f"""\
import json, os, pathlib
for name, text in json.loads(pathlib.Path({WORK + "/scripts.json"!r}).read_text()).items():
    path = pathlib.Path({ENVIRONMENT + "/bin"!r}, name)
    if not os.path.lexists(path):
        path.write_text(text)
        path.chmod(0o755)
"""
PROBE = ("python3", "-I", "-S", "-c", _PROBE)
HAS_PYTEST = ("python3", "-I", "-S", "-c", _HAS_PYTEST)


@dataclass(frozen=True, slots=True)
class Step:
    """One command in the container."""

    text: str
    """What it does, for the progress line."""
    command: tuple[str, ...]
    online: bool = False
    """Whether it reaches the index, with what the user's configuration says about it."""
    may_fail: bool = False


def steps(spec: BoxSpec) -> list[Step]:
    """From a fresh container to one that holds the packages."""
    make = ("python3", "-I", "-m", "venv")
    found = [Step("making an environment", (*make, "--without-pip", ENVIRONMENT))]
    if spec.packages.requirements:
        wheels = () if spec.building.source_builds else ("--only-binary", ":all:")
        pip = (f"{TOOLS}/bin/python", "-I", "-m", "pip", "--no-input", "--disable-pip-version-check")
        uv = (f"{TOOLS}/bin/uv", "pip", "install", "--no-progress", "--color", "never", "--python", PYTHON)
        pins = ("-c", f"{WORK}/constraints.txt") if spec.packages.constraints else ()
        get_uv = ("install", "--no-cache-dir", "--no-compile", "--progress-bar", "off", "--only-binary=:all:")
        found += [
            Step("making an environment for the installer", (*make, TOOLS)),
            Step("getting the installer", (*pip, *get_uv, "uv"), online=True),
            Step(
                "installing the packages",
                (*uv, *wheels, "-r", f"{WORK}/requirements.txt", *pins),
                online=True,
            ),
        ]
    return found


COMMANDS = Step("adding the project's commands", ("python3", "-I", "-S", "-c", _SCRIPTS))
# A file that is for another Python does not compile, and that is no fault.
_COMPILE = ("python3", "-I", "-S", "-m", "compileall", "-q", "-j", "0", "/opt/untilgreen")
LAST_STEPS = (
    Step("compiling", _COMPILE, may_fail=True),
    Step("cleaning up", ("python3", "-I", "-S", "-c", _CLEAN)),
)


def step_environment(index: Mapping[str, str], has_certificates: bool, *, online: bool) -> dict[str, str]:
    """All caches and settings lie in the folder that is removed at the end."""
    found = {"HOME": f"{WORK}/home", "TMPDIR": WORK, "LANG": "C.UTF-8"}
    if not online:
        return found
    found |= {"UV_CACHE_DIR": f"{WORK}/cache", "UV_PYTHON_DOWNLOADS": "never", **index}
    if has_certificates:
        found |= dict.fromkeys(("SSL_CERT_FILE", "PIP_CERT", "REQUESTS_CA_BUNDLE"), CERTIFICATES)
    return found


def work_files(packages: Packages, certificates: bytes) -> dict[str, bytes]:
    """What the steps read, by its path from the root."""
    found = {
        "requirements.txt": "".join(f"{line}\n" for line in packages.requirements).encode(),
        "constraints.txt": "".join(f"{line}\n" for line in packages.constraints).encode(),
    }
    found["scripts.json"] = json.dumps(commands(packages)).encode()
    if certificates:
        found["certificates.pem"] = certificates
    return {f"{WORK[1:]}/{name}": content for name, content in found.items()}


def image_key(base: str, architecture: str, spec: BoxSpec, bundled: Iterable[tuple[str, bytes]]) -> str:
    """The same for two images only when the same went in."""
    try:
        ours = version("untilgreen")
    except PackageNotFoundError:
        ours = ""
    said = [RECIPE, ours, base, architecture, spec.interpreter.version, asdict(spec.packages)]
    said += [spec.building.source_builds, spec.import_roots[0]]
    digest = hashlib.blake2b(json.dumps(said).encode(), digest_size=8)
    for name, content in bundled:
        digest.update(json.dumps([name, len(content)]).encode() + content)
    return digest.hexdigest()


def why_it_failed(step: Step, lines: list[str], spec: BoxSpec) -> str:
    """The last lines that matter, and what the user can do about it."""
    matter: dict[str, str] = {}
    for line in lines:
        if (said := clean(line).rstrip()) and not _NOISE.search(said):
            # A retry says the same again, but for its number and an address in memory.
            same = re.sub(r"0x[0-9a-f]+|total=\d+", "", said)
            matter.pop(same, None)
            matter[same] = said[:LONGEST_LINE]
    shown = "\n".join(f"  {line}" for line in [*matter.values()][-SHOWN_LINES:]) or "  It said nothing."
    text = "\n".join(lines)
    advice = next((advice for pattern, advice in _ADVICE if pattern.search(text)), "")
    advice = advice.format(network=spec.building.network)
    return (
        f"{step.text} in the image failed:\n{shown}\n{advice}"
        'Set `sandbox` to "bubblewrap" to use the packages that are installed on this machine.'
    )


_NOISE = re.compile(r"^(Using Python |Looking in |\[notice\]|\s*$)|━|^WARNING: Running pip as")
_ADVICE = (
    (
        re.compile(r"certificate|CERTIFICATE_VERIFY|UnknownIssuer|self.signed", re.IGNORECASE),
        "The index shows a certificate that is not known there: "
        "set `sandbox_ca` to the file with your network's certificates.\n",
    ),
    (
        re.compile(
            r"dns error|failed to resolve|name resolution|lookup address|connection (refused|reset|broken)"
            r"|unreachable|timed out|tcp connect|error sending request|client error \(Connect\)",
            re.IGNORECASE,
        ),
        "The index cannot be reached from the engine's network {network!r}: "
        'try `sandbox_build_network` = "host", and HTTPS_PROXY if you need one.\n',
    ),
    (
        re.compile(r"no (usable )?wheels|only-binary|building from source|source dist", re.IGNORECASE),
        "Some package has no wheel for this Python: `sandbox_source_builds` = true lets its own code run "
        "while the image is built.\n",
    ),
    (
        re.compile(r"not found in the package registry|No matching distribution", re.IGNORECASE),
        "The index has no such package: see what the project declares, and PIP_INDEX_URL if it is yours.\n",
    ),
)
