"""Calendar arithmetic without a library: days are counted from 1 January of the year 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import total_ordering

LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
UNITS = {"w": 7 * 86400, "d": 86400, "h": 3600, "m": 60, "s": 1}


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def month_length(year: int, month: int) -> int:
    if month == 2 and is_leap(year):
        return 29
    return LENGTHS[month - 1]


@total_ordering
@dataclass(frozen=True)
class Day:
    year: int
    month: int
    day: int

    def __post_init__(self) -> None:
        if not 1 <= self.month <= 12:
            raise ValueError(f"there is no month {self.month}")
        if not 1 <= self.day <= month_length(self.year, self.month):
            raise ValueError(f"there is no day {self.day}")

    @classmethod
    def parse(cls, text: str) -> Day:
        match = re.fullmatch(r"\s*(\d{4})-(\d{1,2})-(\d{1,2})\s*", text)
        if match is None:
            raise ValueError(f"{text!r} is not a day")
        return cls(int(match[1]), int(match[2]), int(match[3]))

    @classmethod
    def from_number(cls, number: int) -> Day:
        year, left = 1, number
        while left >= (366 if is_leap(year) else 365):
            left -= 366 if is_leap(year) else 365
            year += 1
        month = 1
        while left >= month_length(year, month):
            left -= month_length(year, month)
            month += 1
        return cls(year, month, left + 1)

    @property
    def number(self) -> int:
        before = self.year - 1
        days = before * 365 + before // 4 - before // 100 + before // 400
        for month in range(1, self.month):
            days += month_length(self.year, month)
        return days + self.day - 1

    @property
    def weekday(self) -> str:
        return DAYS[self.number % 7]

    @property
    def day_of_year(self) -> int:
        return self.number - Day(self.year, 1, 1).number + 1

    def plus_days(self, n: int) -> Day:
        return Day.from_number(self.number + n)

    def plus_months(self, n: int) -> Day:
        """The same day of another month, or its last one."""
        months = self.year * 12 + self.month - 1 + n
        year, month = divmod(months, 12)
        return Day(year, month + 1, min(self.day, month_length(year, month + 1)))

    def __sub__(self, other: Day) -> int:
        return self.number - other.number

    def __lt__(self, other: Day) -> bool:
        return (self.year, self.month, self.day) < (other.year, other.month, other.day)

    def __str__(self) -> str:
        return f"{self.year:04}-{self.month:02}-{self.day:02}"


def days_between(first: Day, last: Day, step: int = 1) -> Iterator[Day]:
    """Both ends belong to it."""
    if step < 1:
        raise ValueError("time goes forward")
    day = first
    while day <= last:
        yield day
        day = day.plus_days(step)


def working_days(first: Day, last: Day, holidays: frozenset[Day] = frozenset()) -> int:
    return sum(
        1
        for day in days_between(first, last)
        if day.weekday not in ("Saturday", "Sunday") and day not in holidays
    )


def age(born: Day, today: Day) -> int:
    years = today.year - born.year
    if (today.month, today.day) < (born.month, born.day):
        years -= 1
    return years


def nth_weekday(year: int, month: int, name: str, n: int) -> Day:
    """The n-th Monday of a month and so on; -1 is the last one."""
    found = [
        day
        for day in days_between(Day(year, month, 1), Day(year, month, month_length(year, month)))
        if day.weekday == name
    ]
    if n == 0 or abs(n) > len(found):
        raise ValueError(f"there is no {n}. {name}")
    return found[n - 1] if n > 0 else found[n]


def seconds(text: str) -> int:
    """`1h 30m` and the like; a sign stands before all."""
    match = re.fullmatch(r"(-?)((?:\s*\d+\s*[wdhms])+)\s*", text)
    if match is None:
        raise ValueError(f"{text!r} is not a time")
    total = 0
    for amount, unit in re.findall(r"(\d+)\s*([wdhms])", match[2]):
        total += int(amount) * UNITS[unit]
    return -total if match[1] else total


def duration(total: int) -> str:
    if total == 0:
        return "0s"
    sign = "-" if total < 0 else ""
    left = abs(total)
    parts = []
    for unit, size in UNITS.items():
        amount, left = divmod(left, size)
        if amount:
            parts.append(f"{amount}{unit}")
    return sign + " ".join(parts)
