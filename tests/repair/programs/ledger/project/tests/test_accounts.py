import pytest
from ledger import Account, AccountClosed, InsufficientFunds, LedgerError, Savings


class TestAccount:
    def test_starts(self):
        account = Account("ann", 100, overdraft=50)
        assert (account.balance, account.available, account.history) == (100, 150, [])

    @pytest.mark.parametrize(("balance", "overdraft"), [(-1, 0), (0, -1)])
    def test_starts_with_nothing_or_more(self, balance, overdraft):
        with pytest.raises(ValueError):
            Account("ann", balance, overdraft)

    def test_deposit(self):
        account = Account("ann")
        account.deposit(30)
        account.deposit(5)
        assert account.balance == 35
        assert account.history == [("deposit", 30), ("deposit", 5)]

    def test_withdraw(self):
        account = Account("ann", 50)
        account.withdraw(50)
        assert account.balance == 0
        assert account.history == [("withdraw", -50)]

    def test_overdraft(self):
        account = Account("ann", 50, overdraft=20)
        account.withdraw(70)
        assert account.balance == -20

    def test_insufficient(self):
        account = Account("ann", 50, overdraft=20)
        with pytest.raises(InsufficientFunds, match="75 wanted, 70 there") as caught:
            account.withdraw(75)
        assert caught.value.missing == 5
        assert (account.balance, account.history) == (50, [])

    @pytest.mark.parametrize("amount", [0, -1, 1.5, "1"])
    def test_not_an_amount(self, amount):
        account = Account("ann", 10)
        with pytest.raises(ValueError):
            account.deposit(amount)
        with pytest.raises(ValueError):
            account.withdraw(amount)

    def test_the_history_cannot_be_changed_from_outside(self):
        account = Account("ann", 10)
        account.history.append(("deposit", 1))
        assert account.history == []

    def test_close(self):
        account = Account("ann", 10)
        assert account.close() == 10
        assert (account.balance, account.closed) == (0, True)
        with pytest.raises(AccountClosed):
            account.deposit(1)

    def test_close_in_debt(self):
        account = Account("ann", 0, overdraft=10)
        account.withdraw(5)
        with pytest.raises(InsufficientFunds) as caught:
            account.close()
        assert caught.value.missing == 5
        assert isinstance(caught.value, LedgerError)

    def test_order(self):
        some = [Account("bob", 5), Account("cid", 1), Account("ann", 5)]
        assert [account.owner for account in sorted(some)] == ["cid", "ann", "bob"]


class TestSavings:
    @pytest.fixture
    def savings(self):
        return Savings("ann", 1000, percent=2.5)

    def test_interest(self, savings):
        assert savings.add_interest() == 25
        assert savings.balance == 1025
        assert savings.history == [("deposit", 25)]

    def test_no_interest_on_nothing(self):
        savings = Savings("bob")
        assert savings.add_interest() == 0
        assert savings.history == []

    def test_few_withdrawals(self, savings):
        savings.withdraw(1)
        savings.withdraw(1)
        with pytest.raises(PermissionError):
            savings.withdraw(1)
        savings.add_interest()
        savings.withdraw(1)

    def test_a_refused_one_does_not_count(self, savings):
        for _ in range(3):
            with pytest.raises(InsufficientFunds):
                savings.withdraw(5000)
        savings.withdraw(1)
        assert savings.balance == 999
