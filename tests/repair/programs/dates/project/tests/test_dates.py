import unittest

import pytest
from dates import Day, age, days_between, duration, is_leap, month_length, nth_weekday, seconds, working_days


@pytest.mark.parametrize(
    ("year", "expected"), [(1900, False), (2000, True), (2023, False), (2024, True), (2100, False)]
)
def test_is_leap(year, expected):
    assert is_leap(year) is expected


def test_month_length():
    assert [month_length(2023, month) for month in range(1, 13)] == [
        *(31, 28, 31, 30, 31, 30),
        *(31, 31, 30, 31, 30, 31),
    ]
    assert month_length(2024, 2) == 29


class TestDay(unittest.TestCase):
    def test_wrong(self):
        for parts in ((2023, 0, 1), (2023, 13, 1), (2023, 2, 29), (2023, 4, 31), (2023, 1, 0)):
            with self.subTest(parts=parts), self.assertRaises(ValueError):
                Day(*parts)

    def test_parse(self):
        self.assertEqual(Day.parse("2024-02-29"), Day(2024, 2, 29))
        self.assertEqual(Day.parse(" 2024-2-9 "), Day(2024, 2, 9))
        for text in ("24-02-01", "2024-02", "2024-02-01x", ""):
            with self.subTest(text=text), self.assertRaises(ValueError):
                Day.parse(text)

    def test_text(self):
        self.assertEqual(str(Day(33, 4, 5)), "0033-04-05")

    def test_number(self):
        self.assertEqual(Day(1, 1, 1).number, 0)
        self.assertEqual(Day(1, 2, 1).number, 31)
        self.assertEqual(Day(1970, 1, 1).number, 719162)
        self.assertEqual(Day(2000, 12, 31).number, 730484)

    def test_from_number(self):
        for number in (0, 58, 59, 364, 365, 1460, 1461, 146096, 146097, 719162, 738000):
            self.assertEqual(Day.from_number(number).number, number)

    def test_weekday(self):
        self.assertEqual(Day(1, 1, 1).weekday, "Monday")
        self.assertEqual(Day(2024, 2, 29).weekday, "Thursday")
        self.assertEqual(Day(2023, 1, 1).weekday, "Sunday")

    def test_day_of_year(self):
        self.assertEqual(Day(2023, 1, 1).day_of_year, 1)
        self.assertEqual(Day(2024, 12, 31).day_of_year, 366)

    def test_order(self):
        self.assertLess(Day(2023, 12, 31), Day(2024, 1, 1))
        self.assertLess(Day(2023, 2, 28), Day(2023, 3, 1))
        self.assertGreaterEqual(Day(2023, 3, 2), Day(2023, 3, 2))
        self.assertEqual(max(Day(2023, 3, 2), Day(2023, 3, 11)), Day(2023, 3, 11))


class TestArithmetic:
    def test_plus_days(self):
        assert Day(2024, 2, 28).plus_days(2) == Day(2024, 3, 1)
        assert Day(2024, 1, 1).plus_days(-1) == Day(2023, 12, 31)

    @pytest.mark.parametrize(
        ("day", "n", "expected"),
        [
            ("2023-01-15", 1, "2023-02-15"),
            ("2023-01-31", 1, "2023-02-28"),
            ("2023-11-30", 3, "2024-02-29"),
            ("2023-12-01", 1, "2024-01-01"),
            ("2023-01-31", -2, "2022-11-30"),
            ("2023-05-05", 12, "2024-05-05"),
            ("2023-05-05", 0, "2023-05-05"),
        ],
    )
    def test_plus_months(self, day, n, expected):
        assert str(Day.parse(day).plus_months(n)) == expected

    def test_difference(self):
        assert Day(2024, 3, 1) - Day(2024, 2, 1) == 29
        assert Day(2024, 2, 1) - Day(2024, 3, 1) == -29


def test_days_between():
    first, last = Day(2023, 12, 30), Day(2024, 1, 2)
    assert [day.day for day in days_between(first, last)] == [30, 31, 1, 2]
    assert [day.day for day in days_between(first, last, step=3)] == [30, 2]
    assert list(days_between(last, first)) == []
    with pytest.raises(ValueError):
        list(days_between(first, last, step=0))


def test_working_days():
    week = Day(2024, 4, 1), Day(2024, 4, 7)
    assert working_days(*week) == 5
    assert working_days(*week, frozenset({Day(2024, 4, 1), Day(2024, 4, 6)})) == 4


@pytest.mark.parametrize(
    ("today", "expected"), [("2023-06-14", 22), ("2023-06-15", 23), ("2023-06-16", 23), ("2023-12-01", 23)]
)
def test_age(today, expected):
    assert age(Day(2000, 6, 15), Day.parse(today)) == expected


@pytest.mark.parametrize(
    ("name", "n", "expected"), [("Monday", 1, 1), ("Tuesday", 3, 16), ("Sunday", -1, 28), ("Monday", 5, 29)]
)
def test_nth_weekday(name, n, expected):
    assert nth_weekday(2024, 4, name, n) == Day(2024, 4, expected)


@pytest.mark.parametrize(("name", "n"), [("Monday", 0), ("Sunday", 5), ("Sunday", -5)])
def test_no_such_weekday(name, n):
    with pytest.raises(ValueError):
        nth_weekday(2024, 4, name, n)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("90s", 90), ("1h 30m", 5400), ("-2m", -120), ("1w2d", 777600), ("0s", 0), ("1d 1d", 172800)],
)
def test_seconds(text, expected):
    assert seconds(text) == expected


@pytest.mark.parametrize("text", ["", "5", "h", "1x", "1h-2m", "-"])
def test_not_a_time(text):
    with pytest.raises(ValueError):
        seconds(text)


@pytest.mark.parametrize(
    ("total", "expected"),
    [(0, "0s"), (61, "1m 1s"), (3600, "1h"), (-90, "-1m 30s"), (694861, "1w 1d 1h 1m 1s")],
)
def test_duration(total, expected):
    assert duration(total) == expected
