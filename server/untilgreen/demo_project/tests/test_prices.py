import pytest

from cart.prices import Line, free_shipping, total


def test_one_line():
    assert total([Line("tea", 450)]) == 450


def test_several_of_one_thing():
    assert total([Line("tea", 450, count=3), Line("cup", 900)]) == 2250


@pytest.mark.parametrize(("percent", "expected"), [(0, 999), (10, 900), (100, 0)])
def test_discount(percent, expected):
    assert total([Line("pot", 999)], percent) == expected


def test_free_shipping_from_the_limit_on():
    assert free_shipping([Line("kettle", 5000)])


def test_no_free_shipping_below():
    assert not free_shipping([Line("kettle", 4999)])
