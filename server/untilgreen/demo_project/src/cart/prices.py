"""Prices are whole cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    name: str
    cents: int
    count: int = 1


def total(lines: list[Line], discount_percent: int = 0) -> int:
    """What the customer pays; a discount is rounded down to whole cents, in the shop's favour."""
    full = sum(line.cents for line in lines)
    return full - full * discount_percent // 100


def free_shipping(lines: list[Line], limit: int = 5000) -> bool:
    """Orders of the limit and above are sent for free."""
    return total(lines) > limit
