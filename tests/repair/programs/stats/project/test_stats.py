import pytest
from stats import (
    Matrix,
    StatsError,
    deviation,
    fit,
    histogram,
    mean,
    median,
    modes,
    moving,
    percentile,
    variance,
)


@pytest.mark.parametrize(("values", "expected"), [([1], 1), ([1, 2], 1.5), ([1, 2, 6], 3)])
def test_mean(values, expected):
    assert mean(values) == expected


@pytest.mark.parametrize("function", [mean, median, variance])
def test_nothing_has_none(function):
    with pytest.raises(StatsError):
        function([])


@pytest.mark.parametrize(("values", "expected"), [([3], 3), ([3, 1], 2), ([5, 1, 3], 3), ([4, 1, 3, 2], 2.5)])
def test_median(values, expected):
    assert median(values) == expected


def test_the_values_stay_in_order():
    values = [3, 1, 2]
    median(values)
    percentile(values, 50)
    assert values == [3, 1, 2]


@pytest.mark.parametrize(("values", "expected"), [([], []), ([1, 2, 2], [2]), ([3, 1, 3, 1, 2], [1, 3])])
def test_modes(values, expected):
    assert modes(values) == expected


def test_variance():
    assert variance([2, 4, 4, 4, 5, 5, 7, 9], sample=False) == 4
    assert variance([1, 2, 3, 4]) == pytest.approx(5 / 3)
    assert variance([5], sample=False) == 0
    with pytest.raises(StatsError):
        variance([5])


def test_deviation():
    assert deviation([2, 4, 4, 4, 5, 5, 7, 9], sample=False) == 2
    assert deviation([1, 3]) == pytest.approx(2**0.5)


@pytest.mark.parametrize(
    ("percent", "expected"), [(0, 1), (25, 2), (50, 3), (100, 5), (10, 1.4), (90, 4.6), (62.5, 3.5)]
)
def test_percentile(percent, expected):
    assert percentile([5, 3, 1, 2, 4], percent) == pytest.approx(expected)


@pytest.mark.parametrize("percent", [-1, 101])
def test_not_a_percentage(percent):
    with pytest.raises(StatsError):
        percentile([1], percent)


def test_percentile_of_nothing():
    with pytest.raises(StatsError):
        percentile([], 50)


class TestFit:
    def test_exact(self):
        assert fit([0, 1, 2], [1, 3, 5]) == (2, 1)

    def test_nearest(self):
        slope, start = fit([1, 2, 3, 4], [6, 5, 7, 10])
        assert (slope, start) == (pytest.approx(1.4), pytest.approx(3.5))

    def test_wrong(self):
        with pytest.raises(StatsError, match="as many"):
            fit([1, 2], [1])
        with pytest.raises(StatsError, match="equal"):
            fit([1, 1], [1, 2])


def test_histogram():
    assert histogram([0, 1, 2, 3, 4], 2) == [2, 3]
    assert histogram([1, 1], 3) == [2, 0, 0]
    assert histogram([0, 10, 3, 5], 5) == [1, 1, 1, 0, 1]


def test_moving():
    assert moving([1, 2, 3, 6], 2) == [1.5, 2.5, 4.5]
    assert moving([1, 2], 2) == [1.5]
    assert moving([1], 2) == []


class TestMatrix:
    def test_shape(self):
        assert Matrix([[1, 2, 3], [4, 5, 6]]).shape == (2, 3)
        assert Matrix([]).shape == (0, 0)
        with pytest.raises(StatsError):
            Matrix([[1], [1, 2]])

    def test_it_has_its_own_rows(self):
        rows = [[1, 2]]
        matrix = Matrix(rows)
        rows[0][0] = 9
        assert matrix == Matrix([[1, 2]])

    def test_transposed(self):
        assert Matrix([[1, 2, 3], [4, 5, 6]]).transposed() == Matrix([[1, 4], [2, 5], [3, 6]])

    def test_product(self):
        assert Matrix([[1, 2], [3, 4]]) @ Matrix([[0, 1], [1, 0]]) == Matrix([[2, 1], [4, 3]])
        assert Matrix([[1, 2, 3]]) @ Matrix([[1], [2], [3]]) == Matrix([[14]])
        with pytest.raises(StatsError):
            Matrix([[1, 2]]) @ Matrix([[1, 2]])

    @pytest.mark.parametrize(
        ("n", "expected"), [(0, [[1, 0], [0, 1]]), (1, [[1, 1], [1, 0]]), (10, [[89, 55], [55, 34]])]
    )
    def test_power(self, n, expected):
        assert Matrix([[1, 1], [1, 0]]) ** n == Matrix(expected)

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ([[3]], 3),
            ([[1, 2], [3, 4]], -2),
            ([[0, 1], [1, 0]], -1),
            ([[1, 2], [2, 4]], 0),
            ([[2, 0, 1], [1, 3, 2], [1, 1, 1]], 0),
        ],
    )
    def test_determinant(self, rows, expected):
        assert Matrix(rows).determinant() == pytest.approx(expected)

    def test_determinant_keeps_the_rows(self):
        matrix = Matrix([[1, 2], [3, 4]])
        matrix.determinant()
        assert matrix == Matrix([[1, 2], [3, 4]])

    def test_no_determinant(self):
        with pytest.raises(StatsError):
            Matrix([[1, 2]]).determinant()
