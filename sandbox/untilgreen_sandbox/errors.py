"""What can go wrong in the sandbox.

SandboxError
├── NoSandbox        no backend can be had; the message names the cause and the way out
├── BoxLost          the engine, the container or the process vanished; never red, never green
└── BadFrame         the other side of a channel said something that is not allowed
"""

from __future__ import annotations


class SandboxError(Exception):
    """Something about the box, not about the code in it."""


class NoSandbox(SandboxError):
    """No sandbox can be had on this machine, as things are."""


class BoxLost(SandboxError):
    """The box is gone; what ran in it has no result."""


class BadFrame(SandboxError):
    """A frame that is too large, too deep or not what was agreed."""
