import unittest

from intervals import IntervalSet


class Adding(unittest.TestCase):
    def test_apart(self):
        self.assertEqual(list(IntervalSet([(5, 7), (1, 3)])), [(1, 3), (5, 7)])

    def test_overlapping(self):
        self.assertEqual(list(IntervalSet([(1, 4), (3, 6)])), [(1, 6)])

    def test_touching(self):
        self.assertEqual(list(IntervalSet([(1, 3), (3, 5)])), [(1, 5)])
        self.assertEqual(list(IntervalSet([(3, 5), (1, 3)])), [(1, 5)])

    def test_inside(self):
        self.assertEqual(list(IntervalSet([(1, 9), (3, 5)])), [(1, 9)])

    def test_bridging(self):
        self.assertEqual(list(IntervalSet([(1, 3), (5, 7), (9, 11), (2, 6)])), [(1, 7), (9, 11)])

    def test_empty(self):
        self.assertEqual(list(IntervalSet([(3, 3)])), [])
        self.assertFalse(IntervalSet([(3, 3)]))

    def test_backwards(self):
        with self.assertRaises(ValueError):
            IntervalSet([(3, 2)])


class Removing(unittest.TestCase):
    def setUp(self):
        self.some = IntervalSet([(0, 10), (20, 30)])

    def test_the_middle(self):
        self.some.remove(3, 5)
        self.assertEqual(list(self.some), [(0, 3), (5, 10), (20, 30)])

    def test_over_a_gap(self):
        self.some.remove(8, 22)
        self.assertEqual(list(self.some), [(0, 8), (22, 30)])

    def test_all(self):
        self.some.remove(-5, 50)
        self.assertEqual(list(self.some), [])

    def test_nothing(self):
        self.some.remove(10, 20)
        self.some.remove(5, 5)
        self.assertEqual(list(self.some), [(0, 10), (20, 30)])

    def test_ends(self):
        self.some.remove(0, 1)
        self.some.remove(29, 30)
        self.assertEqual(list(self.some), [(1, 10), (20, 29)])


class Asking(unittest.TestCase):
    def setUp(self):
        self.some = IntervalSet([(0, 3), (5, 8)])

    def test_contains(self):
        inside = [n for n in range(-2, 10) if n in self.some]
        self.assertEqual(inside, [0, 1, 2, 5, 6, 7])

    def test_length(self):
        self.assertEqual(len(self.some), 6)
        self.assertEqual(len(IntervalSet()), 0)

    def test_gaps(self):
        self.assertEqual(self.some.gaps(), [(3, 5)])
        self.assertEqual(IntervalSet([(1, 2)]).gaps(), [])

    def test_repr(self):
        self.assertEqual(repr(self.some), "{0..2, 5..7}")

    def test_equal(self):
        self.assertEqual(self.some, IntervalSet([(5, 8), (0, 3)]))
        self.assertNotEqual(self.some, IntervalSet([(0, 3)]))
        self.assertNotEqual(self.some, [(0, 3), (5, 8)])
        self.assertEqual(hash(self.some), hash(IntervalSet([(5, 8), (0, 3)])))


class Combining(unittest.TestCase):
    def setUp(self):
        self.one = IntervalSet([(0, 5), (10, 15)])
        self.other = IntervalSet([(3, 12)])

    def test_or(self):
        self.assertEqual(list(self.one | self.other), [(0, 15)])

    def test_and(self):
        self.assertEqual(list(self.one & self.other), [(3, 5), (10, 12)])
        self.assertFalse(self.one & IntervalSet([(5, 10)]))

    def test_sub(self):
        self.assertEqual(list(self.one - self.other), [(0, 3), (12, 15)])

    def test_the_parts_stay_as_they_were(self):
        _ = self.one - self.other, self.one | self.other, self.one & self.other
        self.assertEqual(list(self.one), [(0, 5), (10, 15)])
        self.assertEqual(list(self.other), [(3, 12)])


if __name__ == "__main__":
    unittest.main()
