"""Counts, selected ranks and distinct values of many numbers are those of the sorted numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.memory import held as held_module
from leastnoise.frames.memory import selection
from leastnoise.frames.memory.counted_numbers import CountedNumbers
from leastnoise.frames.memory.held import HeldRecords, held_records
from leastnoise.frames.memory.numbers import HeldNumbers, SortedNumbers
from leastnoise.frames.memory.persons import distinct_count
from leastnoise.frames.memory.summarise import ranked_runs
from leastnoise.mechanisms.bracket import brackets
from leastnoise.session.search.float_index import FloatIndex
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.records import Listed, Repeated

Array = NDArray[Any]
ROWS = selection.SMALL + 1000
_LATTICE = Lattice(Fraction(1, 128), -1500, 1572)


def columns() -> Iterator[Any]:
    """Numbers of every type, with ties, infinities, both zeros and entries on the cuts."""
    rng = np.random.default_rng(3)
    normal = rng.normal(0, 3, ROWS)
    odd = [0.0, -0.0, np.inf, -np.inf, 5e-324, -5e-324, 1e300, -1e300]
    for name, values in {
        "floats": normal,
        "on cuts": np.round(2 * normal) / 2,
        "far": rng.standard_cauchy(ROWS),
        "odd": np.concatenate([normal, odd]),
        "zeros": np.where(rng.random(ROWS) < 0.5, 0.0, -0.0),
        "integers": rng.integers(-9, 9, ROWS),
        "wide": rng.integers(-(2**62), 2**62, ROWS),
        "unsigned": np.where(rng.random(ROWS) < 0.4, 2**64 - 1, 7).astype(np.uint64),
        "bytes": np.where(rng.random(ROWS) < 0.5, 255, 0).astype(np.uint8),
        "truth": rng.random(ROWS) < 0.5,
        "infinite": np.where(rng.random(ROWS) < 0.5, np.inf, -np.inf),
        "narrow": normal.astype(np.float32),
        "strided": rng.normal(0, 1, 2 * ROWS)[::2],
    }.items():
        yield pytest.param(values, id=name)


def equal(found: tuple[Array, Array], expected: tuple[Array, Array]) -> None:
    for one, other in zip(found, expected, strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("values", list(columns()))
def test_counts_are_those_of_sorted_numbers(values: Array) -> None:
    held, plain = HeldNumbers(values), SortedNumbers(np.sort(values.astype(np.float64)))
    ends = np.array([float(end) for b in brackets()[::5] for end in (b.low, b.low + b.width)])
    for cuts in (ends, np.array([0.0, -0.0, 2.5, -1.0]), np.linspace(-9.7, 9.7, 60)):
        equal(held.counts(cuts), plain.counts(cuts))
    keys = np.arange(15_900, 16_700, 50)
    for centre in (0.0, 0.7, -50.0):
        away = plain.ordered - centre
        radii = (keys << 48).view(np.float64)
        expected = tuple(np.array([np.sum(s * away >= r) for r in radii]) for s in (1, -1))
        equal(held.beyond(centre, keys), (expected[0], expected[1]))


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(values.values[0], id=values.id)
        for values in columns()
        if values.values[0].dtype.kind in "iub"
    ],
)
def test_integers_that_lie_close_together_are_counted_once(values: Array) -> None:
    held, plain = CountedNumbers.of(values), HeldNumbers(values)
    spread = int(values.max()) - int(values.min())
    assert (held is not None) == (spread < 1 << 16)
    if held is None:
        return
    assert len(held) == len(plain)
    cuts, keys = np.array([0.0, -3.0, 2.5, 300.0]), np.arange(15_900, 16_700, 50)
    equal(held.counts(cuts), plain.counts(cuts))
    for centre in (0.0, 0.7, -50.0):
        equal(held.beyond(centre, keys), plain.beyond(centre, keys))
        assert held.centred_sums(centre, 0.01) == plain.centred_sums(centre, 0.01)
    windows, index = [(1, 9), (ROWS // 2, ROWS // 2 + 5), (ROWS, ROWS)], FloatIndex(20)
    for records in ("indexed", "placed"):
        asked = index if records == "indexed" else Lattice(Fraction(1, 4), -9, 900)
        found, expected = (getattr(numbers, records)(asked) for numbers in (held, plain))
        assert [*map(list, found.windows(windows))] == [*map(list, expected.windows(windows))]


@pytest.mark.parametrize("imputed", [None, 2.5])
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("gone", [slice(0, 0), slice(70_000, 70_001), slice(0, None, 3)])
def test_every_first_pass_finds_what_is_not_a_number(
    gone: slice, kind: type, imputed: float | None
) -> None:
    values = np.random.default_rng(4).normal(0, 3, ROWS).astype(kind)
    values[:3] = np.inf, -np.inf, 0
    values[gone] = np.where(np.arange(len(values[gone])) % 2, np.nan, -np.nan)
    missing = np.isnan(values)
    kept = values[~missing] if imputed is None else np.where(missing, imputed, values)
    plain = SortedNumbers(np.sort(kept.astype(np.float64)))
    cuts, index, n = np.array([0.0, 2.5, -1.0]), FloatIndex(20), len(kept)
    windows, keys = [(n // 2 - 8, n // 2 + 9), (n // 2 - 999, n // 2 + 1000)], np.array([16_384])
    expected = [index.index(plain.ordered[a - 1 : b]).tolist() for a, b in windows]
    passes: list[tuple[Callable[[HeldNumbers], object], int | None]] = [
        (len, 0),
        (len, 1000),
        (len, None),
        (lambda held: held.counts(cuts), 0),
        (lambda held: held.placed(_LATTICE), 0),
        (lambda held: held.foresee(lambda _: _LATTICE), 0),
        (lambda held: held.beyond(0.0, keys), None),
    ]
    for first, around in passes:
        held = HeldNumbers(values, imputed, around=around)
        first(held)
        assert len(held) == n
        assert [list(run) for run in held.indexed(index).windows(windows)] == expected
        equal(held.counts(cuts), plain.counts(cuts))
        equal(held.beyond(0.0, keys), plain.beyond(0.0, keys))


@pytest.mark.parametrize("values", list(columns()))
@pytest.mark.parametrize(
    ("step", "low"), [(Fraction(1, 128), -1500), (Fraction(2), -3), (Fraction(1, 2**45), 0)]
)
def test_steps_count_at_and_between_lattice_points(values: Array, step: Fraction, low: int) -> None:
    held, plain = HeldNumbers(values), SortedNumbers(np.sort(values.astype(np.float64)))
    lattice = Lattice(step, low, low + 3072)
    found, expected = held.placed(lattice), plain.placed(lattice)
    there = found.sizes > 0
    equal((found.values[there], found.sizes[there]), (expected.values, expected.sizes))
    for far in (0, 7, 3000, -100, -20_000, 30_000):
        cuts = np.array([float((low + far) * step), float((low + 1500) * step)])
        equal(held.counts(cuts), plain.counts(cuts))
        cuts = cuts + float(step) / 7  # between half steps
        equal(held.counts(cuts), plain.counts(cuts))


@pytest.mark.parametrize("values", list(columns()))
@pytest.mark.parametrize("sorted_at_once", [1 << 25, 1])
def test_pieces_hold_the_order_statistics(
    values: Array, sorted_at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection, "_SORTED", sorted_at_once)
    ordered, n = np.sort(values), len(values)
    windows = [(1, 50), (n - 20, n), (n // 2 - 99, n // 2 + 99), (n // 4, n // 4)]
    for (first, last), run in zip(windows, ranked_runs(values, windows), strict=True):
        assert np.array_equal(run, ordered[first - 1 : last])
    for ranks in ([n // 2], [i * n // 10 for i in range(1, 10)]):
        for piece in selection.pieces_around(values, ranks):
            assert np.array_equal(piece.values, ordered[piece.below : piece.until])
    parts = list(selection.sorted_parts(values))
    assert all(a.until == b.below for a, b in pairwise(parts))
    assert np.array_equal(np.concatenate([part.values for part in parts]), ordered)
    distinct = len(ordered) - int(np.sum(ordered[1:] == ordered[:-1]))
    assert distinct_count(open_table(values), None) == distinct


def test_records_are_asked_by_rank_and_counted_by_value() -> None:
    values = np.random.default_rng(5).normal(50, 10, ROWS)
    lattice = Lattice(Fraction(1, 64), 0, 6400)
    expected = np.sort(lattice.quantise(values))
    for orders in ([Fraction(1, 2)], [Fraction(i, 20) for i in range(1, 20)]):
        held = HeldRecords(values, lattice, orders)
        ranks = [(1, 9), (ROWS // 2 - 5, ROWS // 2 + 5), (ROWS, ROWS)]
        found = [list(window) for window in held.windows(ranks)]
        assert found == [expected[a - 1 : b].tolist() for a, b in ranks]
        points = [-1, 0, 17, 3200, 3201, 6400, 9000]
        sides = [np.searchsorted(expected, points, side).tolist() for side in ("left", "right")]
        assert held.counts(points) == list(zip(*sides, strict=True))


@pytest.mark.parametrize("values", list(columns()))
def test_many_orders_are_read_from_buckets(values: Array, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(held_module, "_AROUND", 20)
    lattice = Lattice(Fraction(1, 4), -40, 40)
    if values.dtype.kind in "iub":
        lattice = Lattice(Fraction(1), -(2**62), 2**62, 0, True)
    expected = np.sort(lattice.quantise(values))
    held = HeldRecords(values, lattice, [Fraction(i, 20) for i in range(1, 20)])
    ranks = [(ROWS // 2, ROWS // 2 + 10), (1, 9), (777, 40_000), (ROWS // 3, ROWS // 3)]
    found = [list(window) for window in held.windows(ranks)]
    assert found == [expected[a - 1 : b].tolist() for a, b in ranks]
    points = [lattice.low, -3, 0, 1, 7, 30, lattice.high]
    sides = [np.searchsorted(expected, points, side).tolist() for side in ("left", "right")]
    assert held.counts(points) == list(zip(*sides, strict=True))


def test_the_least_numbers_stay_above_0_on_wide_lattices() -> None:
    values = np.array([5e-324] * 700 + [-3.0] * 701)
    lattice = Lattice(Fraction(4), -10, 10, 0, False)
    held = HeldNumbers(np.resize(values, 2 * selection.SMALL))
    expected = held.counts(np.array([0.0]))
    held.placed(lattice)
    equal(held.counts(np.array([0.0])), expected)
    assert expected[1] < len(held.values) * 0.6


@pytest.mark.parametrize("entries", [[3.0, 4.0], [0, 1], [True, False], [1, 2, 3, 4, 5]])
@pytest.mark.parametrize("more", [0, 1, 5000])
def test_columns_of_few_values_are_answered_at_every_size(entries: list[Any], more: int) -> None:
    """Between two values that many rows have there is no row at all."""
    values = np.resize(np.array(entries), selection.SMALL + more)
    limits: dict[str, Any] = {"bounds": (0, 10), "missing": "none"}
    asked: list[Any] = [
        ln.WithInterval(ln.Median(**limits)),
        ln.WithInterval(ln.Minimum(**limits)),
        ln.QuantileInterval(**limits),
        ln.Quantiles(q=["0.1", "0.5", "0.9"], **limits),
        ln.Mean(**limits),
        ln.CountDistinct(),
    ]
    for statistic in asked:
        ln.release(statistic, values, epsilon=1)


@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.uint8])
@pytest.mark.parametrize("n", [0, 1, 9, selection.SMALL + 1])
@pytest.mark.parametrize(
    "bounds", [(-100, 50), (0, 40), (2**63 - 60, 2**63 - 1), (2**64 - 50, 2**64 - 10)]
)
def test_variances_of_every_integer_type(kind: Any, n: int, bounds: tuple[int, int]) -> None:
    values = np.resize(np.array([3, 7, 20, 100], kind), n)
    summed = [min(max(int(x), bounds[0]), bounds[1]) for x in values[:4]]
    statistic = ln.Variance(bounds=bounds)
    value = ln.profile(statistic, values[:4]).value
    mean = Fraction(sum(summed), max(1, len(summed)))
    expected = sum(((x - mean) ** 2 for x in summed), Fraction(0)) / max(1, len(summed))
    assert abs(Fraction(value) - expected) <= Fraction(1, 100)
    ln.release(statistic, values, epsilon=1)


@pytest.mark.parametrize("kind", [np.int64, np.int8, np.uint8, np.uint64, np.bool_])
@pytest.mark.parametrize("limits", [(-5, 90), (3, 40), (200, 300), (-300, -200)])
def test_integers_of_few_points_are_counted(kind: Any, limits: tuple[int, int]) -> None:
    values = np.random.default_rng(5).integers(0, 120, ROWS).astype(kind)
    lattice = Lattice(Fraction(1), *limits, integer=True)
    found = held_records(values, lattice, [Fraction(1, 2)])
    expected = Listed(np.sort(lattice.quantise(values)))
    ranks = [(1, 9), (ROWS // 2 - 500, ROWS // 2 + 500), (ROWS, ROWS)]
    assert [*map(list, found.windows(ranks))] == expected.windows(ranks)
    points = [*range(limits[0] - 1, limits[1] + 2)]
    assert found.counts(points) == expected.counts(points)
    assert len(found) == ROWS
    assert isinstance(found, Repeated)


@pytest.mark.parametrize("low", [1, -1])
def test_points_beyond_64_bits_are_counted_exactly(low: int) -> None:
    """Not as doubles, of which a thousand integers near 2**63 are one."""
    top = 2**63
    values = np.random.default_rng(5).integers(top - 4096, top - 1, ROWS, endpoint=True)
    lattice = Lattice(Fraction(1), low, top + 2)
    points = [top - 4096, top - 2000, top - 1, top, top + 2]
    counted = held_records(values, lattice, [Fraction(1, 2)]).counts(points)
    exact = [
        (sum(v < p for v in values.tolist()), sum(v <= p for v in values.tolist())) for p in points
    ]
    assert counted == exact
