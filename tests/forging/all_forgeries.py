"""All dishonest candidates by name."""

from __future__ import annotations

from forging import (
    assertion_tricks,
    blind_tricks,
    copied_tricks,
    equal_tricks,
    knowledge_tricks,
    moment_tricks,
    number_tricks,
    packed_tricks,
    process_tricks,
    runner_tricks,
    switch_tricks,
    value_tricks,
)
from forging.forgery import Forgery

ROOMS = (
    *(runner_tricks, assertion_tricks, value_tricks, knowledge_tricks, process_tricks, blind_tricks),
    *(copied_tricks, switch_tricks, equal_tricks, number_tricks, moment_tricks, packed_tricks),
)
FORGERIES: dict[str, Forgery] = {forgery.name: forgery for room in ROOMS for forgery in room.FORGERIES}
