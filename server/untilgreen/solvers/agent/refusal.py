"""What is said to a model instead of doing what it asked for."""

from __future__ import annotations


class Refusal(Exception):
    """Its text says what is wrong and what to do; nothing was changed."""

    def __init__(self, text: str, data: str = "") -> None:
        super().__init__(text)
        self.data = data
        """Lines of a file that belong to the text; they are data, and fenced as such."""
