import pytest

from teashop.labels import brewing, shorten, slug, weight


@pytest.mark.parametrize(
    ("name", "expected"),
    [("sencha", "sencha"), ("Earl Grey", "earl-grey"), ("  Lapsang  Souchong ", "lapsang-souchong")],
)
def test_slug(name, expected):
    assert slug(name) == expected


@pytest.mark.parametrize(("width", "expected"), [(20, "first flush"), (11, "first flush"), (8, "first...")])
def test_shorten(width, expected):
    assert shorten("first flush", width) == expected


@pytest.mark.parametrize(("grams", "expected"), [(50, "50 g"), (999, "999 g"), (1000, "1 kg"), (1500, "1.5 kg")])
def test_weight(grams, expected):
    assert weight(grams) == expected


@pytest.mark.parametrize(("seconds", "expected"), [(45, "0:45"), (180, "3:00"), (125, "2:05")])
def test_brewing(seconds, expected):
    assert brewing(seconds) == expected
