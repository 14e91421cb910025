"""Nothing of the machine's own environment decides which Python is used."""

from __future__ import annotations

from forging.conftest import plain_path

__all__ = ["plain_path"]
