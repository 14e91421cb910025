"""Many accounts, and transfers between them that happen whole or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from ledger.accounts import Account
from ledger.errors import LedgerError, UnknownAccount


@dataclass(frozen=True)
class Transfer:
    source: str
    target: str
    amount: int
    note: str = ""


class Bank:
    def __init__(self, fee_percent: str = "0") -> None:
        self._accounts: dict[str, Account] = {}
        self._fee = Decimal(fee_percent) / 100
        self.earned = 0

    def open(self, account: Account) -> None:
        if account.owner in self._accounts:
            raise LedgerError(f"{account.owner} has an account")
        self._accounts[account.owner] = account

    def account(self, owner: str) -> Account:
        try:
            return self._accounts[owner]
        except KeyError:
            raise UnknownAccount(owner) from None

    def fee(self, amount: int) -> int:
        return int((amount * self._fee).quantize(Decimal(1), ROUND_HALF_UP))

    def transfer(self, transfer: Transfer) -> None:
        source, target = self.account(transfer.source), self.account(transfer.target)
        if source is target:
            raise LedgerError("an account cannot pay itself")
        fee = self.fee(transfer.amount)
        source.withdraw(transfer.amount + fee)
        try:
            target.deposit(transfer.amount)
        except LedgerError:
            source.deposit(transfer.amount + fee)
            raise
        self.earned += fee

    def transfer_all(self, transfers: list[Transfer]) -> list[tuple[Transfer, str]]:
        """Those that were refused, and why."""
        refused = []
        for transfer in transfers:
            try:
                self.transfer(transfer)
            except (LedgerError, ValueError) as error:
                refused.append((transfer, type(error).__name__))
        return refused

    def total(self) -> int:
        return sum(account.balance for account in self._accounts.values() if not account.closed)

    def richest(self, n: int = 3) -> list[str]:
        ordered = sorted(self._accounts.values(), reverse=True)
        return [account.owner for account in ordered[:n]]

    def statement(self, owner: str) -> str:
        lines = [f"{kind:<10}{amount / 100:>10.2f}" for kind, amount in self.account(owner).history]
        lines.append(f"{'balance':<10}{self.account(owner).balance / 100:>10.2f}")
        return "\n".join(lines)
