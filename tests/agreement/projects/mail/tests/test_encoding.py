from hypothesis import given
from hypothesis import strategies as st
from mail.address import join, same, split
from mail.encoding import clamped, packed, unpacked


@given(st.text(alphabet="ab", max_size=8))
def test_there_and_back(text):
    assert unpacked(packed(text)) == text


@given(st.integers(-50, 50))
def test_clamped(n):
    assert -10 <= clamped(n, -10, 10) <= 10
    assert clamped(n, n, n) == n


@given(st.sampled_from(["a", "b.c"]), st.sampled_from(["x", "Y.z"]))
def test_split(name, host):
    assert split(join(name, host)) == (name, host.lower())


def test_same():
    assert same("a@X", "a@x")
    assert not same("a@x", "b@x")
