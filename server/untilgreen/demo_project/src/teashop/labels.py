"""What is printed on tins and in the catalogue."""


def slug(name: str) -> str:
    """For web addresses: `Earl Grey` becomes `earl-grey`."""
    words = name.split()
    return "-".join(words)


def shorten(text: str, width: int) -> str:
    """Cut at the width, with three dots when something is missing."""
    if len(text) <= width:
        return text
    return text[: width - 3] + "..."


def weight(grams: int) -> str:
    if grams >= 1000:
        return f"{grams / 1000:g} kg"
    return f"{grams} g"


def brewing(seconds: int) -> str:
    minutes, rest = divmod(seconds, 60)
    return f"{minutes}:{rest:02}"
