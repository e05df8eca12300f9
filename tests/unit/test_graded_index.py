"""Quantiles without bounds: the index of doubles, its random points, and how near answers come."""

from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError
from leastnoise.frames.memory.numbers import HeldNumbers, SortedNumbers, counts_by_edges
from leastnoise.randomness import HashedBits
from leastnoise.session.search.float_index import FloatIndex
from leastnoise.session.search.graded import GradedIndex, GradedRecords
from leastnoise.summaries.records import Listed
from leastnoise.testing import simulate

INDICES = [GradedIndex(least, 60, signed) for least in (-40, 0) for signed in (True, False)]
QUARTILES = ("0.25", "0.5", "0.75")


def doubles() -> np.ndarray:
    rng = np.random.default_rng(28)
    return np.sort(
        np.concatenate(
            [
                rng.normal(size=200) * 10.0 ** rng.integers(-14, 20, 200),
                rng.integers(-50, 50, 200).astype(float),
                rng.integers(0, 2**40, 50).astype(float),
                [0.0, -0.0, np.inf, -np.inf, 1e300, 5e-324, 2.0**24, 2.0**24 + 0.5, 2.0**60],
            ]
        )
    )


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_cells_ascend_and_are_counted_by_their_edges(index: GradedIndex) -> None:
    values = doubles()
    cells = index.index(values)
    assert (np.diff(cells) >= 0).all()
    assert index.cells.low <= cells[0]
    assert cells[-1] <= index.cells.high
    asked = sorted({int(c) + d for c in cells[::7] for d in (-1, 0, 1)})
    asked += [index.cells.low, index.cells.high]
    found = counts_by_edges(SortedNumbers(values), index, asked)
    assert found == [(int(np.sum(cells < p)), int(np.sum(cells <= p))) for p in asked]


@pytest.mark.parametrize("index", INDICES, ids=str)
def test_points_ascend_and_tell_the_numbers(index: GradedIndex) -> None:
    values = doubles()
    cells = index.index(values)
    records = GradedRecords(Listed(cells), index, HashedBits(b"points"))
    (points,) = records.windows([(1, len(values))])
    assert points == sorted(points)
    asked = [p + d for p in points[::9] for d in (-1, 0, 1)]
    asked = [p for p in asked if index.lattice.low <= p <= index.lattice.high]
    asked += [index.lattice.low, index.lattice.high, 0]
    for point, (below, until) in zip(asked, records.counts(asked), strict=True):
        assert below == sum(p < point for p in points)
        assert until == sum(p <= point for p in points)
    for x, cell, point in zip(values, cells.tolist(), points, strict=True):
        assert index.cell(point if point >= 0 else -1 - point) == abs(cell)
        if not 2.0**index.least <= abs(x) < 2.0**60 or (x < 0 and not index.signed):
            continue
        near = index.value(point)
        if x == int(x) and abs(x) < 2**24:
            assert near == x
        assert abs(near - Fraction(x)) <= abs(Fraction(x)) / 2**24


def test_every_cell_has_its_points_and_no_other() -> None:
    """Blocks follow each other without a gap, within each power of two and across them."""
    index = GradedIndex()
    for power in (*range(-40, 60, 7), 23, 24):
        values = np.array([2.0**power * (1 + i / 2**24) for i in range(40)])
        first = int(index.index(values)[0])
        for cell in range(max(0, first - 20), first + 60):
            start, room = index.place(cell)
            assert room > 0
            assert start + room == index.place(cell + 1)[0]
            assert [index.cell(p) for p in (start, start + room - 1)] == [cell, cell]


@pytest.mark.parametrize("index", [FloatIndex(20), GradedIndex()], ids=["even", "graded"])
def test_numbers_in_any_order_are_counted_like_sorted_ones(index) -> None:
    values = doubles()
    mixed = HeldNumbers(np.random.default_rng(1).permutation(values)).indexed(index)
    listed = Listed(index.index(values))
    asked = sorted({int(c) + d for c in index.index(values)[::7] for d in (-1, 0, 1)})
    assert mixed.counts(asked) == listed.counts(asked)
    assert list(mixed.windows([(3, 9)])[0]) == list(listed.windows([(3, 9)])[0])


