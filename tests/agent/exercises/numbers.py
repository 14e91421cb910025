"""An algorithm, money, dates, recursion."""

from __future__ import annotations

from agent.exercises.exercise import Exercise

ROMAN = Exercise(
    name="algorithm",
    path="roman.py",
    instructions="Write whole numbers from 1 to 3999 as Roman numerals. Other numbers are a ValueError.",
    stub="""
    def to_roman(number):
        raise NotImplementedError
    """,
    tests="""
    import pytest

    from roman import to_roman


    @pytest.mark.parametrize(
        ("number", "numeral"), [(1, "I"), (3, "III"), (4, "IV"), (9, "IX"), (40, "XL"), (1994, "MCMXCIV")]
    )
    def test_numerals(number, numeral):
        assert to_roman(number) == numeral


    @pytest.mark.parametrize("number", [0, -1, 4000])
    def test_out_of_range(number):
        with pytest.raises(ValueError):
            to_roman(number)
    """,
    wrong="""
    VALUES = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


    def to_roman(number):
        numeral = ""
        for letter, value in VALUES.items():
            numeral += letter * (number // value)
            number %= value
        return numeral
    """,
    right="""
    PARTS = [
        (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
        (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
    ]


    def to_roman(number):
        if not 0 < number < 4000:
            raise ValueError(f"{number} has no Roman numeral")
        numeral = ""
        for value, letters in PARTS:
            numeral += letters * (number // value)
            number %= value
        return numeral
    """,
)
SHARES = Exercise(
    name="numeric",
    path="billing/shares.py",
    instructions="Share cents by weights; nothing is lost, and the largest rests get a cent more.",
    stub="""
    def share(cents, weights):
        pass
    """,
    tests="""
    from billing.shares import share


    def test_even():
        assert share(100, [1, 1]) == [50, 50]


    def test_rests_go_to_the_largest():
        assert share(100, [1, 1, 1]) == [34, 33, 33]
        assert share(10, [1, 2, 4]) == [1, 3, 6]


    def test_nothing_is_lost():
        for cents in range(50):
            assert sum(share(cents, [3, 5, 7, 11])) == cents
    """,
    wrong="""
    def share(cents, weights):
        total = sum(weights)
        return [round(cents * weight / total) for weight in weights]
    """,
    right="""
    def share(cents, weights):
        total = sum(weights)
        shares = [cents * weight // total for weight in weights]
        rests = [cents * weight % total for weight in weights]
        by_rest = sorted(range(len(weights)), key=lambda n: (-rests[n], n))
        for n in by_rest[: cents - sum(shares)]:
            shares[n] += 1
        return shares
    """,
)
WORKDAYS = Exercise(
    name="dates",
    path="workdays.py",
    instructions="The day so many working days after another; Saturdays, Sundays and holidays do not count.",
    stub="""
    import datetime


    def add_workdays(day: datetime.date, count: int, holidays=()) -> datetime.date:
        ...
    """,
    tests="""
    from datetime import date

    from workdays import add_workdays


    def test_in_the_week():
        assert add_workdays(date(2024, 2, 27), 3) == date(2024, 3, 1)


    def test_over_a_weekend():
        assert add_workdays(date(2024, 3, 1), 1) == date(2024, 3, 4)


    def test_holidays():
        christmas = [date(2024, 12, 25), date(2024, 12, 26)]
        assert add_workdays(date(2024, 12, 24), 2, christmas) == date(2024, 12, 30)


    def test_none():
        assert add_workdays(date(2024, 3, 2), 0) == date(2024, 3, 2)
    """,
    wrong="""
    import datetime


    def add_workdays(day: datetime.date, count: int, holidays=()) -> datetime.date:
        return day + datetime.timedelta(days=count)
    """,
    right="""
    import datetime


    def add_workdays(day: datetime.date, count: int, holidays=()) -> datetime.date:
        while count:
            day += datetime.timedelta(days=1)
            if day.weekday() < 5 and day not in holidays:
                count -= 1
        return day
    """,
)
FLATTEN = Exercise(
    name="recursion",
    path="nested.py",
    instructions="Flatten lists and tuples of any depth; text stays whole, and None is left out.",
    stub="""
    def flatten(values):
        raise NotImplementedError("write me")
    """,
    tests="""
    from nested import flatten


    def test_deep():
        assert flatten([1, [2, [3, [4]]], 5]) == [1, 2, 3, 4, 5]


    def test_text_and_none():
        assert flatten(["ab", None, ["cd", (None, "e")]]) == ["ab", "cd", "e"]


    def test_empty():
        assert flatten([[], [[]]]) == []
    """,
    wrong="""
    def flatten(values):
        found = []
        for value in values:
            if isinstance(value, list):
                found += flatten(value)
            else:
                found.append(value)
        return found
    """,
    right="""
    def flatten(values):
        found = []
        for value in values:
            if isinstance(value, (list, tuple)):
                found += flatten(value)
            elif value is not None:
                found.append(value)
        return found
    """,
)
NUMBERS = (ROMAN, SHARES, WORKDAYS, FLATTEN)
