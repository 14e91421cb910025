"""Packages come from where the user's own pip and uv get them; passwords and private keys stay out."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen_sandbox.box import BoxSpec, Building, Interpreter, Packages
from untilgreen_sandbox.editable import installed_project
from untilgreen_sandbox.errors import NoSandbox
from untilgreen_sandbox.index import certificates, hidden, index_environment
from untilgreen_sandbox.recipe import image_key, step_environment, steps, why_it_failed

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"
KEY = "-----BEGIN PRIVATE KEY-----\nBBBB\n-----END PRIVATE KEY-----"
PYTHON = Interpreter(Path("/usr/bin/python3"), (3, 11), Path("/usr"), Path("/usr"), has_pytest=False)


def environ(home: Path, **variables: str) -> dict[str, str]:
    """Nothing of this machine: an empty home, and no system-wide configuration."""
    return {
        "HOME": str(home),
        "XDG_CONFIG_DIRS": str(home / "xdg"),
        "PIP_CONFIG_FILE": os.devnull,
        **variables,
    }


def test_nothing_said_is_nothing_passed(tmp_path: Path) -> None:
    assert index_environment(environ(tmp_path, PATH="/bin", AWS_SECRET="x", UV_PUBLISH_TOKEN="x")) == {}


def test_pips_variables_are_for_uv_too(tmp_path: Path) -> None:
    said = environ(
        tmp_path,
        PIP_INDEX_URL="https://me:pw@one/simple",
        PIP_EXTRA_INDEX_URL="file:///opt/wheels https://two/simple\nhttps://three",
        https_proxy="http://proxy:1",
        NO_PROXY="local",
    )
    assert index_environment(said) == {
        "PIP_INDEX_URL": "https://me:pw@one/simple",
        "UV_DEFAULT_INDEX": "https://me:pw@one/simple",
        "PIP_EXTRA_INDEX_URL": "https://two/simple https://three",
        "UV_INDEX": "https://two/simple https://three",
        "https_proxy": "http://proxy:1",
        "NO_PROXY": "local",
    }


def test_uvs_names_are_not_for_pip(tmp_path: Path) -> None:
    said = environ(
        tmp_path, UV_DEFAULT_INDEX="own=https://one", UV_INDEX="b=https://two", UV_INDEX_B_PASSWORD="pass"
    )
    found = index_environment(said)
    assert (found["UV_DEFAULT_INDEX"], found["PIP_INDEX_URL"]) == ("own=https://one", "https://one")
    assert (found["UV_INDEX"], found["PIP_EXTRA_INDEX_URL"]) == ("b=https://two", "https://two")
    assert found["UV_INDEX_B_PASSWORD"] == "pass"


def test_pips_own_file_is_read_and_a_broken_one_is_not(tmp_path: Path) -> None:
    config = tmp_path / ".config/pip/pip.conf"
    config.parent.mkdir(parents=True)
    config.write_text("[global]\nindex-url = https://one\nextra-index-url =\n  https://two\n  file:///x\n")
    named = tmp_path / "named.conf"
    named.write_text("[install]\nindex-url = https://other/%(x)s\n")
    said = environ(tmp_path, PIP_CONFIG_FILE=str(named))
    assert index_environment(said)["PIP_INDEX_URL"] == "https://other/%(x)s"
    named.write_text("index-url\n[global")
    assert index_environment(said)["PIP_INDEX_URL"] == "https://one"
    assert index_environment(said)["UV_INDEX"] == "https://two"
    assert "PIP_INDEX_URL" not in index_environment(environ(tmp_path))


@given(st.text("abcXYZ019%._-", min_size=4, max_size=12))
def test_a_password_is_hidden_wherever_it_stands(password: str) -> None:
    environment = {
        "PIP_INDEX_URL": f"https://me:{password}@host/simple",
        "HTTPS_PROXY": f"http://{password}@p:1",
    }
    text = f"GET https://me:{password}@host/simple failed; tried {password}"
    assert password not in hidden(text, environment).replace("****", "")
    assert "failed; tried" in hidden(text, environment) or password in "failed; tried"


def test_certificates_come_without_their_key(tmp_path: Path) -> None:
    bundle = tmp_path / "ca.pem"
    bundle.write_text(f"# ours\n{KEY}\n{CERTIFICATE}\ntext\n{CERTIFICATE}\n")
    expected = f"{CERTIFICATE}\n{CERTIFICATE}\n".encode()
    assert certificates(str(bundle), {}) == expected
    assert certificates("", environ(tmp_path, SSL_CERT_FILE="/nowhere", PIP_CERT=str(bundle))) == expected
    assert certificates("", environ(tmp_path)) == b""
    for wrong in (tmp_path / "missing.pem", tmp_path):
        with pytest.raises(NoSandbox, match="sandbox_ca"):
            certificates(str(wrong), {})
    bundle.write_text(KEY)
    with pytest.raises(NoSandbox, match="no PEM certificate"):
        certificates(str(bundle), {})


def test_only_the_steps_that_reach_the_index_know_how() -> None:
    index = {"PIP_INDEX_URL": "https://me:pw@one"}
    assert "PIP_INDEX_URL" not in step_environment(index, True, online=False)
    assert step_environment(index, True, online=True)["SSL_CERT_FILE"].endswith(".pem")
    assert "SSL_CERT_FILE" not in step_environment(index, False, online=True)


def spec(*requirements: str, source_builds: bool = False) -> BoxSpec:
    building = Building(source_builds=source_builds)
    return BoxSpec(Path("/w"), PYTHON, packages=Packages(requirements), building=building)


def test_code_of_packages_runs_only_with_consent() -> None:
    careful, free = ([step.command for step in steps(spec("x", source_builds=yes))] for yes in (False, True))
    assert [command for command in careful if "install" in command and "uv" not in command[-1:]] != []
    assert "--only-binary" in careful[-1]
    assert "--only-binary" not in free[-1]
    assert all(not step.online for step in steps(spec()))


def test_the_key_tells_apart_what_differs() -> None:
    keys = [
        image_key("base", "amd64", spec(), []),
        image_key("other", "amd64", spec(), []),
        image_key("base", "arm64", spec(), []),
        image_key("base", "amd64", spec("a", "b"), []),
        image_key("base", "amd64", spec("a b"), []),
        image_key("base", "amd64", spec("a", "b", source_builds=True), []),
        image_key("base", "amd64", dataclasses.replace(spec(), import_roots=("src", "")), []),
        image_key("base", "amd64", spec(), [("a", b"b")]),
        image_key("base", "amd64", spec(), [("ab", b"")]),
    ]
    assert len(set(keys)) == len(keys)
    assert image_key("base", "amd64", spec(), []) == keys[0]


def test_the_project_as_a_distribution() -> None:
    points = (("console_scripts", "x", "a:b"), ("pytest11", "y", "c"), ("pytest11", "z", "d"))
    packages = Packages(name="My.Own-Thing", version="1.0", entry_points=points)
    files = installed_project(dataclasses.replace(spec(), packages=packages, import_roots=("src", "")))
    place = "opt/untilgreen/env/lib/python3.11/site-packages"
    folder = f"{place}/my_own_thing-1.0.dist-info"
    assert files.pop(f"{place}/__editable__.my_own_thing.pth") == b"/w/src\n"
    assert {Path(path).parent.as_posix() for path in files} == {folder}
    assert files[f"{folder}/entry_points.txt"] == b"[console_scripts]\nx = a:b\n\n[pytest11]\ny = c\nz = d\n"
    assert b"Name: My.Own-Thing\nVersion: 1.0\n" in files[f"{folder}/METADATA"]
    assert installed_project(spec()) == {}


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("invalid peer certificate: UnknownIssuer", "sandbox_ca"),
        ("SSLError(SSLCertVerificationError: CERTIFICATE_VERIFY_FAILED)", "sandbox_ca"),
        ("dns error: failed to lookup address information", "sandbox_build_network"),
        ("WARNING: Retrying after connection broken by 'NewConnectionError'", "sandbox_build_network"),
        ("hint: Wheels are required because building from source is disabled", "sandbox_source_builds"),
        ("Because x was not found in the package registry", "what the project declares"),
        ("something else", "bubblewrap"),
    ],
)
def test_a_failure_says_what_to_do(line: str, advice: str) -> None:
    step = steps(spec("x"))[-1]
    lines = [
        "Resolved 4 packages in 1s",
        *(f"line {n}" for n in range(30)),
        "",
        line,
        "   ",
        "Using Python 3",
    ]
    said = why_it_failed(step, lines, spec("x"))
    assert advice in said
    assert sum(text.startswith("  ") for text in said.splitlines()) == 10
    assert f"  {line}" in said and "line 20" not in said
    assert ("sandbox_" in said) == ("sandbox_" in advice)
