"""All that was said so far, and how it becomes shorter when it no longer fits. Pure."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from untilgreen.models import Message, ToolCall

LEFT_OUT = "[left out to save room; ask again if you need it]"
SHORT = 400
"""What is no longer than this is not worth leaving out."""
LEAST_ROOM = 4_000
"""Characters of the first message, below which it says too little."""


class Conversation:
    """Begins with the rules and the task; `opening` writes the task with so many characters."""

    def __init__(self, rules: str, opening: Callable[[int], str], room: int) -> None:
        self._opening = opening
        self._room = room
        self._added = ""
        """What was said to the model before it said anything."""
        self._messages = [Message("system", rules), Message("user", opening(room))]

    @property
    def messages(self) -> tuple[Message, ...]:
        return tuple(self._messages)

    def change_rules(self, rules: str) -> None:
        self._messages[0] = Message("system", rules)

    def said(self, text: str, calls: tuple[ToolCall, ...]) -> None:
        self._messages.append(Message("assistant", text, calls))

    def answer(self, call: str, text: str) -> None:
        """To a call; without one it is the user who speaks."""
        if call:
            self._messages.append(Message("tool", text, answers=call))
        else:
            self.tell(text)

    def tell(self, text: str) -> None:
        last = self._messages[-1]
        if len(self._messages) == 2:
            self._added += f"\n\n{text}"
        if last.role == "user":
            # Some providers want the roles to alternate.
            self._messages[-1] = dataclasses.replace(last, text=f"{last.text}\n\n{text}")
        else:
            self._messages.append(Message("user", text))

    def without_tools(self) -> None:
        """The same for an endpoint that knows no calls: what was called and answered becomes text."""
        plain: list[Message] = []
        for message in self._messages:
            role = "user" if message.role == "tool" else message.role
            calls = "\n".join(f"[called {call.name} {call.arguments}]" for call in message.calls)
            text = f"{message.text}\n{calls}".strip() if calls else message.text
            if plain and plain[-1].role == role != "assistant":
                plain[-1] = Message(role, f"{plain[-1].text}\n\n{text}")
            else:
                plain.append(Message(role, text))
        self._messages = plain

    def fit(self, count: Callable[[Sequence[Message]], int], most: int) -> bool:
        """Leave out the oldest results first; then begin with less; then forget the oldest exchanges."""
        while count(self._messages) > most:
            if not (self._forget_result() or self._begin_shorter() or self._forget_exchange()):
                return False
        return True

    def _forget_result(self) -> bool:
        # The last answers are what the model has to go on.
        for n, message in enumerate(self._messages[2:-2], 2):
            if message.role in ("tool", "user") and len(message.text) > SHORT:
                kept = message.text[: SHORT // 2].split("\n")[0] if message.role == "user" else ""
                text = f"{kept}\n{LEFT_OUT}".strip()
                self._messages[n] = dataclasses.replace(message, text=text)
                return True
        return False

    def _begin_shorter(self) -> bool:
        if self._room // 2 < LEAST_ROOM:
            return False
        self._room //= 2
        self._messages[1] = Message("user", self._opening(self._room) + self._added)
        return True

    def _forget_exchange(self) -> bool:
        """An assistant's message together with all answers to it."""
        ends = [n for n, message in enumerate(self._messages) if n > 2 and message.role == "assistant"]
        if not ends:
            return False
        del self._messages[2 : ends[0]]
        return True
