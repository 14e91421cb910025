"""Random days and times."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from dates import (
        Day,
        age,
        days_between,
        duration,
        is_leap,
        month_length,
        nth_weekday,
        seconds,
        working_days,
    )

    for year in (1, 4, 100, 400, 1900, 1999, 2000, 2024, 2100):
        yield told(is_leap, year)
        yield told(lambda year=year: [month_length(year, month) for month in range(1, 13)])
    yield told(lambda: [str(Day(2023, 1, 31).plus_months(n)) for n in range(-14, 15)])
    yield told(lambda: [str(Day.from_number(number)) for number in range(0, 150000, 997)])
    for _ in range(60):
        parts = chance.choice([1, 1899, 2000, 2023, 2024]), chance.randint(0, 13), chance.randint(0, 32)
        yield told(Day, *parts)
        day = Day.from_number(chance.choice([0, 600_000]) + chance.randint(0, 9999))
        other = day.plus_days(chance.randint(-800, 800)) if day.number > 900 else day
        yield told(lambda day=day: [str(day), day.number, day.weekday, day.day_of_year])
        yield told(lambda day=day, other=other: [day - other, day < other, day <= other, day >= other])
        yield told(lambda day=day: str(day.plus_months(chance.randint(-11, 40))))
        yield told(
            Day.parse, chance.choice([str(day), f" {day!s}", str(day)[2:], str(day) + "1", f"{parts}"])
        )
        near = day.plus_days(chance.randint(0, 40))
        yield told(days_between, day, near, chance.randint(-1, 4))
        yield told(working_days, day, near, frozenset({day, near, day.plus_days(1)}))
        yield told(age, day, other)
        name = chance.choice(["Monday", "Thursday", "Sunday", "Noday"])
        yield told(nth_weekday, 2024, chance.randint(1, 12), name, chance.randint(-6, 6))
        yield told(duration, chance.choice([-1, 1]) * chance.randint(0, 10 ** chance.randint(0, 7)))
        text = chance.choice(["", "-", " "]) + chance.choice(["", " "]).join(
            f"{chance.randint(0, 99)}{chance.choice('wdhmsx' if chance.random() < 0.1 else 'wdhms')}"
            for _ in range(chance.randint(0, 4))
        )
        yield told(seconds, text)
