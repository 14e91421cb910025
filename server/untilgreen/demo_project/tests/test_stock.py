import pytest

from teashop.stock import SoldOut, Stock


@pytest.fixture
def stock():
    return Stock({"sencha": 5, "assam": 0, "oolong": 2})


def test_available(stock):
    assert stock.available("sencha") == 5


def test_nothing_of_what_we_never_had(stock):
    assert stock.available("coffee") == 0


def test_take(stock):
    stock.take("sencha", 2)
    assert stock.available("sencha") == 3


def test_take_all(stock):
    stock.take("oolong", 2)
    assert stock.available("oolong") == 0


def test_sold_out(stock):
    with pytest.raises(SoldOut):
        stock.take("oolong", 3)
    assert stock.available("oolong") == 2


def test_what_we_never_had_is_sold_out(stock):
    with pytest.raises(SoldOut):
        stock.take("coffee", 1)


def test_give_back(stock):
    stock.give_back("assam", 4)
    assert stock.available("assam") == 4


def test_give_back_something_new(stock):
    stock.give_back("rooibos", 1)
    assert stock.available("rooibos") == 1


def test_low(stock):
    assert stock.low(2) == ["assam", "oolong"]


def test_the_callers_counts_are_their_own():
    counts = {"sencha": 1}
    Stock(counts).take("sencha", 1)
    assert counts == {"sencha": 1}
