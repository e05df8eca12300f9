"""The fast array paths equal the reference summaries, integer for integer."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames import open_table
from leastnoise.frames.memory import selection
from leastnoise.frames.memory.power_sums import WIDEST, power_sums
from leastnoise.summaries import spec
from leastnoise.summaries.lattice import choose_lattice
from leastnoise.summaries.moments import MomentSummary
from leastnoise.summaries.ranks import RankSummary, window_ranks
from leastnoise.summaries.spread import SpreadSummary, mean_reach, shortened

RNG = np.random.default_rng(7)
N = 4_000
DATA = {
    "normal": RNG.normal(50, 10, N),
    "heavy tails": RNG.standard_cauchy(N),
    "few values": RNG.choice([0.0, 50.0, 100.0], N),
    "all equal": np.full(N, 31.25),
    "sorted": np.sort(RNG.uniform(-20, 120, N)),
    "all out of bounds": RNG.choice([-1e300, 1e300, np.inf, -np.inf], N),
    "float32": RNG.normal(50, 10, N).astype(np.float32),
    "big-endian, strided": RNG.normal(50, 10, 2 * N).astype(">f8")[::2],
    "integers": RNG.integers(-20, 130, N),
    "bytes": RNG.integers(0, 100, N).astype(np.uint8),
    "with NaN": np.where(RNG.random(N) < 0.1, np.nan, RNG.normal(50, 10, N)),
}
BOUNDS = [(0, 100), (-3, 7), (49.5, 50.5), (-(10**6), 10**6)]


@pytest.fixture(autouse=True)
def small_arrays_take_the_fast_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selection, "SMALL", 1000)
    monkeypatch.setattr("leastnoise.frames.memory.spread.SMALL", 1000)
    monkeypatch.setattr(selection, "_SAMPLE", 512)


def reference(data: np.ndarray, request: object) -> list[int]:
    """Lattice integers record by record, missing ones dropped or imputed."""
    lattice = request.lattice
    found = []
    for value in data.tolist():
        if value != value:
            if request.missing.impute is not None:
                found.append(request.missing.impute)
        else:
            found.append(int(lattice.quantise(np.array([value], dtype=data.dtype))[0]))
    return found


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_ranks(name: str, bounds: tuple[object, object]) -> None:
    data, depth = DATA[name], 40
    for missing in (None, "none"):
        table = open_table(data)
        asked = spec.ranks(at=["0", "1/2", "9/10", "1"], bounds=bounds, missing=missing)
        request = asked.resolve(table.column_type(None), None)
        fast = table.summarise(request, depth)
        slow = RankSummary.of(reference(data, request), request.at, request.lattice)
        assert fast.n == slow.n
        for target, order in enumerate(request.at):
            first, last = window_ranks(order, slow.n, depth)
            for rank in range(first, last + 1):
                assert fast.at_rank(target, rank) == slow.at_rank(target, rank)


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_moments(name: str, bounds: tuple[object, object]) -> None:
    data, depth = DATA[name], 40
    for missing in (None, "none"):
        table = open_table(data)
        request = spec.moments(bounds=bounds, missing=missing).resolve(
            table.column_type(None), None
        )
        fast = table.summarise(request, depth)
        slow = MomentSummary.of(reference(data, request), request.lattice, depth)
        assert (fast.n, fast.total) == (slow.n, slow.total)
        assert list(fast.smallest) == list(slow.smallest)
        assert list(fast.largest) == list(slow.largest)


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("name", DATA)
def test_spread(name: str, bounds: tuple[object, object]) -> None:
    data, depth = DATA[name], 40
    for missing in (None, "none"):
        table = open_table(data)
        request = spec.spread(bounds=bounds, missing=missing).resolve(table.column_type(None), None)
        fast = table.summarise(request, depth)
        values = reference(data, request)
        slow = SpreadSummary.of(values, request.lattice, depth)
        assert (fast.n, fast.total, fast.squares) == (slow.n, slow.total, slow.squares)
        assert list(fast.smallest) == list(slow.smallest)
        assert list(fast.largest) == list(slow.largest)
        ordered = sorted(values)
        least, most = mean_reach(fast.n, fast.total, request.lattice, depth)
        first, run = fast.middle.first, list(fast.middle.values)
        # values that repeat more often than depth + 1 times may be cut short
        short, whole = (
            shortened(np.array(part), depth).tolist() for part in (run, ordered[first - 1 :])
        )
        assert short == whole[: len(short)]
        # beyond the run: nothing, or records past enough others, or more of enough ties
        before, after = ordered[: first - 1], whole[len(short) :]
        enough_below = sum(z < least for z in run) >= depth
        enough_above = sum(z > most for z in run) >= depth
        assert not before or enough_below or (before[0] == run[0] and run.count(run[0]) >= depth)
        assert not after or enough_above or (after[-1] == run[-1] and run.count(run[-1]) >= depth)


def test_no_change_takes_the_mean_beyond_its_reach() -> None:
    """Every table within so many deletions and insertions of every small table."""
    lattice = choose_lattice(
        (Fraction(-1), Fraction(3)), purpose="moments", integer_column=True, step=Fraction(1)
    )
    tables = [x for n in range(1, 6) for x in combinations_with_replacement((-1, 0, 3), n)]
    tight = 0
    for x in tables:
        for depth in range(1, len(x)):
            least, most = mean_reach(len(x), sum(x), lattice, depth)
            common = {y: sum((Counter(x) & Counter(y)).values()) for y in tables}
            near = [
                Fraction(sum(y), len(y))
                for y in tables
                if max(len(x) - common[y], len(y) - common[y]) <= depth
            ]
            assert least <= min(near)
            assert max(near) <= most
            tight += least == min(near) or most == max(near)
    assert tight > 10


def test_the_order_of_rows_does_not_matter() -> None:
    data = np.array([1e16] + [1.0] * 8)
    lattice = choose_lattice(
        (Fraction(0), Fraction(10**16)), purpose="moments", integer_column=False, step=None
    )
    totals = set()
    for order in (data, data[::-1]):
        table = open_table(order)
        request = spec.moments(bounds=(0, 10**16)).resolve(table.column_type(None), None)
        totals.add(table.summarise(request, 0).total * lattice.step)
    assert totals == {10_000_000_000_000_008}


def test_wide_integer_columns_do_not_wrap() -> None:
    for dtype in (np.int64, np.uint64):
        data = np.array([4611686018427387904] * 5, dtype=dtype)
        table = open_table(data)
        request = spec.moments(bounds=(0, 4611686018427387904)).resolve(
            table.column_type(None), None
        )
        assert table.summarise(request, 0).total == 5 * 4611686018427387904
        wide = spec.spread(bounds=(0, 4611686018427387904)).resolve(table.column_type(None), None)
        assert table.summarise(wide, 2).squares == 5 * 4611686018427387904**2


@pytest.mark.parametrize(
    ("bounds", "step"),
    [
        ((0, 100), None),
        ((-(10**9), 10**9), None),
        ((2**40, 2**40 + 1), None),
        ((1000, 1001), None),
        ((-3, 7), Fraction(1, 3)),
        ((0, 2**37 - 2), Fraction(1)),
        ((0, 2**37 + 2), Fraction(1)),
        ((0, 10**100), None),
        ((0, 10**300), None),
        ((0, Fraction(1, 10**250)), None),
    ],
    ids=str,
)
def test_power_sums_are_exact_at_any_scale(
    bounds: tuple[object, object], step: Fraction | None
) -> None:
    """Words that wrap, doubles that would overflow, limits far from 0: always the same integers."""
    low, high = map(Fraction, bounds)
    lattice = choose_lattice((low, high), purpose="spread", integer_column=False, step=step)
    ends = np.array([float(low), float(high), np.inf, -np.inf])
    for size in (3, 40_000 if lattice.width < WIDEST else 200):
        for values in (
            float(low) + RNG.random(size) * float(high - low),
            np.full(size, float(high)),
            RNG.choice(ends, size),
        ):
            z = [int(point) for point in lattice.quantise(values).tolist()]
            assert power_sums(values, lattice) == (sum(z), sum(v * v for v in z))
            if lattice.width < WIDEST:
                values[size // 2] = np.nan
                assert power_sums(values, lattice) is None


@pytest.mark.parametrize("bounds", [(0, 1e300), (-1e-250, 1e-250), (1e200, 2e200)], ids=str)
def test_variances_at_the_ends_of_doubles_raise_and_warn_nothing(
    bounds: tuple[float, float],
) -> None:
    statistic = ln.Variance(bounds=bounds, missing="none")
    for shares in (RNG.random(5000), np.zeros(5000), np.ones(5000)):
        data = bounds[0] + shares * (bounds[1] - bounds[0])
        assert ln.release(statistic, data, epsilon=1).value >= 0


SHAPES = {
    "no ties": np.unique(RNG.normal(size=600))[:400],
    "ties": RNG.integers(0, 30, 400).astype(np.float64),
    "mostly one number": np.where(RNG.random(400) < 0.8, 3.0, RNG.normal(size=400)),
    "integers": RNG.integers(-(2**62), 2**62, 400),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_bracket_decides_how_fast_and_never_what(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a sample proposes, also a bracket one rank beside the one that is wanted."""
    monkeypatch.setattr(selection, "SMALL", 20)
    monkeypatch.setattr("leastnoise.frames.memory.selection._FEW_RANKS", 3)
    values, n = SHAPES[name], 400
    ordered = np.sort(values)

    def near(rank: int) -> object:
        place = rank - 1 + int(RNG.integers(-3, 4))
        return ordered[place] if 0 <= place < n else None

    def brackets(_: object, __: int, windows: list[tuple[int, int]]) -> list[tuple[object, object]]:
        found = [(near(first), near(last)) for first, last in windows]
        return [(a, b) if a is None or b is None or a <= b else (b, a) for a, b in found]

    monkeypatch.setattr(selection, "_brackets", brackets)
    for _ in range(150):
        first, last = sorted(RNG.integers(1, n + 1, 2).tolist())
        last = min(last, first + 4)
        wanted = ordered[first - 1 : last]
        assert np.array_equal(selection.ranks_of(values, first, last), wanted)
        others = [(first, last), (n, n), (1, 2)]
        for run, (a, b) in zip(selection.selected_runs(values, others), others, strict=True):
            assert np.array_equal(run, ordered[a - 1 : b])
        for piece in selection.pieces_around(values, [first, last]):
            piece = piece.ordered()
            assert np.array_equal(piece.values, ordered[piece.below : piece.until])