@pytest.mark.parametrize("bounds", [ln.PrivateBounds(), (0, 1_000_000)], ids=["none", "wide"])
@pytest.mark.parametrize(("relation", "runs"), [("replace-one", 20), ("add-remove", 20)])
def test_grades_of_few_pupils(relation: str, runs: int, bounds: object) -> None:
    """A hundred persons of ten rows each, of whom nothing or little is known: within two grades."""
    rng, missed = np.random.default_rng(28), 0
    statistic = ln.Quantiles("grade", q=QUARTILES, bounds=bounds)
    for run in range(runs):
        grades = rng.integers(1, 7, 1000)
        table = {"pupil": np.repeat(np.arange(100), 10), "grade": grades}
        with simulate(run), ln.open(table, unit="pupil", max_rows=10, relation=relation) as data:
            found = data.release(statistic, epsilon=1).value
        exact = np.quantile(grades, [0.25, 0.5, 0.75], method="inverted_cdf")
        missed += max(abs(np.array(found) - exact)) > 2
    assert missed <= runs // 20


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("q", [["0"], ["0.5", "1"], QUARTILES, [i / 20 for i in range(1, 20)]])
def test_every_data_set_gives_ascending_finite_quantiles(relation: str, q: list[object]) -> None:
    statistic = ln.Quantiles(q=q, bounds=ln.PrivateBounds())
    for values in ([], [np.nan], [np.inf, -np.inf, 1e300, -1e300], [3.0] * 50, [1e-320]):
        whole = [int(v) for v in values if abs(v) < 2**62]
        for column in (np.array(values, dtype=np.float64), np.array(whole, dtype=np.int64)):
            r = ln.release(statistic, column, epsilon=1, relation=relation)
            assert r.value == sorted(r.value)
            assert np.isfinite(r.value).all()
            assert sum(map(Fraction, r.parts.values())) == 1
            assert ln.Release.from_json(r.to_json()) == r


def test_wide_declared_bounds_of_persons_hold_the_answers() -> None:
    table = {"id": [i // 2 for i in range(40)], "x": [10**6] * 20 + [-5] * 20}
    laplace = "PiecewiseLaplace()"
    with (
        simulate(1),
        ln.open(table, unit="id", max_rows=2, relation="add-remove", missing="none") as data,
    ):
        for bounds in ((-2, 200_000), (-300_000, -1), (0, 2**50)):
            asked = ln.Quantiles("x", q=QUARTILES, bounds=bounds)
            low, high = map(int, (-(-bounds[0] // 1), bounds[1]))
            for epsilon in ("1/100", 100):
                made = data.release(asked, epsilon=epsilon)
                assert made.bounds == (low, high)
                assert made.value == sorted(min(high, max(low, v)) for v in made.value)
                assert ln.Release.from_json(made.to_json()) == made
        other = data.release(asked, epsilon=1, mechanism=ln.PiecewiseLaplace())
        assert other.mechanism == laplace
        for wide in ({"step": 2}, {"bounds": (10, 10**6)}, {"bounds": (0, 99_999)}):
            near = ln.Quantiles("x", **{"q": QUARTILES, "bounds": (0, 10**6), **wide})
            assert "log lattice" not in data.release(near, epsilon=1).mechanism
    alone = ln.release(asked, table, epsilon=1)
    assert "log lattice" not in alone.mechanism


def test_a_mechanism_is_refused_before_the_data() -> None:
    statistic = ln.Quantiles(q=QUARTILES, bounds=ln.PrivateBounds())
    with pytest.raises(ParameterError, match="drawn together"):
        ln.release(statistic, [1.0], epsilon=1, mechanism=ln.PiecewiseLaplace())
