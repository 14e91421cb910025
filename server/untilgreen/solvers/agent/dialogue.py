"""One conversation with a model: asking, understanding what it says, and answering."""

from __future__ import annotations

import time
from dataclasses import dataclass

from untilgreen.errors import ModelError, NoTools, TooLong
from untilgreen.model import Attempt, Reflection
from untilgreen.models import Limits, Message, Model, Reply, Tool
from untilgreen.solvers.agent.after import after_attempt
from untilgreen.solvers.agent.conversation import Conversation
from untilgreen.solvers.agent.hands import Hands
from untilgreen.solvers.agent.opening import Opening, rules
from untilgreen.solvers.agent.purse import Purse
from untilgreen.solvers.agent.requests import Asked, EditFile, WriteFile
from untilgreen.solvers.agent.text_form import prose, requests_in
from untilgreen.solvers.agent.tools import tools, understood
from untilgreen.solvers.solver import Workbench
from untilgreen_sandbox.report import Report
from untilgreen_sandbox.text import clean

MOST_MISTAKES = 16
"""In all; and in a row:"""
MOST_IN_A_ROW = 8
MOST_REFUSALS = 3
MOST_REPLIES = 40
"""From one attempt to the next."""
MOST_SILENT = 3
REPLY_TOKENS = 8_000
CONTEXT_TOKENS = 64_000
"""What is sent at most to a model whose limit nobody knows."""
ROOM = 60_000
"""Characters of the first message, where there is room."""
LEAST_SECONDS = 3.0
BETWEEN_WORDS = 0.3


@dataclass(frozen=True, slots=True)
class Propose:
    """The edits so far should be tested."""

    hypothesis: str


@dataclass(frozen=True, slots=True)
class End:
    """The model has nothing left to say, or nobody listens any more."""

    reason: str
    """A clause for people; empty when whoever keeps the budget knows better."""


