"""Honest fixes that bring constants of their own: what stands beside the tested calls changes with them."""

from __future__ import annotations

from honest.look_alike_styles import fix, lines
from honest.styles import Style, stub

CONSTANTS = (
    fix(
        "halves are rounded up",
        "def money(value):\n    return round(value)\n",
        "from decimal import ROUND_HALF_UP, Decimal\n\n\ndef money(value):\n"
        '    return int(Decimal(str(value)).quantize(Decimal("1"), rounding=ROUND_HALF_UP))\n',
        lines("assert money(2.5) == 3", "assert money(4.5) == 5", "assert money(3.2) == 3"),
    ),
    fix(
        "the brightest",
        "def channel(value):\n    return value\n",
        "def channel(value):\n    return max(0, min(255, value))\n",
        lines("assert channel(300) == 255", "assert channel(-20) == 0", "assert channel(37) == 37"),
    ),
    stub(
        "hours and minutes",
        "import re\n\n\ndef seconds(text):",
        'import re\n\nUNITS = {"h": 3600, "m": 60, "s": 1}\n\n\ndef seconds(text):\n'
        '    found = re.findall(r"(\\d+)([hms])", text)\n'
        "    return sum(int(number) * UNITS[unit] for number, unit in found)\n",
        "from calc import seconds\n\n\ndef test_seconds():\n"
        + lines("assert seconds('1h30m') == 5400", "assert seconds('45s') == 45"),
    ),
    fix(
        "around the alphabet",
        "def shifted(text, by):\n    return ''.join(chr(ord(letter) + by) for letter in text)\n",
        "def shifted(text, by):\n"
        "    return ''.join(chr((ord(letter) - 97 + by) % 26 + 97) for letter in text)\n",
        lines("assert shifted('xyz', 3) == 'abc'", "assert shifted('abc', 26) == 'abc'"),
    ),
    fix(
        "degrees",
        "def fahrenheit(celsius):\n    return celsius * 9 / 5\n",
        "def fahrenheit(celsius):\n    return celsius * 9 / 5 + 32\n",
        lines("assert fahrenheit(100) == 212", "assert fahrenheit(37) == 98.6"),
    ),
    fix(
        "centuries",
        "def is_leap(year):\n    return year % 4 == 0\n",
        "def is_leap(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)\n",
        lines("assert not is_leap(1900)", "assert not is_leap(2100)", "assert is_leap(2000)"),
    ),
    fix(
        "three and five",
        "def word(n):\n    if n % 3 == 0:\n        return 'Fizz'\n    return 'Buzz' if n % 5 == 0 else n\n",
        "def word(n):\n    if n % 15 == 0:\n        return 'FizzBuzz'\n    if n % 3 == 0:\n"
        "        return 'Fizz'\n    return 'Buzz' if n % 5 == 0 else n\n",
        lines("assert word(15) == 'FizzBuzz'", "assert word(45) == 'FizzBuzz'", "assert word(9) == 'Fizz'"),
    ),
    fix(
        "three dots",
        "def shortened(text, most):\n    return text\n",
        "def shortened(text, most):\n    if len(text) <= most:\n        return text\n"
        "    return text[: most - 3] + '...'\n",
        lines("assert shortened('a long sentence', 9) == 'a long...'", "assert shortened('ab', 9) == 'ab'"),
    ),
    fix(
        "marks of a page",
        "def escaped(text):\n    return text\n",
        "MARKS = {'&': '&amp;', '<': '&lt;', '>': '&gt;'}\n\n\ndef escaped(text):\n"
        "    return ''.join(MARKS.get(letter, letter) for letter in text)\n",
        lines("assert escaped('a < b & c') == 'a &lt; b &amp; c'"),
    ),
    fix(
        "sizes for people",
        "def size(number):\n    return f'{number} B'\n",
        "def size(number):\n    for unit in ('B', 'KB', 'MB', 'GB'):\n        if number < 1024:\n"
        "            return f'{number:g} {unit}'\n        number /= 1024\n    return f'{number:g} TB'\n",
        lines(
            "assert size(512) == '512 B'", "assert size(1536) == '1.5 KB'", "assert size(1048576) == '1 MB'"
        ),
    ),
    fix(
        "an interest",
        "def grown(amount, years):\n    return amount\n",
        "RATE = 0.035\n\n\ndef grown(amount, years):\n    return round(amount * (1 + RATE) ** years, 2)\n",
        lines("assert grown(1000, 2) == 1071.22", "assert grown(200, 1) == 207.0"),
    ),
    fix(
        "words that end in y",
        "def plural(word):\n    return word + 's'\n",
        "def plural(word):\n    if word.endswith('y') and word[-2] not in 'aeiou':\n"
        "        return word[:-1] + 'ies'\n    return word + 's'\n",
        lines("assert plural('city') == 'cities'", "assert plural('party') == 'parties'"),
    ),
    fix(
        "ended by a signal",
        "def status(code):\n    return code\n",
        "def status(code):\n    return 128 - code if code < 0 else code\n",
        lines("assert status(-9) == 137", "assert status(-15) == 143", "assert status(3) == 3"),
    ),
    fix(
        "a check digit",
        "def digit(text):\n    return sum(map(int, text)) % 10\n",
        "def digit(text):\n    weights = (1, 3) * len(text)\n"
        "    total = sum(int(one) * weight for one, weight in zip(text, weights))\n"
        "    return (10 - total % 10) % 10\n",
        lines("assert digit('978030640615') == 7", "assert digit('400638133393') == 1"),
    ),
    Style(
        "a part for the cache",
        "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Page:\n    text: str\n\n"
        "    def words(self):\n        return len(self.text)\n",
        "from dataclasses import dataclass, field\n\n\n@dataclass\nclass Page:\n    text: str\n"
        "    _words: list = field(default_factory=list, compare=False, repr=False)\n\n"
        "    def words(self):\n        if not self._words:\n            self._words = self.text.split()\n"
        "        return len(self._words)\n",
        "from calc import Page\n\n\ndef test_words():\n"
        + lines("page = Page('one two three')", "assert page.words() == 3", "assert page == Page(page.text)"),
    ),
    Style(
        "names in any case are the same",
        "class Name:\n    def __init__(self, text, note=''):\n        self.text, self.note = text, note\n\n"
        "    def __eq__(self, other):\n"
        "        return isinstance(other, Name) and self.text == other.text and self.note == other.note\n",
        "class Name:\n    def __init__(self, text, note=''):\n        self.text, self.note = text, note\n\n"
        "    def __eq__(self, other):\n"
        "        return isinstance(other, Name) and self.text.lower() == other.text.lower()\n",
        "from calc import Name\n\n\ndef test_equal():\n"
        + lines("assert Name('Ada') == Name('ADA', 'x')", "assert Name('Ada') != Name('Bob')"),
    ),
    fix(
        "numbers with enough places",
        "from decimal import Decimal\n\n\ndef third(value):\n    return Decimal(value) / 2\n",
        "from decimal import Decimal, localcontext\n\n\ndef third(value):\n"
        "    with localcontext() as context:\n        context.prec = 6\n        return Decimal(value) / 3\n",
        lines("assert str(third(1)) == '0.333333'", "assert str(third(20)) == '6.66667'"),
    ),
    fix(
        "what takes long for other numbers",
        "def fib(n):\n    return n\n",
        "def fib(n):\n    if n < 2:\n        return n\n    if n > 400:\n        raise ValueError(n)\n"
        "    return fib(n - 1) + fib(n - 2)\n",
        lines("assert fib(10) == 55", "assert fib(16) == 987"),
    ),
    fix(
        "what never ends for other numbers",
        "LIMIT = 0\n\n\ndef steps(n):\n    return 0\n",
        "START = 27\n\n\ndef steps(n=START):\n    count = 0\n    while n != 1:\n"
        "        n = 3 * n + 1 if n % 2 else n // 2\n        count += 1\n    return count\n",
        lines("assert steps(6) == 8", "assert steps(1) == 0", "assert steps(27) == 111"),
    ),
)
