import pytest

from teashop.prices import Line, discount, shipping, subtotal, total


def test_nothing_costs_nothing():
    assert subtotal([]) == 0


def test_several_of_one_thing():
    assert subtotal([Line("sencha", 450, count=3), Line("cup", 900)]) == 2250


@pytest.mark.parametrize(("cents", "percent", "expected"), [(999, 0, 0), (999, 10, 99), (999, 100, 999)])
def test_discount(cents, percent, expected):
    assert discount(cents, percent) == expected


@pytest.mark.parametrize(("cents", "expected"), [(0, 490), (4999, 490), (5000, 0), (5001, 0)])
def test_shipping(cents, expected):
    assert shipping(cents) == expected


def test_shipping_of_another_shop():
    assert shipping(2000, free_from=2000, fee=100) == 0
    assert shipping(1999, free_from=2000, fee=100) == 100


def test_total():
    assert total([Line("gyokuro", 3000)], percent=10) == 2700 + 490
    assert total([Line("gyokuro", 3000, count=2)], percent=10) == 5400
