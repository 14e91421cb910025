"""A shopping cart, with two mistakes in it."""

from cart.prices import Line, total

__all__ = ["Line", "total"]
