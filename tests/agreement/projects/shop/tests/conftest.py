import pytest


@pytest.fixture
def basket():
    from shop.basket import Basket

    basket = Basket()
    yield basket
    basket.lines.clear()


@pytest.fixture(autouse=True)
def nothing_stays(monkeypatch):
    monkeypatch.setenv("SHOP", "test")
