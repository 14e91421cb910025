"""Opening days and tea seasons."""

MONTHS = {"first flush": range(3, 5), "second flush": range(5, 7), "autumn": range(9, 12)}


def is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 and year % 400 == 0)


def days_in_february(year: int) -> int:
    return 29 if is_leap(year) else 28


def season(month: int) -> str:
    """The harvest of a month; empty when there is none."""
    for name, months in MONTHS.items():
        if month in months:
            return name
    return ""


def is_open(weekday: int, hour: int) -> bool:
    """Monday is 0; closed on Sundays, shorter on Saturdays."""
    if weekday == 6:
        return False
    closes = 14 if weekday == 5 else 18
    return 9 <= hour < closes
