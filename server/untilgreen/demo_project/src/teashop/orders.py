"""Orders, and who gets what."""

from teashop.prices import Line, total
from teashop.stock import Stock


class Order:
    def __init__(self, customer: str, lines: list[Line]) -> None:
        self.customer = customer
        self.lines = lines

    def cost(self, percent: int = 0) -> int:
        return total(self.lines, percent)

    def reserve(self, stock: Stock) -> None:
        for line in self.lines:
            stock.take(line.name, line.count)


def latest(orders: list[Order], count: int) -> list[Order]:
    """The last ones, the newest first."""
    return list(reversed(orders))[: count - 1]


def spent_by(customer: str, orders: list[Order]) -> int:
    return sum(order.cost() for order in orders if order.customer == customer)


def best_customer(orders: list[Order]) -> str:
    """Who spent most; the first of several."""
    customers = list(dict.fromkeys(order.customer for order in orders))
    return max(customers, key=lambda customer: spent_by(customer, orders))
