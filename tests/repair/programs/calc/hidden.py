"""Random expressions, well-formed and not."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from calc import evaluate, parse, tokenize

    def expression(depth: int) -> str:
        if depth == 0 or chance.random() < 0.2:
            return chance.choice(["1", "2", "0", "3.5", "1e2", ".5", "x", "y", "pi", "unknown"])
        deed = chance.choice(["binary", "binary", "binary", "sign", "group", "call"])
        if deed == "binary":
            sign = chance.choice(["+", "-", "*", "/", "//", "%", "**", "==", "<", ">", "<=", ">="])
            blank = chance.choice(["", " "])
            return expression(depth - 1) + blank + sign + blank + expression(depth - 1)
        if deed == "sign":
            return chance.choice("+-") + expression(depth - 1)
        if deed == "group":
            return f"({expression(depth - 1)})"
        name = chance.choice(["sqrt", "abs", "min", "max", "round", "if", "none"])
        return f"{name}({', '.join(expression(depth - 1) for _ in range(chance.randint(0, 3)))})"

    for _ in range(400):
        text = expression(3)
        if chance.random() < 0.2:
            text = f"{chance.choice(['x', 'z', 'pi'])} = {text}"
        if chance.random() < 0.2:
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(["", "(", ")", "#", " ", ",", "=", "."]) + text[at + 1 :]
        names = {"x": 2.0, "y": -3.0}
        yield told(tokenize, text)
        yield told(parse, text)
        if "**" not in text:
            yield told(evaluate, text, names)
        yield told(lambda names=names: sorted(names.items()))
    for text in ("2**3**2", "-2**2", "2**-1", "(0-8)**.5", "9.0**999", "2 ** x", "x ** 2 ** 0"):
        yield told(evaluate, text, {"x": 2.0})
    for text in (
        "if(1, 2, 3)",
        "if(0, 2, 3)",
        "if(x, 1, 0-1)",
        "round(2.345, 2)",
        "1 >= 2",
        "2 >= 2",
        "7 // 2",
    ):
        yield told(evaluate, text, {"x": 2.0})
    kept: dict[str, float] = {}
    for text in ("a = 2", "b = a * 3", "a + b", "e = 1", "c"):
        yield told(evaluate, text, kept)
        yield told(lambda: sorted(kept.items()))
