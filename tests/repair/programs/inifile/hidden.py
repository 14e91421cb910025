"""Texts put together by chance, most of them well-formed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from inifile import Settings, records, rows

    lines = ["[a]", "[ b ]", "[defaults]", "x = 1", "Y=0x1f", "z = yes", "w = Off", "v = ${x}/${y}", "; no"]
    lines += ["u = a, b,, c", "  more", "", "t = ${t}", "x=2 = 3", "n = 1_000", "# no", "   s = 1"]
    rare = ["[open", "word", "= 3"]
    for _ in range(400):
        chosen = ["[a]"] if chance.random() < 0.9 else []
        chosen += chance.sample(lines, chance.randint(0, 9))
        if chance.random() < 0.2:
            chosen.insert(chance.randrange(len(chosen) + 1), chance.choice(rare))
        text = "\n".join(chosen)
        yield told(lambda text=text: Settings.parse(text).sections())
        try:
            settings = Settings.parse(text)
        except ValueError as error:
            yield str(getattr(error, "line", None))
            continue
        for section in ("a", "b", "c", "defaults"):
            for key in "xyzwvutnsX":
                yield told(settings.get, section, key)
                yield told(settings.get, section, key, "default")
                yield told(settings.flag, section, key, chance.choice([True, False]))
                yield told(settings.number, section, key, chance.choice([None, 0, 5]))
                yield told(settings.listed, section, key)
    for _ in range(600):
        text = "".join(
            chance.choices(["a", "bc", ",", '"', '""', "\n", "\r\n", ";", " "], k=chance.randint(0, 12))
        )
        yield told(rows, text)
        yield told(rows, text, ";", "'")
        yield told(records, text.replace('"', ""))
        yield told(records, text, ";")
