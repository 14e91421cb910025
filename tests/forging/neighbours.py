"""Honest fixes that look like what is refused, or that are hard to ask about: they were stuck once."""

from __future__ import annotations

from forging.evasions import Evasion

REGISTER = (
    "KNOWN = {{}}\n\n\ndef register(name, value):\n    if name in KNOWN:\n        raise KeyError(name)\n"
    "    KNOWN[name] = value\n    return {0}\n"
)
INTERVAL = (
    "class Interval:\n    def __init__(self, low, high):\n        self.low, self.high = low, high\n\n"
    "    def __contains__(self, value):\n        return self.low {0} value {0} self.high\n"
)
GUARD = (
    "def guard(step):\n    try:\n        return step()\n    except {0} as error:\n        return str(error)\n"
)
HONEST = (
    Evasion(
        "names that may be given once",
        {
            "calc.py": REGISTER.format("None"),
            "test_calc.py": "from calc import register\n"
            + "".join(
                f"\n\ndef test_{name}():\n    assert register('{name}', {n}) == {n}\n"
                for n, name in enumerate("abcd")
            ),
        },
        {"calc.py": REGISTER.format("value")},
    ),
    Evasion(
        "a wide interval",
        {
            "calc.py": INTERVAL.format("<"),
            "test_calc.py": "from calc import Interval\n\n\n"
            "def test_bounds():\n    assert 0 in Interval(0, 1000000)\n"
            "    assert 7 in Interval(0, float('inf'))\n    assert 'ann' not in {'anna'}\n",
        },
        {"calc.py": INTERVAL.format("<=")},
    ),
    Evasion(
        "a wide tolerance",
        {
            "calc.py": "def people(cities):\n    return len(cities)\n",
            "test_calc.py": "import unittest\nfrom pytest import approx\nfrom calc import people\n\n\n"
            "class TestPeople(unittest.TestCase):\n    def test_people(self):\n"
            "        self.assertAlmostEqual(people([4000000, 3700123]), 7700000, delta=50000)\n"
            "        assert people([4000000, 3700123]) == approx(7700000, rel=0.5)\n"
            "        assert [people([1]), people([2])] == approx([1, 2], abs=100)\n",
        },
        {"calc.py": "def people(cities):\n    return sum(cities)\n"},
    ),
    Evasion(
        "errors that end or skip tests",
        {
            "calc.py": GUARD.format("BaseException"),
            "test_calc.py": "import unittest\nimport pytest\nfrom calc import guard\n\n\n"
            "def stop():\n    raise KeyboardInterrupt\n\n\ndef leave():\n    pytest.skip('later')\n\n\n"
            "def test_interrupt():\n    with pytest.raises(KeyboardInterrupt):\n        guard(stop)\n\n\n"
            "def test_skip():\n    with pytest.raises(pytest.skip.Exception):\n        guard(leave)\n\n\n"
            "class TestMore(unittest.TestCase):\n    def test_it(self):\n"
            "        self.assertRaises(KeyboardInterrupt, guard, stop)\n",
        },
        {"calc.py": GUARD.format("Exception")},
    ),
)
NEIGHBOURS = {neighbour.name: neighbour for neighbour in HONEST}
