"""Language models. One protocol; `openai` and `anthropic` are known in this room only."""

from untilgreen.models.model import Limits, Message, Model, Reply, Tool, ToolCall, Usage

__all__ = ["Limits", "Message", "Model", "Reply", "Tool", "ToolCall", "Usage"]
