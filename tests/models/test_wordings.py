"""How real services word it, as their users reported, and what we understand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.models.endpoint import Endpoint
from untilgreen.models.faults import Fault, fault_of_body
from untilgreen.models.wordings import context_in, shorter_reply, wait_in

HERE = Endpoint("openai", "m", "https://models.example/v1", "sk-secret-123456", "in K")

SAID = [
    (int(status), kind, message)
    for status, kind, message in (
        line.split(" | ", 2) for line in Path(__file__).with_name("wordings.txt").read_text().splitlines()
    )
]


def _kind(fault: Fault) -> str:
    if fault.kind not in ("other", "unclear"):
        return fault.kind
    if fault.again:
        return "again"
    words = {"no credit": "credit", "the key": "key", "no model": "model", "not the address": "address"}
    return next((kind for said, kind in words.items() if said in fault.words), fault.kind)


@pytest.mark.parametrize(("status", "kind", "message"), SAID)
@pytest.mark.parametrize("shape", ["nested", "text", "bare"])
def test_what_is_meant(status: int, kind: str, message: str, shape: str) -> None:
    body = {"nested": {"error": {"message": message}}, "text": {"error": message}, "bare": message}[shape]
    assert _kind(fault_of_body(HERE, status, body, tools=True)) == kind


def test_numbers_in_words() -> None:
    assert context_in("the available context size (4096 tokens)") == 4096
    assert context_in("no number of tokens") == 0
    assert wait_in("Please try again in 20s. Visit …") == 20
    assert wait_in("Please retry in 500ms") == 0.5
    assert wait_in("try again in 2 minutes") == 120
    assert wait_in("try again later") is None
    assert (
        shorter_reply("This model supports at most 4096 completion tokens, whereas you gave 8000.", 8000)
        == 4096
    )
    assert shorter_reply("something else with 4096", 8000) == 0
    assert shorter_reply("context length is only 8192", 1000) == 0, "it was not the reply that did not fit"


@given(
    st.integers(100, 599),
    st.recursive(
        st.none() | st.text() | st.integers() | st.booleans(),
        lambda inner: st.dictionaries(st.sampled_from(["error", "message", "type", "code", "detail"]), inner),
        max_leaves=5,
    ),
    st.booleans(),
)
def test_any_body_becomes_one_line(status: int, body: object, tools: bool) -> None:
    fault = fault_of_body(HERE, status, body, tools=tools)
    assert fault.words and "\n" not in fault.words and len(fault.words) < 600
    assert HERE.key not in fault.words
