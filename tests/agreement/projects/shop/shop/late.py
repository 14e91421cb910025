"""Imported only while a test runs."""


def label(name, n):
    if n == 1:
        return name
    return f"{n} {name}s"


def initials(names):
    return "".join(name[0].upper() for name in sorted(names) if name)
