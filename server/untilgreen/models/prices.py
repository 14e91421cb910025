"""Dollars and sizes by the tables of `genai-prices`, as they are installed; nothing is fetched."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from untilgreen.models.endpoint import Endpoint
from untilgreen.models.model import Usage

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation


def cost_of(endpoint: Endpoint, usage: Usage) -> float | None:
    """None when nobody knows the price; what runs on this machine costs nothing."""
    if endpoint.is_local:
        return 0.0
    calculation = _calculated(endpoint, usage)
    return None if calculation is None else float(calculation.total_price)


@lru_cache(maxsize=16)
def context_of(endpoint: Endpoint) -> int:
    """How many tokens the model holds; 0 when nobody knows."""
    if endpoint.is_local:
        return 0
    calculation = _calculated(endpoint, Usage())
    return (calculation.model.context_window or 0) if calculation else 0


def _calculated(endpoint: Endpoint, usage: Usage) -> PriceCalculation | None:
    # The tables take half a second to load, so only those who ask for a price wait for them.
    import genai_prices

    told = genai_prices.Usage(
        input_tokens=usage.read,
        output_tokens=usage.written,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.stored,
    )
    try:
        if endpoint.is_own:
            return genai_prices.calc_price(told, endpoint.model, provider_id=endpoint.provider)
        return genai_prices.calc_price(told, endpoint.model, provider_api_url=endpoint.base_url)
    except (LookupError, ValueError):
        return None
