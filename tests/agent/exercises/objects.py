"""A class, a data structure, a state machine."""

from __future__ import annotations

from agent.exercises.exercise import Exercise

ACCOUNT = Exercise(
    name="class",
    path="account.py",
    instructions="An account that never goes below its limit; amounts are positive; two accounts add up.",
    stub="""
    class Account:
        def __init__(self, owner, balance=0, limit=0):
            self.owner = owner
    """,
    tests="""
    import pytest

    from account import Account


    def test_pays_in_and_out():
        account = Account("ann")
        account.pay_in(50)
        account.pay_out(20)
        assert account.balance == 30


    def test_limit():
        account = Account("ann", 10, limit=-5)
        account.pay_out(15)
        with pytest.raises(ValueError, match="limit"):
            account.pay_out(1)
        assert account.balance == -5


    def test_amounts_are_positive():
        with pytest.raises(ValueError):
            Account("ann").pay_in(-3)


    def test_repr():
        assert repr(Account("ann", 3)) == "Account('ann', 3)"
    """,
    wrong="""
    class Account:
        def __init__(self, owner, balance=0, limit=0):
            self.owner = owner
            self.balance = balance
            self.limit = limit

        def pay_in(self, amount):
            self.balance += amount

        def pay_out(self, amount):
            self.balance -= amount
            if self.balance < self.limit:
                raise ValueError("below the limit")
    """,
    right="""
    class Account:
        def __init__(self, owner, balance=0, limit=0):
            self.owner = owner
            self.balance = balance
            self.limit = limit

        def __repr__(self):
            return f"Account({self.owner!r}, {self.balance!r})"

        def pay_in(self, amount):
            if amount <= 0:
                raise ValueError("amounts are positive")
            self.balance += amount

        def pay_out(self, amount):
            if amount <= 0:
                raise ValueError("amounts are positive")
            if self.balance - amount < self.limit:
                raise ValueError("below the limit")
            self.balance -= amount
    """,
)
RING = Exercise(
    name="data structure",
    path="ring.py",
    instructions="A ring buffer: it keeps the newest items, oldest first; `pop` takes the oldest.",
    stub="""
    class Ring:
        pass
    """,
    tests="""
    import pytest

    from ring import Ring


    def test_keeps_the_newest():
        ring = Ring(3)
        for n in range(5):
            ring.push(n)
        assert list(ring) == [2, 3, 4]
        assert len(ring) == 3


    def test_pop_is_oldest_first():
        ring = Ring(2)
        ring.push("a")
        ring.push("b")
        assert ring.pop() == "a"
        ring.push("c")
        assert list(ring) == ["b", "c"]


    def test_empty():
        with pytest.raises(IndexError):
            Ring(1).pop()


    def test_needs_room():
        with pytest.raises(ValueError):
            Ring(0)
    """,
    wrong="""
    class Ring:
        def __init__(self, size):
            self._size = size
            self._items = []

        def push(self, item):
            if len(self._items) < self._size:
                self._items.append(item)

        def pop(self):
            return self._items.pop()

        def __iter__(self):
            return iter(self._items)

        def __len__(self):
            return len(self._items)
    """,
    right="""
    from collections import deque


    class Ring:
        def __init__(self, size):
            if size < 1:
                raise ValueError("a ring needs room for one item")
            self._items = deque(maxlen=size)

        def push(self, item):
            self._items.append(item)

        def pop(self):
            return self._items.popleft()

        def __iter__(self):
            return iter(self._items)

        def __len__(self):
            return len(self._items)
    """,
)
TURNSTILE = Exercise(
    name="state machine",
    path="gates/turnstile.py",
    others=("gates/__init__.py",),
    instructions="A coin opens it, a push locks it again; a push while locked rings, the third blocks it.",
    stub="",
    tests="""
    from gates.turnstile import Turnstile


    def test_coin_and_push():
        gate = Turnstile()
        assert gate.state == "locked"
        gate.coin()
        assert gate.state == "open"
        gate.push()
        assert gate.state == "locked"
        assert gate.passed == 1


    def test_alarm():
        gate = Turnstile()
        gate.push()
        gate.push()
        assert (gate.state, gate.alarms) == ("locked", 2)
        gate.push()
        assert gate.state == "blocked"
        gate.coin()
        assert gate.state == "blocked"


    def test_a_coin_forgives():
        gate = Turnstile()
        gate.push()
        gate.push()
        gate.coin()
        gate.push()
        gate.push()
        assert (gate.state, gate.alarms) == ("locked", 1)
    """,
    wrong="""
    class Turnstile:
        def __init__(self):
            self.state = "locked"
            self.passed = self.alarms = 0

        def coin(self):
            self.state = "open"

        def push(self):
            if self.state == "open":
                self.passed += 1
                self.state = "locked"
            else:
                self.alarms += 1
    """,
    right="""
    class Turnstile:
        MOST_ALARMS = 3

        def __init__(self):
            self.state = "locked"
            self.passed = self.alarms = 0

        def coin(self):
            if self.state != "blocked":
                self.state = "open"
                self.alarms = 0

        def push(self):
            if self.state == "open":
                self.passed += 1
                self.state = "locked"
            elif self.state == "locked":
                self.alarms += 1
                if self.alarms >= self.MOST_ALARMS:
                    self.state = "blocked"
    """,
)
OBJECTS = (ACCOUNT, RING, TURNSTILE)
