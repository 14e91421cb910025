"""Prices are whole cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    cents: int
    count: int = 1


def subtotal(lines: list[Line]) -> int:
    """What the goods cost, without discount and shipping."""
    return sum(line.cents * line.count for line in lines)


def discount(cents: int, percent: int) -> int:
    """Rounded down to whole cents, in the shop's favour."""
    return cents * percent // 100


def shipping(cents: int, free_from: int = 5000, fee: int = 490) -> int:
    """Orders of `free_from` and above are sent for free."""
    if cents > free_from:
        return 0
    return fee


def total(lines: list[Line], percent: int = 0) -> int:
    goods = subtotal(lines)
    reduced = goods - discount(goods, percent)
    return reduced + shipping(goods)
