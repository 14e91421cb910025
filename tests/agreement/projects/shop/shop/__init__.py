"""Prices, baskets and discounts."""

from shop.prices import Price

__all__ = ["Price"]
