"""Tokens to a tree of tuples: ("+", left, right), ("call", name, args), ("number", 1.0), ("name", "x")."""

from __future__ import annotations

from calc.tokens import Token, tokenize

LEVELS = (("==", "<", ">", "<=", ">="), ("+", "-"), ("*", "/", "//", "%"))


class ParseError(Exception):
    def __init__(self, message: str, token: Token) -> None:
        super().__init__(f"{message} at {token.at}")
        self.token = token


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = list(tokenize(text))
        self._n = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._n]

    def _take(self) -> Token:
        token = self._next
        self._n += 1
        return token

    def _accept(self, *texts: str) -> bool:
        if self._next.kind == "operator" and self._next.text in texts:
            self._n += 1
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            raise ParseError(f"expected {text!r}", self._next)

    def statement(self) -> tuple:
        second = self._tokens[min(self._n + 1, len(self._tokens) - 1)]
        if self._next.kind == "name" and second.text == "=":
            name = self._take().text
            self._take()
            tree = ("assign", name, self._level(0))
        else:
            tree = self._level(0)
        if self._next.kind != "end":
            raise ParseError("unexpected text", self._next)
        return tree

    def _level(self, n: int) -> tuple:
        if n == len(LEVELS):
            return self._unary()
        left = self._level(n + 1)
        while self._next.kind == "operator" and self._next.text in LEVELS[n]:
            operator = self._take().text
            left = (operator, left, self._level(n + 1))
        return left

    def _unary(self) -> tuple:
        if self._accept("-"):
            return ("negate", self._unary())
        if self._accept("+"):
            return self._unary()
        return self._power()

    def _power(self) -> tuple:
        base = self._atom()
        if self._accept("**"):
            return ("**", base, self._unary())
        return base

    def _atom(self) -> tuple:
        token = self._take()
        if token.kind == "number":
            return ("number", float(token.text))
        if token.kind == "name":
            if self._accept("("):
                return ("call", token.text, self._arguments())
            return ("name", token.text)
        if token.text == "(":
            inner = self._level(0)
            self._expect(")")
            return inner
        raise ParseError("expected a value", token)

    def _arguments(self) -> tuple:
        if self._accept(")"):
            return ()
        found = [self._level(0)]
        while self._accept(","):
            found.append(self._level(0))
        self._expect(")")
        return tuple(found)


def parse(text: str) -> tuple:
    return _Parser(text).statement()
