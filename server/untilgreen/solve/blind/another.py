"""A value that is near another one, and not equal to it.

The same text works on the host, for what is written down in a test, and at the beginning of a rewritten test
module, for what only a run knows: so it needs nothing but what is built in, in any Python of a project.
"""

from __future__ import annotations

from typing import Any

EXACT, ALMOST, FAR, OUTSIDE = range(4)
"""What is asked of it: to be unequal · so far away that rounding does not matter · farther than any tolerance
that people write · not to be in a container that the other one is in. `n` says it together with chance."""
WAYS = 4 * 10_000


def another(value: Any, n: int, strange: Any, within: Any = ()) -> Any:
    """`n` chooses one of many; `strange` makes an object that is equal to none but itself."""
    kind, how, n = type(value), n % 4, n // 4
    step = (1, 1, 1, 2, 2, 2, 3, 3, 7, 10, 10, 100, 100, 4099)[n % 14] * (1 - 2 * (n // 14 % 2))
    if how == 3:
        if kind in (int, float):
            for one in (step * 10**9 + value, -step * 10**9 + value, step * 10**15, -step * 10**15):
                if one != value and not hasattr(within, "__next__") and one not in within:
                    return one
            # Beside a very large one a step is nothing.
            return step * 10**9 + value if step * 10**9 + value != value else strange()
        if kind is str and value:
            return value[: n % len(value)] + "ʬɮʭɧ"[n % 4] + value[n % len(value) + 1 :]
        if kind in (list, tuple) and value:
            return kind([*value[: n % len(value)], strange(), *value[n % len(value) + 1 :]])
        return value + b"\xf1\xf2" if kind is bytes else strange()
    if kind is bool:
        return not value
    if kind in (int, float, complex) or kind.__module__ in ("decimal", "fractions"):
        try:
            if value - value != 0:
                return strange()
            if how and kind is not complex:
                step = step + (1 if step > 0 else -1) * int(abs(value) / 64)
                step = step if how == 1 else (1 if value < 0 else -1) * (int(abs(value)) + abs(step)) * 10**12
            made = value + step if value + step != value else value * 2 + 1
            return made if made != value else strange()
        except ArithmeticError:
            return strange()
    if kind in (str, bytes):
        filler = "x" if kind is str else b"x"
        if not value or n % 3 == 1:
            return value + filler * (1 + n % 2)
        at = n // 3 % len(value)
        if n % 3 == 2 and value[-1:].isalpha() and len(value) > 2:
            return value[:-1]
        old = value[at : at + 1]
        for alphabet in ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"):
            letters = alphabet if kind is str else alphabet.encode()
            if old in letters:
                shift = 1 + n % (len(letters) - 1)
                place = (letters.index(old) + shift) % len(letters)
                return value[:at] + letters[place : place + 1] + value[at + 1 :]
        return value[:at] + filler + value[at + 1 :]
    if kind in (list, tuple):
        items = list(value)
        if not items:
            return kind([(0, "x", None)[n % 3]])
        at = n // 3 % len(items)
        other = another(items[at], n // 3 * 4 + how, strange)
        if n % 3 == 1 and len(items) > 1:
            del items[at]
        elif n % 3 == 2:
            items.append(other)
        else:
            items[at] = other
        return kind(items)
    if kind in (set, frozenset):
        items = sorted(value, key=repr)
        if items and n % 2:
            return kind(items[1:])
        other = another(items[n % len(items)], n * 4 + how, strange) if items else 0
        return kind([*items, strange() if other in value else other])
    if kind is dict:
        keys = list(value)
        if not keys:
            return {(0, "x", None)[n % 3]: 0}
        key = keys[n // 3 % len(keys)]
        if n % 3 == 1 and len(keys) > 1:
            return {one: value[one] for one in keys if one is not key}
        if n % 3 == 2:
            name = another(key, n // 3 * 4, strange)
            return {**value, (strange() if name in value else name): value[key]}
        return {**value, key: another(value[key], n // 3 * 4 + how, strange)}
    if kind.__name__.startswith("Approx") and hasattr(value, "expected"):
        try:
            options = {name: getattr(value, name) for name in ("rel", "abs", "nan_ok")}
            old = value.expected
            if type(old) in (list, tuple, dict) and old:
                at = list(old)[n % len(old)] if type(old) is dict else n % len(old)
                inner = another(value._approx_scalar(old[at]), n * 4, strange).expected
                changed = dict(old) if type(old) is dict else list(old)
                changed[at] = inner
                return kind(type(old)(changed), **options)
            for m in (n * 4, n * 4 + 1, n * 4 + 2, n * 4 + 30):
                made = kind(another(old, m, strange), **options)
                if abs(made.expected - old) > made.tolerance + value.tolerance:
                    return made
        except Exception:
            return strange()
    return strange()
