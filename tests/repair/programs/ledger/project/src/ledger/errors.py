class LedgerError(Exception):
    """Anything that a bank refuses."""


class UnknownAccount(LedgerError, KeyError):
    pass


class AccountClosed(LedgerError):
    pass


class InsufficientFunds(LedgerError):
    def __init__(self, wanted: int, there: int) -> None:
        super().__init__(f"{wanted} wanted, {there} there")
        self.missing = wanted - there
