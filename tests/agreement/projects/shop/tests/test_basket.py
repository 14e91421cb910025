import os
from pathlib import Path

import pytest
from shop.prices import Price


def test_one(basket, thing):
    name, cents = thing
    basket.put(name, Price(cents))
    assert basket.total().cents == cents


def test_many(basket, known):
    for name, cents in known.items():
        basket.put(name, Price(cents), 2)
    assert basket.total() == Price(2378)
    assert basket.to_pay() == Price(2328)


def test_take(basket):
    basket.put("apple", Price(40), 3)
    basket.take("apple")
    assert basket.total() == Price(80)
    basket.take("apple", 2)
    assert basket.lines == {}
    with pytest.raises(KeyError):
        basket.take("apple")


def test_too_many(basket):
    with pytest.raises(OverflowError):
        basket.put("apple", Price(1), 100)


@pytest.mark.parametrize("cents, off", [(4999, 0), (5000, 250), (9999, 499), (10000, 1000)])
def test_value(cents, off):
    from shop.discounts import by_value

    assert by_value(cents) == off


def test_late():
    from shop.late import initials, label

    assert label("apple", 1) == "apple"
    assert label("apple", 3) == "3 apples"
    assert initials({"cheese", "apple"}) == "AC"


def test_rates():
    from shop.rates import changed

    assert changed(Price(100), "USD") == Price(110, "USD")
    assert changed(Price(100), "EUR") == Price(100)
    with pytest.raises(KeyError):
        changed(Price(100), "CHF")


def test_nothing_is_left():
    assert sorted(path.name for path in Path().iterdir()) == [
        "conftest.py",
        "data",
        "pytest.ini",
        "shop",
        "tests",
    ]
    assert os.environ["SHOP"] == "test"
    assert len("abc") == 3
    assert "LEAKED" not in os.environ
