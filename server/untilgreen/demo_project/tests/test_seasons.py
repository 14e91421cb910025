import pytest

from teashop.seasons import days_in_february, is_leap, is_open, season


@pytest.mark.parametrize(
    ("year", "expected"), [(2023, False), (2024, True), (1900, False), (2000, True), (2100, False), (2028, True)]
)
def test_leap_years(year, expected):
    assert is_leap(year) is expected


def test_february():
    assert [days_in_february(year) for year in (2023, 2024)] == [28, 29]


@pytest.mark.parametrize(
    ("month", "expected"),
    [(1, ""), (3, "first flush"), (4, "first flush"), (5, "second flush"), (6, "second flush"), (7, ""), (11, "autumn")],
)
def test_season(month, expected):
    assert season(month) == expected


@pytest.mark.parametrize(
    ("weekday", "hour", "expected"),
    [(0, 8, False), (0, 9, True), (4, 17, True), (4, 18, False), (5, 13, True), (5, 14, False), (6, 12, False)],
)
def test_is_open(weekday, hour, expected):
    assert is_open(weekday, hour) is expected
