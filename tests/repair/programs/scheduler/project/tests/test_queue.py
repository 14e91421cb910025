import itertools

import pytest
from scheduler import PriorityQueue


def drained(queue):
    return [queue.pop() for _ in range(len(queue))]


@pytest.mark.parametrize("priorities", [[], [1], [2, 1], [5, 3, 8, 1, 9, 2, 7], list(range(20, 0, -1))])
def test_the_smallest_first(priorities):
    assert drained(PriorityQueue((n, n) for n in priorities)) == sorted(priorities)


def test_every_order_of_some():
    for priorities in itertools.permutations(range(5)):
        assert drained(PriorityQueue((n, n) for n in priorities)) == [0, 1, 2, 3, 4]


def test_equal_ones_in_order():
    assert drained(PriorityQueue([(1, "a"), (0, "b"), (1, "c"), (1, "d")])) == ["b", "a", "c", "d"]


def test_items_need_no_order():
    assert len(drained(PriorityQueue([(1, {}), (1, []), (1, None)]))) == 3


def test_empty():
    with pytest.raises(IndexError):
        PriorityQueue().pop()


def test_peek():
    queue = PriorityQueue([(2, "b"), (1, "a")])
    assert queue.peek() == "a"
    assert len(queue) == 2
    assert PriorityQueue().peek("-") == "-"


@pytest.mark.parametrize("gone", range(8))
def test_remove(gone):
    queue = PriorityQueue((n, n) for n in (4, 1, 7, 3, 0, 6, 2, 5))
    assert queue.remove(gone)
    assert drained(queue) == [n for n in range(8) if n != gone]


def test_remove_may_lift_the_last_one():
    numbers = (0, 10, 1, 11, 12, 2, 3, 13, 14, 15, 16, 4)
    for gone in numbers:
        queue = PriorityQueue((n, n) for n in numbers)
        assert queue.remove(gone)
        assert drained(queue) == sorted(set(numbers) - {gone})


def test_remove_what_is_not_there():
    queue = PriorityQueue([(1, "a")])
    assert not queue.remove("b")
    assert len(queue) == 1
