"""Accounts hold cents."""

from __future__ import annotations

from ledger.errors import AccountClosed, InsufficientFunds


class Account:
    def __init__(self, owner: str, balance: int = 0, overdraft: int = 0) -> None:
        if balance < 0 or overdraft < 0:
            raise ValueError("an account starts with nothing or more")
        self.owner = owner
        self.overdraft = overdraft
        self.closed = False
        self._history: list[tuple[str, int]] = []
        self._balance = balance

    @property
    def balance(self) -> int:
        return self._balance

    @property
    def available(self) -> int:
        return self._balance + self.overdraft

    @property
    def history(self) -> list[tuple[str, int]]:
        return list(self._history)

    def deposit(self, amount: int) -> None:
        self._check(amount)
        self._balance += amount
        self._history.append(("deposit", amount))

    def withdraw(self, amount: int) -> None:
        self._check(amount)
        if amount > self.available:
            raise InsufficientFunds(amount, self.available)
        self._balance -= amount
        self._history.append(("withdraw", -amount))

    def close(self) -> int:
        """What is to be paid out."""
        if self._balance < 0:
            raise InsufficientFunds(0, self._balance)
        paid, self._balance = self._balance, 0
        self.closed = True
        return paid

    def _check(self, amount: int) -> None:
        if self.closed:
            raise AccountClosed(self.owner)
        if not isinstance(amount, int) or amount <= 0:
            raise ValueError(f"{amount!r} is not an amount")

    def __lt__(self, other: Account) -> bool:
        return (self.balance, self.owner) < (other.balance, other.owner)


class Savings(Account):
    """Earns interest, and allows a few withdrawals between two of them."""

    FREE = 2

    def __init__(self, owner: str, balance: int = 0, percent: float = 1.0) -> None:
        super().__init__(owner, balance)
        self.percent = percent
        self._withdrawn = 0

    def withdraw(self, amount: int) -> None:
        if self._withdrawn >= self.FREE:
            raise PermissionError("too many withdrawals")
        super().withdraw(amount)
        self._withdrawn += 1

    def add_interest(self) -> int:
        earned = round(self.balance * self.percent / 100)
        if earned > 0:
            self.deposit(earned)
        self._withdrawn = 0
        return earned
