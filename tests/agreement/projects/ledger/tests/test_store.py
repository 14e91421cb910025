import unittest

from ledger.numbers import balance, checksum, largest
from ledger.store import Store


class TestNumbers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.entries = [(1, 10), (-1, 3), (1, 7)]

    def test_balance(self):
        self.assertEqual(balance(self.entries), 14)

    def test_largest(self):
        self.assertEqual(largest(self.entries, 2), [10, 7])
        self.assertEqual(largest(self.entries), [10])

    def test_checksums(self):
        for text, expected in (("1", 1), ("21", 4), ("777", 0)):
            with self.subTest(text):
                self.assertEqual(checksum(text), expected)

    @unittest.expectedFailure
    def test_letters(self):
        checksum("x")

    @unittest.skip("not now")
    def test_skipped(self):
        raise AssertionError


class TestStore:
    def setup_method(self):
        self.store = Store(":memory:")

    def teardown_method(self):
        self.store.close()

    def test_empty(self):
        assert self.store.balance("a") == 0

    def test_adds(self):
        self.store.add("a", 5)
        self.store.add("a", -2)
        self.store.add("b", 9)
        assert self.store.balance("a") == 3


def test_kept(tmp_path):
    path = str(tmp_path / "ledger.db")
    store = Store(path)
    store.add("a", 4)
    store.close()
    again = Store(path)
    assert again.balance("a") == 4
    again.close()
