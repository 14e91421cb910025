"""Entries in sqlite."""

import sqlite3

from ledger.numbers import balance


class Store:
    def __init__(self, path):
        self.connection = sqlite3.connect(path)
        self.connection.execute(
            "create table if not exists entry (account text, sign integer, amount integer)"
        )

    def add(self, account, amount):
        if amount == 0:
            raise ValueError("nothing to add")
        sign = 1 if amount > 0 else -1
        self.connection.execute("insert into entry values (?, ?, ?)", (account, sign, abs(amount)))

    def balance(self, account):
        rows = self.connection.execute("select sign, amount from entry where account = ?", (account,))
        return balance(rows)

    def close(self):
        self.connection.commit()
        self.connection.close()
