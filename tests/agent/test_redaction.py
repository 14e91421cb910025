"""Secrets stay here, and ordinary code is left alone."""

from __future__ import annotations

import pytest

from untilgreen.solvers.agent.redaction import Redaction, secrets_of

RANDOM = "q7Zp2LxV9tKc4RmW8sYd"
KEY_LINES = "MIIEpAIBAAKCAQEA0Zx9\nQ1w2e3r4t5y6u7i8o9p0\n"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        (f'client = Client("sk-proj-{RANDOM}{RANDOM}")', f"sk-proj-{RANDOM}{RANDOM}"),
        (f"sk-ant-api03-{RANDOM}-{RANDOM}", RANDOM),
        ("token: ghp_" + "a1B2" * 9, "ghp_" + "a1B2" * 9),
        ("AKIA" + "ABCD1234EFGH5678", "AKIAABCD1234EFGH5678"),
        ("xoxb-123456789012-abcdefGHIJ", "xoxb-123456789012-abcdefGHIJ"),
        ("AIza" + "x1Y" * 11 + "ab", "AIza" + "x1Y" * 11 + "ab"),
        ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4", "SflKxwRJSMeKKF2QT4"),
        (
            f"-----BEGIN RSA PRIVATE KEY-----\n{KEY_LINES}-----END RSA PRIVATE KEY-----",
            "Q1w2e3r4t5y6u7i8o9p0",
        ),
        (f"-----BEGIN PRIVATE KEY-----\n{KEY_LINES}", "Q1w2e3r4t5y6u7i8o9p0"),
        (f'PEM = "-----BEGIN EC PRIVATE KEY-----\\n{RANDOM}\\n-----END EC PRIVATE KEY-----"', RANDOM),
        ("postgres://shop:hunter2x@db.example.com/shop", "hunter2x"),
        (f"Authorization: Bearer {RANDOM}", RANDOM),
        (f'API_KEY = "{RANDOM}"', RANDOM),
        (f"'client_secret': '{RANDOM}'", RANDOM),
        ("DATABASE_PASSWORD=correct-horse", "correct-horse"),
        ("export STRIPE_SECRET=whatever12", "whatever12"),
        (f"api_key: {RANDOM}", RANDOM),
        ("secret = 0123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdef"),
    ],
)
def test_secrets(text: str, secret: str) -> None:
    redaction = Redaction()
    shown = redaction.redacted(f"before\n{text}\nafter\n")
    assert secret not in shown
    assert shown.startswith("before\n") and shown.endswith("\nafter\n")
    assert shown.count("\n") == text.count("\n") + 3, "lines keep their numbers"
    assert redaction.restored(shown) == f"before\n{text}\nafter\n"
    assert redaction.redacted(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        'token = "identifier"',
        "token = self.tokens[self.position]",
        "    api_key=settings.api_key,",
        "TOKEN_TYPE=NAME",
        'def login(user, password="secret"):',
        'assert parse("token: x") == Token("x", kind="word")',
        "secret_number = random.randint(1, 100)",
        'password = getpass.getpass("Password: ")',
        "SECRET_KEY = os.environ['SECRET_KEY']",
        "digest == 'd41d8cd98f00b204e9800998ecf8427e'",
        "https://docs.example.com/a:b@c",
        "commit 514b86b0c0ffee0123456789abcdef0123456789",
        "access_token = access_token_from_previous_call(request)",
        'raise ValueError("unexpected token at position 12345678")',
        "key = lambda item: (item.score, item.name)",
        "skipped = sk_something_else",
    ],
)
def test_ordinary_code(text: str) -> None:
    assert Redaction().redacted(text) == text


def test_what_is_known_to_be_secret_is_found_anywhere() -> None:
    environ = {
        "OPENAI_API_KEY": "plainlookingvalue",
        "HOME": "/home/somebody",
        "SHORT_KEY": "abc",
        "PATH": "/usr/bin",
    }
    assert secrets_of(environ) == ("plainlookingvalue",)
    assert Redaction(secrets_of(environ)).redacted("x=plainlookingvalue;") == "x=[redacted-1];"


def test_where_the_project_lies_is_not_told() -> None:
    redaction = Redaction(root="/home/somebody/shop")
    assert redaction.printed("at /home/somebody/shop/a.py in /home/somebody/shop") == "at a.py in ."
