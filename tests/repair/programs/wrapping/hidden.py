"""What the original does with text of all sorts."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from wrapping import justify, numbered, paragraphs, table, words_of, wrap

    for _ in range(150):
        words = [
            "".join(chance.choices("abcde", k=chance.randint(1, 9))) for _ in range(chance.randint(0, 9))
        ]
        text = "".join(word + chance.choice([" ", "  ", "\n", "\t", "\n\n", "\n \n\n"]) for word in words)
        indent = " " * chance.randint(0, 3)
        hanging = chance.choice([None, "", " ", "    "])
        yield told(words_of, text)
        # A hanging indent that is too wide for the width never ends; the original does not say what then.
        yield told(wrap, text, chance.randint(5, 15), indent, hanging)
        yield told(wrap, text, chance.randint(0, 4), "  " * chance.randint(2, 3))
        yield told(paragraphs, text)
        if words:
            yield told(justify, words, sum(map(len, words)) + len(words) + chance.randint(-1, 9))
        cells = [
            [
                chance.choice(["", "x", "12", "-3", "4.5", "1.2.3", "word"])
                for _ in range(chance.randint(0, 4))
            ]
            for _ in range(chance.randint(0, 4))
        ]
        yield told(table, cells, chance.randint(0, 3))
        yield told(numbered, words, chance.choice([0, 1, 5, 95]))
