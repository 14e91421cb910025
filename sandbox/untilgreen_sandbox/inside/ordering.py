"""Runs in the test process: files of tests that have to do with what runs change are collected last.

A template waits where the first of them begins, and has collected all others by then. The tests run in the
order in which they would have been collected. Its source comes to that process in its request, so it imports
nothing of ours.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, Tuple


class Ordering:
    """One in a template and its forks."""

    def __init__(self, late: List[str]) -> None:
        self.late = set(late)
        for path in late:
            # A folder waits with the first of its files that does.
            while path != os.path.dirname(path):
                path = os.path.dirname(path)
                self.late.add(path)
        self.places: Dict[Any, Tuple[Any, int]] = {}

    def sort(self, collector: Any, found: List[Any]) -> None:
        """Of what one of pytest's collectors brought: first all that need not wait."""
        for place, node in enumerate(found):
            self.places[node] = (collector, place)
        found.sort(key=lambda node: str(getattr(node, "path", "")) in self.late)

    def restore(self, items: List[Any]) -> None:
        items.sort(key=self.way_to)

    def way_to(self, node: Any) -> List[int]:
        """From the session to this node, each step by its place among its like."""
        way: List[int] = []
        while node in self.places:
            node, place = self.places[node]
            way.append(place)
        return way[::-1]


def late(uses: Dict[str, List[str]], changed: List[str]) -> List[str]:
    """Files that use one of these, or one that does."""
    users: Dict[str, List[str]] = {}
    for path, used in uses.items():
        for other in used:
            users.setdefault(other, []).append(path)
    found = set(changed)
    waiting = list(changed)
    while waiting:
        for path in users.get(waiting.pop(), ()):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return sorted(found)
