"""Arithmetic of accounts."""


def checksum(text):
    """The last digit of an account.

    >>> checksum("1234")
    4
    >>> checksum("")
    0
    """
    total = 0
    for n, digit in enumerate(text):
        total += int(digit) * (n % 3 + 1)
    return total % 7 if total % 7 < 5 else 9


def balance(entries):
    """
    >>> balance([(1, 5), (-1, 2)])
    3
    """
    total = 0
    for sign, amount in entries:
        total += sign * amount
    return total


def largest(entries, n=1):
    return sorted((amount for _, amount in entries), reverse=True)[:n]
