"""What the calls of one solver cost: asked for before, counted after, told while it goes on."""

from __future__ import annotations

from collections.abc import Sequence

from untilgreen.model import Spent
from untilgreen.models import Limits, Message, Model, Reply, Tool, Usage
from untilgreen.solvers.solver import Workbench


class Purse:
    """What was spent since the last proposal stays reserved until the next one tells of it."""

    def __init__(self, model: Model, bench: Workbench) -> None:
        self._model = model
        self._bench = bench
        self._untold = Spent()
        self.total = Spent()

    def afford(self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits) -> bool:
        """Whether one call may be made, as long as its reply may be."""
        worst = self._spent(Usage(self._model.count(messages, tools), limits.tokens))
        return self._bench.afford(worst.tokens, worst.usd)

    def paid(self, messages: Sequence[Message], tools: Sequence[Tool], reply: Reply) -> None:
        """What a call really came to; where the provider does not say, what it is estimated to be."""
        usage = reply.usage
        if not usage.read and not usage.written:
            said = Message("assistant", reply.text, reply.calls)
            usage = Usage(self._model.count(messages, tools), self._model.count((said,)))
        spent = self._spent(usage)
        self._untold += spent
        self.total += spent
        self.release()

    def release(self) -> None:
        """What was reserved for a call and not spent is free again."""
        self._bench.settle(Spent())
        self._bench.afford(self._untold.tokens, self._untold.usd)

    def take(self) -> Spent:
        """For the next proposal, or for the end."""
        untold, self._untold = self._untold, Spent()
        return untold

    def forecast(self, messages: Sequence[Message], tools: Sequence[Tool], limits: Limits) -> str:
        """Before the first call: what it takes at least and at most."""
        read = self._model.count(messages, tools)
        least, most = self._model.cost(Usage(read, 0)), self._model.cost(Usage(read, limits.tokens))
        told = f"{self._model.name} gets about {read:,} tokens and may answer with {limits.tokens:,}"
        if least is None or most is None:
            return f"{told}; its price is not known, so only tokens are counted"
        if not most:
            return f"{told}; it costs nothing"
        return f"{told}: {least:.4f} to {most:.4f} dollars for the first call"

    def words(self) -> str:
        """So far, in a few words."""
        tokens = f"{self.total.tokens:,} tokens"
        return f"{tokens}, ${self.total.usd:.4f}" if self._model.cost(Usage(1, 1)) is not None else tokens

    def _spent(self, usage: Usage) -> Spent:
        usd = self._model.cost(usage)
        return Spent(tokens=usage.read + usage.written, usd=usd if usd is not None else 0.0)
