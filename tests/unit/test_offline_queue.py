"""What is tried next, and how little is made before it is needed."""

from __future__ import annotations

from collections.abc import Iterator

from untilgreen.solvers.offline.edit import Edit
from untilgreen.solvers.offline.queue import CHEAPEST, CROWD, CROWD_BITS, Option, Queue, Scene
from untilgreen.solvers.offline.site import sites

TEXT = "def near(x):\n    return x\n\n\ndef far(x):\n    return x\n"
NEAR, FAR, _ = sites("a.py", TEXT)


class Maker:
    """Edits with these costs by function and tier; remembers what it was asked for."""

    def __init__(self, costs: dict[tuple[str, int], list[float]]) -> None:
        self.costs = costs
        self.asked: list[tuple[str, int]] = []

    def __call__(self, scene: Scene, tier: int) -> Iterator[Edit]:
        self.asked.append((scene.site.name, tier))
        for n, cost in enumerate(self.costs.get((scene.site.name, tier), [])):
            at = scene.site.start
            yield Edit("a.py", at, at, f"#{scene.site.name}{tier}{n}", "t", tier, cost)


def queue(maker: Maker, *scenes: Scene) -> Queue:
    return Queue(scenes, maker, lambda scene, _edit: scene.penalty)


def orders(options: tuple[Option, ...]) -> list[float]:
    return [option.order for option in options]


def test_the_likeliest_comes_first_wherever_it_is() -> None:
    maker = Maker({("near", 1): [1.0, 4.0], ("far", 1): [0.5, 2.0]})
    made = queue(maker, Scene(NEAR, ("t",)), Scene(FAR, ("t",), penalty=1.0))
    assert orders(made.batch(10)) == [1.0, 1.5, 3.0, 4.0]
    assert made.batch(10) == ()
    assert made.next_order == float("inf")


def test_edits_are_made_when_they_may_be_next_and_not_before() -> None:
    maker = Maker({("near", 1): [1.0], ("near", 2): [CHEAPEST[2] + 0.5], ("far", 1): [1.0]})
    made = queue(maker, Scene(NEAR, ("t",)), Scene(FAR, ("t",), penalty=20.0))
    assert orders(made.batch(1, least=1)) == [1.0]
    assert maker.asked == [("near", 1)]
    assert orders(made.batch(1, least=1)) == [CHEAPEST[2] + 0.5]
    assert ("far", 1) not in maker.asked


def test_a_batch_asks_one_set_of_tests_and_runs_only_a_little_ahead() -> None:
    maker = Maker({("near", 1): [1.0, 1.2, 8.0], ("far", 1): [2.0]})
    made = queue(maker, Scene(NEAR, ("t1", "t2")), Scene(FAR, ("t2",)))
    first = made.batch(10, least=1)
    assert {option.target for option in first} == {("t1", "t2")}
    assert orders(first) == [1.0, 1.2]
    assert orders(made.batch(10, least=1)) == [2.0]
    assert orders(made.batch(10, least=1)) == [8.0]


def test_the_same_text_is_tried_once_and_what_nobody_sees_never() -> None:
    maker = Maker({("near", 1): [1.0, 2.0]})
    twice = Queue([Scene(NEAR, ("t",)), Scene(NEAR, ("t",))], maker, lambda _scene, _edit: 0.0)
    assert len(twice.batch(10)) == 2
    assert Queue([Scene(NEAR, ("t",))], maker, lambda _scene, _edit: None).batch(10) == ()


def test_what_was_not_tried_comes_again() -> None:
    made = queue(Maker({("near", 1): [1.0, 2.0]}), Scene(NEAR, ("t",)))
    first, _ = made.batch(10)
    made.push(first)
    assert made.batch(10) == (first,)


def test_whether_something_likely_is_left_is_known_without_making_what_is_not() -> None:
    maker = Maker({("near", 1): [1.0], ("near", 2): [CHEAPEST[2] + 0.5], ("near", 3): [9.0]})
    made = queue(maker, Scene(NEAR, ("t",)))
    assert not made.nothing_within(2.0)
    assert orders(made.batch(10, within=2.0)) == [1.0]
    assert made.nothing_within(2.0) and made.batch(10, within=2.0) == ()
    assert maker.asked == [("near", 1)]
    assert not made.nothing_within(4.0)
    assert orders(made.batch(10, least=1)) == [CHEAPEST[2] + 0.5]
    assert orders(made.batch(10)) == [9.0]
    assert made.nothing_within(100.0)


def test_one_of_very_many_of_its_kind_waits_for_those_that_are_few() -> None:
    def generate(scene: Scene, tier: int) -> Iterator[Edit]:
        for n in range(4 * CROWD if tier == 1 else 0):
            yield Edit("a.py", n, n, "#", "many", 1, 2.0)
        if tier == 1:
            yield Edit("a.py", 0, 0, "!", "few", 1, 2.5)

    made = Queue([Scene(NEAR, ("t",))], generate, lambda _scene, _edit: 0.0)
    first, second = made.batch(2, least=2)
    assert (first.edit.template, first.order) == ("few", 2.5)
    assert (second.edit.template, second.order) == ("many", 2.0 + 2 * CROWD_BITS)
