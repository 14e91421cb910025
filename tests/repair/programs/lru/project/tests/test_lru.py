import pytest
from lru import Cache, Statistics, cached


def test_get_what_was_put(full):
    assert [full.get(key) for key in "abc"] == ["A", "B", "C"]


def test_missing(full):
    assert full.get("x") is None
    assert full.get("x", 7) == 7


def test_the_oldest_is_forgotten(full):
    full.put("d", "D")
    assert list(full) == ["d", "c", "b"]


def test_use_keeps(full):
    full.get("a")
    full.put("d", "D")
    assert "a" in full
    assert "b" not in full


def test_put_again_keeps_and_replaces(full):
    full.put("a", 1)
    full.put("d", "D")
    assert full.get("a") == 1
    assert len(full) == 3


def test_a_stored_none_is_a_hit(cache):
    cache.put("n", None)
    assert cache.get("n", "default") is None
    assert cache.statistics.hits == 1


def test_lifetime(full, clock):
    clock.now += 9
    assert full.get("a") == "A"
    clock.now += 1
    assert full.get("a") is None
    assert "b" not in full
    assert len(full) == 2


def test_put_renews(full, clock):
    clock.now += 9
    full.put("a", "A")
    clock.now += 9
    assert full.get("a") == "A"
    assert full.get("b") is None


def test_purge(full, clock):
    clock.now += 5
    full.put("a", "new")
    clock.now += 5
    assert full.purge() == 2
    assert list(full) == ["a"]
    assert full.purge() == 0


def test_without_lifetime(clock):
    cache = Cache(2, clock=clock)
    cache.put("a", 1)
    clock.now += 1e9
    assert cache.get("a") == 1
    assert cache.purge() == 0


@pytest.mark.parametrize("capacity", [0, -1])
def test_no_room(capacity):
    with pytest.raises(ValueError):
        Cache(capacity)


def test_room_for_one():
    cache = Cache(1)
    cache.put("a", 1)
    cache.put("b", 2)
    assert list(cache) == ["b"]


class TestStatistics:
    def test_counts(self, full):
        full.get("a")
        full.get("b")
        full.get("x")
        full.put("d", 1)
        assert full.statistics == Statistics(hits=2, misses=1, evicted=1)

    def test_an_old_one_is_a_miss(self, full, clock):
        clock.now += 10
        full.get("a")
        assert (full.statistics.hits, full.statistics.misses) == (0, 1)

    def test_rate(self):
        assert Statistics(hits=3, misses=1).rate == 0.75
        assert Statistics().rate == 0.0


class TestPop:
    def test_there(self, full):
        assert full.pop("b") == "B"
        assert len(full) == 2

    def test_not_there(self, full):
        with pytest.raises(KeyError):
            full.pop("x")

    def test_default(self, full):
        assert full.pop("x", None) is None

    def test_old(self, full, clock):
        clock.now += 11
        with pytest.raises(KeyError):
            full.pop("a")


def test_resize(full):
    full.resize(1)
    assert list(full) == ["c"]
    full.put("d", 1)
    assert list(full) == ["d"]


class TestCached:
    @pytest.fixture
    def calls(self):
        return []

    @pytest.fixture
    def add(self, calls):
        @cached(2)
        def add(a, b=0, c=0):
            """Adds."""
            calls.append((a, b, c))
            return a + b + c

        return add

    def test_once(self, add, calls):
        assert [add(1), add(1), add(1)] == [1, 1, 1]
        assert calls == [(1, 0, 0)]

    def test_by_arguments(self, add, calls):
        assert (add(1, 2), add(1, b=2), add(2)) == (3, 3, 2)
        assert len(calls) == 3

    def test_named_in_any_order(self, add, calls):
        add(1, b=2, c=3)
        add(1, c=3, b=2)
        assert len(calls) == 1

    def test_forgets(self, add, calls):
        for a in (1, 2, 3, 1):
            add(a)
        assert len(calls) == 4

    def test_keeps_its_name(self, add):
        assert (add.__name__, add.__doc__) == ("add", "Adds.")

    def test_results_that_are_none(self, calls):
        @cached(2)
        def nothing(n):
            calls.append(n)

        nothing(1)
        nothing(1)
        assert calls == [1]
