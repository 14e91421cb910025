"""Money in cents."""

from dataclasses import dataclass

from shop.settings import CURRENCY


@dataclass(frozen=True)
class Price:
    cents: int
    currency: str = CURRENCY

    def __add__(self, other):
        if self.currency != other.currency:
            raise ValueError(f"{self.currency} and {other.currency} cannot be added")
        return Price(self.cents + other.cents, self.currency)

    def times(self, n):
        if n < 0:
            raise ValueError("a negative number of things")
        return Price(self.cents * n, self.currency)

    def shown(self):
        whole, part = divmod(self.cents, 100)
        return f"{whole}.{part:02d} {self.currency}"


def parse(text):
    """`12.34 EUR` as a Price."""
    number, _, currency = text.strip().partition(" ")
    whole, dot, part = number.partition(".")
    if not whole.isdigit() or (dot and len(part) != 2):
        raise ValueError(f"not a price: {text!r}")
    return Price(int(whole) * 100 + int(part or 0), currency or CURRENCY)


def cheapest(prices):
    found = None
    for price in prices:
        if found is None or price.cents < found.cents:
            found = price
    return found
