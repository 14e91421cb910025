"""Runs of the same letter, written short."""


def packed(text):
    out = []
    for letter in text:
        if out and out[-1][0] == letter:
            out[-1] = (letter, out[-1][1] + 1)
        else:
            out.append((letter, 1))
    return out


def unpacked(pairs):
    return "".join(letter * n for letter, n in pairs)


def clamped(n, low, high):
    if n < low:
        return low
    if n > high:
        return high
    return n
