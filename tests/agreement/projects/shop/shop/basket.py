"""Things somebody wants to buy."""

from shop.discounts import best
from shop.prices import Price
from shop.settings import LARGEST


class Basket:
    def __init__(self):
        self.lines = {}

    def put(self, name, price, n=1):
        have = self.lines.get(name, (price, 0))[1]
        if have + n > LARGEST:
            raise OverflowError(f"too many of {name}")
        self.lines[name] = (price, have + n)

    def take(self, name, n=1):
        price, have = self.lines[name]
        if n > have:
            raise ValueError(f"only {have} of {name}")
        if n == have:
            del self.lines[name]
        else:
            self.lines[name] = (price, have - n)

    def total(self):
        total = Price(0)
        for price, n in self.lines.values():
            total = total + price.times(n)
        return total

    def to_pay(self):
        total = self.total()
        off = best(total.cents, len(self.lines))
        return Price(total.cents - off, total.currency)
