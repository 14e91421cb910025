"""Banks in which much happens by chance."""

from __future__ import annotations

import random
from collections.abc import Iterator

from repair.told import told


def observe(chance: random.Random) -> Iterator[str]:
    from ledger import Account, Bank, Savings, Transfer

    for _ in range(60):
        bank = Bank(chance.choice(["0", "1.5", "0.7", "10"]))
        accounts = [
            Account("a", chance.randint(0, 999)),
            Account("b", chance.randint(0, 99), overdraft=chance.randint(0, 200)),
            Savings("c", chance.randint(0, 5000), percent=chance.choice([0.5, 1.0, 3.3])),
            Savings("d"),
        ]
        for account in accounts:
            yield told(bank.open, account)
        yield told(bank.open, Account("a"))
        for _ in range(40):
            account = chance.choice(accounts)
            amount = chance.choice([0, -5, 1, 10, 33, 34, 100, 333, 1000, 2.5])
            deed = chance.randrange(12)
            if deed < 2:
                yield told(account.deposit, amount)
            elif deed < 5:
                yield told(account.withdraw, amount)
            elif deed == 5 and isinstance(account, Savings):
                yield told(account.add_interest)
            elif deed == 6 and chance.random() < 0.1:
                yield told(account.close)
            elif deed < 9:
                yield told(bank.transfer, Transfer(chance.choice("abcde"), chance.choice("abcde"), amount))
            elif deed == 9:
                many = [Transfer(chance.choice("abcde"), chance.choice("abcde"), amount) for _ in range(4)]
                # A savings account refuses in its own way, which the bank lets through.
                yield told(lambda bank=bank, many=many: [kind for _, kind in bank.transfer_all(many)])
            yield told(lambda bank=bank: [bank.total(), bank.richest(chance.randint(0, 5)), bank.earned])
            yield told(bank.statement, account.owner)
            yield told(lambda account=account: [account.balance, account.available, account.history])
            account.history.append(("deposit", 1))
            yield told(lambda account=account: account.history)
            yield told(bank.fee, chance.randint(0, 999))
        yield told(lambda accounts=accounts: [account.owner for account in sorted(accounts)])
        yield told(bank.account, "nobody")
    for balance, overdraft in ((-1, 0), (0, -1), (0, 0)):
        yield told(lambda balance=balance, overdraft=overdraft: Account("x", balance, overdraft).available)
