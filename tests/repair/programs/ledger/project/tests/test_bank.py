import pytest
from ledger import Account, AccountClosed, Bank, InsufficientFunds, LedgerError, Transfer, UnknownAccount


@pytest.fixture
def bank():
    bank = Bank(fee_percent="1.5")
    bank.open(Account("ann", 10_000))
    bank.open(Account("bob", 500, overdraft=100))
    bank.open(Account("cid"))
    return bank


def balances(bank):
    return [bank.account(owner).balance for owner in ("ann", "bob", "cid")]


def test_open_twice(bank):
    with pytest.raises(LedgerError, match="ann has an account"):
        bank.open(Account("ann"))


def test_unknown(bank):
    with pytest.raises(UnknownAccount):
        bank.account("dan")
    with pytest.raises(KeyError):
        bank.account("dan")


@pytest.mark.parametrize(("amount", "fee"), [(100, 2), (1000, 15), (10, 0), (33, 0), (34, 1), (300, 5)])
def test_fee(bank, amount, fee):
    assert bank.fee(amount) == fee


def test_transfer(bank):
    bank.transfer(Transfer("ann", "bob", 1000))
    assert balances(bank) == [8985, 1500, 0]
    assert bank.earned == 15


def test_transfer_to_itself(bank):
    with pytest.raises(LedgerError):
        bank.transfer(Transfer("ann", "ann", 1))


def test_transfer_without_funds(bank):
    with pytest.raises(InsufficientFunds):
        bank.transfer(Transfer("bob", "ann", 600))
    assert balances(bank) == [10_000, 500, 0]
    assert bank.earned == 0


def test_transfer_to_a_closed_account_gives_back(bank):
    bank.account("cid").close()
    with pytest.raises(AccountClosed):
        bank.transfer(Transfer("ann", "cid", 1000))
    assert balances(bank) == [10_000, 500, 0]
    assert bank.earned == 0


def test_transfer_all(bank):
    good, poor, wrong = Transfer("ann", "cid", 100), Transfer("cid", "bob", 900), Transfer("ann", "cid", 0)
    nobody = Transfer("ann", "dan", 1)
    refused = bank.transfer_all([poor, good, wrong, nobody])
    assert refused == [(poor, "InsufficientFunds"), (wrong, "ValueError"), (nobody, "UnknownAccount")]
    assert balances(bank) == [9898, 500, 100]


def test_total(bank):
    assert bank.total() == 10_500
    bank.account("ann").close()
    assert bank.total() == 500


def test_richest(bank):
    assert bank.richest() == ["ann", "bob", "cid"]
    assert bank.richest(1) == ["ann"]


def test_statement(bank):
    bank.account("bob").deposit(1250)
    bank.account("bob").withdraw(50)
    assert bank.statement("bob").splitlines() == [
        "deposit        12.50",
        "withdraw       -0.50",
        "balance        17.00",
    ]
