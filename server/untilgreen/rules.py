"""What in a patch needs eyes: the name of each rule, and why a person should look."""

from __future__ import annotations

from typing import Literal

Choice = Literal["block", "show", "off"]
"""Never apply a patch that has it, show it before anything is applied, or do not look for it."""

Rule = Literal[
    "pytest-sniffing",
    "frames",
    "gc",
    "exit",
    "hooks",
    "monkeypatch",
    "constant-comparison",
    "deceptive-type",
    "swallowed-exception",
    "copied-literal",
    "clock",
    "random-seed",
    "silenced-checks",
    "secrets",
    "native-code",
    "eval",
    "unpickle",
    "subprocess",
    "network",
    "file-deletion",
    "file-writing",
    "unread",
    "unproven",
    "not-all-run",
]

REASONS: dict[Rule, str] = {
    "pytest-sniffing": "code that knows whether it is being tested can behave differently when it is",
    "frames": "code that looks at who called it can tell a test from a user",
    "gc": "searching the interpreter's memory can find, and change, what the tests hold",
    "exit": "ending the process can end the tests before they have failed",
    "hooks": "it runs at moments that no caller sees, also while tests are judged",
    "monkeypatch": "it changes another module for everybody, the tests included",
    "constant-comparison": "the answer is always the same, whatever is compared",
    "deceptive-type": "a value that looks like a plain one but compares in its own way can please any test",
    "swallowed-exception": "every error is hidden here, also the one that a test should see",
    "copied-literal": "the tests ask for exactly this, so it may answer them and nothing else",
    "clock": "waiting for a time, or changing the clock, can hide a race instead of mending it",
    "random-seed": "chance is taken away for the whole process, also where the tests rely on it",
    "silenced-checks": "warnings or assertions are switched off instead of heeded",
    "secrets": "it reads what looks like a password or a key from the environment",
    "native-code": "code outside Python can reach everything in the process",
    "eval": "what runs here is put together while it runs, so nobody can read it beforehand",
    "unpickle": "loading such data can run any code that is hidden in it",
    "subprocess": "it starts another program",
    "network": "it talks to other machines",
    "file-deletion": "it deletes files",
    "file-writing": "it writes to a place that its caller did not choose",
    "unread": "it cannot be read as Python here, so nothing in it was looked at",
    "unproven": "that it passes does not show that the fix is right",
    "not-all-run": "only tests that the fix can affect were run again",
}

SAFETY: frozenset[Rule] = frozenset(
    {"eval", "unpickle", "subprocess", "network", "file-deletion", "file-writing", "native-code", "secrets"}
)
"""What can do harm in a user's hands; the other rules are about honesty towards the tests."""

FROM_RUNS: frozenset[Rule] = frozenset({"unproven", "not-all-run"})
"""What verification finds; all others are found by reading the patch."""
