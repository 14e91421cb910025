import pytest
from graphs import CycleError, Graph


@pytest.fixture
def diamond():
    return Graph([("a", "b", 1), ("a", "c", 4), ("b", "c", 2), ("b", "d", 7), ("c", "d", 1)])


@pytest.fixture
def ring():
    return Graph([(1, 2), (2, 3), (3, 1), (3, 4)])


def test_nodes(diamond):
    assert list(diamond) == ["a", "b", "c", "d"]
    assert len(diamond) == 4
    assert diamond.targets("a") == ["b", "c"]
    assert diamond.targets("d") == []


def test_adding_again_keeps_the_edges(diamond):
    diamond.add("a")
    diamond.connect("a", "d")
    assert diamond.targets("a") == ["b", "c", "d"]


def test_negative_weight():
    with pytest.raises(ValueError):
        Graph([(1, 2, -1)])
    assert Graph([(1, 2, 0)]).distances(1) == {1: 0, 2: 0}


def test_reversed(diamond):
    back = diamond.reversed()
    assert back.targets("d") == ["b", "c"]
    assert back.distances("d") == {"d": 0, "b": 3, "c": 1, "a": 4}


def test_reversed_keeps_lonely_nodes():
    graph = Graph()
    graph.add(1)
    assert list(graph.reversed()) == [1]


def test_breadth_first(diamond, ring):
    assert list(diamond.breadth_first("a")) == ["a", "b", "c", "d"]
    assert list(diamond.breadth_first("c")) == ["c", "d"]
    assert list(ring.breadth_first(2)) == [2, 3, 1, 4]


def test_breadth_first_goes_by_levels():
    graph = Graph([(0, 1), (0, 2), (1, 3), (2, 4), (3, 5)])
    assert list(graph.breadth_first(0)) == [0, 1, 2, 3, 4, 5]


def test_depth_first(diamond, ring):
    assert list(diamond.depth_first("a")) == ["a", "b", "c", "d"]
    assert list(ring.depth_first(3)) == [3, 1, 2, 4]


def test_depth_first_goes_down():
    graph = Graph([(0, 1), (0, 2), (1, 3)])
    assert list(graph.depth_first(0)) == [0, 1, 3, 2]
    assert list(graph.depth_first(0)) == [0, 1, 3, 2]


class TestDistances:
    def test_diamond(self, diamond):
        assert diamond.distances("a") == {"a": 0, "b": 1, "c": 3, "d": 4}

    def test_only_what_can_be_reached(self, diamond):
        assert diamond.distances("c") == {"c": 0, "d": 1}

    def test_ring(self, ring):
        assert ring.distances(1) == {1: 0, 2: 1, 3: 2, 4: 3}

    def test_nodes_need_no_order(self):
        assert Graph([("a", 1, 5), ("a", None, 5)]).distances("a") == {"a": 0, 1: 5, None: 5}


class TestShortest:
    def test_fewest_edges(self, diamond):
        assert diamond.shortest("a", "d") == ["a", "b", "d"]

    def test_itself(self, ring):
        assert ring.shortest(1, 1) == [1]

    def test_no_way(self, ring):
        assert ring.shortest(4, 1) is None

    def test_around(self, ring):
        assert ring.shortest(2, 1) == [2, 3, 1]


class TestSorted:
    def test_diamond(self, diamond):
        assert diamond.sorted() == ["a", "b", "c", "d"]

    def test_several_sources(self):
        assert Graph([(5, 1), (4, 1), (1, 0)]).sorted() == [5, 4, 1, 0]

    def test_cycle(self, ring):
        with pytest.raises(CycleError, match="1 -> 2 -> 3 -> 4") as caught:
            ring.sorted()
        assert caught.value.nodes == [1, 2, 3, 4]

    def test_itself(self):
        with pytest.raises(CycleError):
            Graph([(1, 1)]).sorted()

    def test_nothing(self):
        assert Graph().sorted() == []


class TestComponents:
    def test_one(self, diamond):
        assert diamond.components() == [{"a", "b", "c", "d"}]

    def test_several(self):
        graph = Graph([(1, 2), (3, 4), (4, 5)])
        graph.add(9)
        assert graph.components() == [{3, 4, 5}, {1, 2}, {9}]

    def test_whatever_the_direction(self):
        assert Graph([(1, 2), (3, 2)]).components() == [{1, 2, 3}]
