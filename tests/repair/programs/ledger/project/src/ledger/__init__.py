from ledger.accounts import Account, Savings
from ledger.bank import Bank, Transfer
from ledger.errors import AccountClosed, InsufficientFunds, LedgerError, UnknownAccount

__all__ = [
    "Account",
    "AccountClosed",
    "Bank",
    "InsufficientFunds",
    "LedgerError",
    "Savings",
    "Transfer",
    "UnknownAccount",
]
