import pytest

from teashop.orders import Order, best_customer, latest, spent_by
from teashop.prices import Line
from teashop.stock import SoldOut, Stock


@pytest.fixture
def orders():
    return [
        Order("Ada", [Line("sencha", 450, count=2)]),
        Order("Grace", [Line("gyokuro", 3000)]),
        Order("Ada", [Line("cup", 900), Line("pot", 2500)]),
    ]


def test_cost(orders):
    assert orders[0].cost() == 900 + 490


def test_cost_with_discount(orders):
    assert orders[2].cost(percent=50) == 1700 + 490


def test_reserve(orders):
    stock = Stock({"sencha": 3})
    orders[0].reserve(stock)
    assert stock.available("sencha") == 1


def test_reserve_too_many(orders):
    with pytest.raises(SoldOut):
        orders[0].reserve(Stock({"sencha": 1}))


@pytest.mark.parametrize(("count", "expected"), [(0, []), (1, [3400]), (2, [3400, 3000]), (9, [3400, 3000, 900])])
def test_latest(orders, count, expected):
    assert [sum(line.cents * line.count for line in order.lines) for order in latest(orders, count)] == expected


def test_spent_by(orders):
    assert spent_by("Ada", orders) == 1390 + 3890
    assert spent_by("nobody", orders) == 0


def test_best_customer(orders):
    assert best_customer(orders) == "Ada"


def test_best_customer_of_equal_ones(orders):
    assert best_customer([Order("Lin", orders[0].lines), orders[0]]) == "Lin"