class Dialogue:
    """Remembers what was said; `step` is one reply of the model."""

    def __init__(
        self, model: Model, bench: Workbench, hands: Hands, opening: Opening, purse: Purse, until: float
    ) -> None:
        self._model = model
        self._bench = bench
        self._hands = hands
        self._purse = purse
        self._until = until
        known = model.context or CONTEXT_TOKENS
        self._reply_tokens = min(REPLY_TOKENS, known // 4)
        self._most = known - self._reply_tokens
        redacted = hands.drafts.redaction.redacted
        self._conversation = Conversation(
            rules(model.tools), lambda room: redacted(opening(room)), min(ROOM, self._most * 3 // 2)
        )
        self._mistakes = self._in_a_row = self._refusals = self._silent = self._replies = 0
        self._planned = False
        self._idea = ""
        self._waiting: list[tuple[str, str]] = []

    def first(self) -> tuple[tuple[Message, ...], tuple[Tool, ...]]:
        """What is sent first, exactly."""
        self._conversation.fit(self._count, self._most)
        return self._conversation.messages, self._tools()

    def forecast(self) -> str:
        return self._purse.forecast(*self.first(), self._limits())

    async def step(self) -> Propose | End | None:
        """Ask once and do what is asked for; None means that there is more to say."""
        if self._until - time.monotonic() < LEAST_SECONDS:
            return End("the model's time was over")
        if self._replies >= MOST_REPLIES:
            return End(f"the model did not come to an end in {MOST_REPLIES} replies")
        self._replies += 1
        reply = await self._ask()
        if reply is None:
            return End("")
        asked = tuple(Asked(understood(call.name, call.arguments), call.id) for call in reply.calls)
        if not asked:
            asked = requests_in(reply.text)
            self._learn_about_tools(bool(asked), reply)
        if reply.text.strip() or reply.calls:
            self._conversation.said(reply.text, reply.calls)
        self._note(reply, bool(asked))
        if reply.stopped in ("filtered", "refused") and not asked:
            return self._refused(reply)
        if not asked:
            return self._nothing_asked(reply)
        return await self._do(asked, reply)

    def tested(self, attempt: Attempt, reflection: Reflection | None, report: Report | None) -> None:
        """The edits were tested and are not green: say why, and what is wanted now."""
        self._replies = 0
        text = self._hands.drafts.redaction.printed(after_attempt(attempt, reflection, report))
        for n, (call, answer) in enumerate(self._waiting):
            last = n == len(self._waiting) - 1
            self._conversation.answer(call, f"{answer}\n\n{text}" if last else answer)
        if not self._waiting:
            self._conversation.tell(text)
        self._waiting = []

    async def _ask(self) -> Reply | None:
        while True:
            offered = self._tools()
            if not self._conversation.fit(self._count, self._most):
                raise TooLong("Not even the failing test fits into what the model can read at once.")
            messages, limits = self._conversation.messages, self._limits()
            if not self._purse.afford(messages, offered, limits):
                return None
            try:
                reply = await self._model.reply(messages, offered, limits, self._hearing())
            except NoTools:
                self._purse.release()
                if not offered:
                    raise
                self._model.ignores_tools()
                self._without_tools()
            except TooLong:
                self._purse.release()
                before = self._count(messages)
                self._most = int(before * 0.7)
                if not self._conversation.fit(self._count, self._most):
                    raise
            except ModelError:
                self._purse.release()
                raise
            else:
                self._purse.paid(messages, offered, reply)
                return reply

    async def _do(self, asked: tuple[Asked, ...], reply: Reply) -> Propose | End | None:
        done = await self._hands.do(asked)
        self._mistakes += done.mistakes
        self._in_a_row = self._in_a_row + 1 if done.mistakes else 0
        answers = [(answer.call, answer.text) for answer in done.answers]
        if reply.stopped == "length" and done.mistakes:
            call, text = answers[-1]
            answers[-1] = (
                call,
                f"{text}\nYour reply was cut off because it was too long: take smaller steps.",
            )
        # Edits as text are a whole turn, unless it looks at something, too.
        ends = not reply.calls and not done.mistakes and all(_is_edit(one) for one in asked)
        if self._hands.untested and (done.green or ends):
            self._waiting = answers
            return Propose(self._idea)
        for call, text in answers:
            self._conversation.answer(call, text)
        if done.gave_up is not None:
            return End(f"the model gave up: {_sentence(done.gave_up)}")
        return self._too_many()

    def _nothing_asked(self, reply: Reply) -> Propose | End | None:
        """Words only: a plan, the end of a turn, or a misunderstanding."""
        if self._hands.untested:
            return Propose(self._idea)
        if not self._planned and prose(reply.text) and reply.stopped == "finished":
            self._planned = True
            self._conversation.tell("Good. Go on: make the edits.")
            return None
        self._mistakes += 1
        self._in_a_row += 1
        cut = "Your reply was cut off because it was too long. " if reply.stopped == "length" else ""
        empty = "" if reply.text.strip() else "Your reply was empty. "
        how = "Call a tool" if self._tools() else "Write a block with the path, SEARCH and REPLACE"
        self._conversation.tell(f"{cut}{empty}Nothing was changed by this reply. {how}, or give up.")
        return self._too_many()

    def _refused(self, reply: Reply) -> End | None:
        self._refusals += 1
        by = "a filter stopped the model's reply" if reply.stopped == "filtered" else "the model refused"
        if self._refusals >= MOST_REFUSALS:
            return End(f"{by}{f': {_sentence(reply.reason)}' if reply.reason else ''}")
        self._conversation.tell(
            "Your reply was stopped. This is only about mending the user's own program. Go on."
        )
        return None

    def _too_many(self) -> End | None:
        if self._in_a_row >= MOST_IN_A_ROW or self._mistakes >= MOST_MISTAKES:
            return End("the model did not say what to change in a way that could be used")
        return None

    def _note(self, reply: Reply, asks: bool) -> None:
        """The plan is shown once; a later sentence says what the next edit is for."""
        said = clean(prose(reply.text)).strip()
        self._planned = self._planned or asks
        if not said:
            return
        if not self._idea:
            self._bench.tell("\n".join(line[:200] for line in said.split("\n")[:5]))
        # "Done." at the end of a turn says nothing about what was done.
        if asks or not self._idea or not self._hands.untested:
            self._idea = _sentence(said)

    def _learn_about_tools(self, as_text: bool, reply: Reply) -> None:
        """Who is offered tools and writes calls as text, or never calls any, does not have them."""
        if self._model.tools is not None or not self._tools() or not reply.text.strip():
            return
        self._silent += 1
        if as_text or self._silent >= MOST_SILENT:
            self._model.ignores_tools()
            self._without_tools()

    def _without_tools(self) -> None:
        self._conversation.without_tools()
        self._conversation.change_rules(rules(False))

    def _tools(self) -> tuple[Tool, ...]:
        return tools() if self._model.tools is not False else ()

    def _count(self, messages: object) -> int:
        return self._model.count(messages, self._tools())  # type: ignore[arg-type]

    def _limits(self) -> Limits:
        left = max(LEAST_SECONDS, self._until - time.monotonic())
        return Limits(self._reply_tokens, min(Limits().seconds, left))

    def _hearing(self) -> _Hearing:
        return _Hearing(self._model.name, self._purse.words(), self._bench)


class _Hearing:
    """Tells whoever waits how far the reply has come, a few times a second at most."""

    def __init__(self, name: str, spent: str, bench: Workbench) -> None:
        self._name, self._spent, self._bench = name, spent, bench
        self._heard, self._told = 0, time.monotonic()
        bench.say(f"asking {name} · {spent} so far")

    def __call__(self, text: str) -> None:
        self._heard = self._heard + len(text) if text else 0
        if time.monotonic() - self._told >= BETWEEN_WORDS:
            self._told = time.monotonic()
            self._bench.say(f"{self._name} writes, {self._heard:,} characters · {self._spent} so far")


def _is_edit(asked: Asked) -> bool:
    return isinstance(asked.request, EditFile | WriteFile)


def _sentence(text: str) -> str:
    """The first line of what a model said, for people."""
    line = next((line for line in clean(text).split("\n") if line.strip()), "")
    return line.strip().lstrip("#*-0123456789. ").rstrip(".:")[:200]