@pytest.mark.parametrize("name", SHAPES)
def test_the_middle_of_many_entries_is_that_of_few(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits stand on entries as often as between them, and brackets may be as tight as allowed."""
    values, depth = SHAPES[name].astype(np.float64), 7
    ordered = np.unique(values)
    for _ in range(60):
        least, most = np.sort(RNG.choice(ordered, 2)) + RNG.choice([0.0, 0.0, 0.25])
        monkeypatch.setattr(selection, "SMALL", 1000)
        few = selection.spread_runs(values, least, most, depth)
        monkeypatch.setattr(selection, "SMALL", 20)
        below, above = ordered[ordered < least][-1:], ordered[ordered > most][:1]
        tight = below[0] if len(below) else None, above[0] if len(above) else None
        for middle in (tight, (None, None)):
            ends = [(None, None), middle, (None, None)]
            monkeypatch.setattr(selection, "_spread_brackets", lambda *_, ends=ends: ends)
            monkeypatch.setattr(selection, "spread_sample", lambda values: values[:50])
            collector = selection.SpreadCollector(values, depth, -9.0, 9.0)
            collector.collector.add(values)
            for many in (
                selection.spread_runs(values, least, most, depth),
                collector.runs(least, most),
            ):
                for one, other in zip(few, many, strict=True):
                    assert np.array_equal(one, other)
