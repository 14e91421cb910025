"""Model servers that follow a script: real HTTP on loopback, the providers' own wire formats.

async with openai_server([fault(429, retry_after=1), call("read_file", path="a.py")]) as server:
    … server.base_url …
assert server.unused == 0
"""

from scripted_models.anthropic import AnthropicServer, anthropic_server
from scripted_models.openai import OpenAIServer, openai_server
from scripted_models.script import (
    Answer,
    Fault,
    Raw,
    Silence,
    Wanted,
    call,
    call_written,
    fault,
    in_stream,
    say,
)
from scripted_models.server import Request, ScriptedServer

__all__ = [
    "Answer",
    "AnthropicServer",
    "Fault",
    "OpenAIServer",
    "Raw",
    "Request",
    "ScriptedServer",
    "Silence",
    "Wanted",
    "anthropic_server",
    "call",
    "call_written",
    "fault",
    "in_stream",
    "openai_server",
    "say",
]
