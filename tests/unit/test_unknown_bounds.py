"""PrivateBounds: parameters, records, and data that ask for trouble."""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.frames import Table, open_table
from leastnoise.frames.memory.numbers import SortedNumbers, raw_numbers
from leastnoise.randomness import HashedBits
from leastnoise.session.search import unknown_bounds
from leastnoise.session.search.bounds_search import Search
from leastnoise.session.search.float_index import FloatIndex
from leastnoise.testing import simulate

P = ln.PrivateBounds()
STATISTICS = [
    ln.Mean(bounds=P),
    ln.Mean(bounds=P, step="0.001"),
    ln.Mean(bounds=P, missing=7),
    ln.Mean(bounds=ln.PrivateBounds(share="1/5")),
    ln.Sum(bounds=P),
    ln.Variance(bounds=P, missing="none"),
    ln.StandardDeviation(bounds=P),
    ln.InterquartileRange(bounds=P),
    ln.Median(bounds=P),
    ln.Quantile(q=0, bounds=P),
]
DATA = [
    [],
    [math.nan] * 3,
    [1e300, -1e300, math.inf, -math.inf, math.nan],
    [5.0],
    [3.0] * 7,
    [1e-300] * 9,
    [2.0**59] * 1000,
    [0.0] * 500,
]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("epsilon", ["1/100", 1, 100])
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: f"{type(s).__name__}")
def test_every_data_set_gives_a_finite_value(statistic, epsilon, relation) -> None:
    for values in DATA:
        whole = [int(v) for v in values if abs(v) < 2**62]
        for column in (np.array(values, dtype=np.float64), np.array(whole, dtype=np.int64)):
            r = ln.release(statistic, column, epsilon=epsilon, relation=relation)
            assert math.isfinite(r.value)
            assert r.guarantee.epsilon == Fraction(epsilon)
            assert sum(map(Fraction, r.parts.values())) == Fraction(epsilon)
            assert ln.Release.from_json(r.to_json()) == r


LOSSES = [
    ln.MeanSquaredError(bounds=P),
    ln.RootMeanSquaredError(bounds=P, missing="drop"),
    ln.MeanAbsoluteError(bounds=ln.PrivateBounds(share="1/5"), missing=7),
    ln.CrossEntropy(loss_bound=P),
    ln.CrossEntropy(logits=True, loss_bound=P, missing="drop"),
]


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("epsilon", ["1/100", 1, 100])
@pytest.mark.parametrize("statistic", LOSSES, ids=lambda s: f"{type(s).__name__}")
def test_every_table_gives_a_finite_loss(statistic, epsilon, relation) -> None:
    for values in DATA:
        column = np.array(values, dtype=np.float64)
        for pair in ((column, -column), (np.ones(len(column)), column)):
            r = ln.release(statistic, pair, epsilon=epsilon, relation=relation)
            assert math.isfinite(r.value)
            assert r.value >= 0
            assert r.guarantee.epsilon == Fraction(epsilon)
            assert sum(map(Fraction, r.parts.values())) == Fraction(epsilon)
            assert ln.Release.from_json(r.to_json()) == r


def test_the_record_of_a_loss_shows_its_limit_and_the_price_of_every_stage() -> None:
    rng = np.random.default_rng(0)
    data = rng.normal(0, 1, 1000), np.zeros(1000)
    r = ln.release(ln.MeanSquaredError(bounds=P), data, epsilon=1)
    assert list(r.parts) == ["A: bracket", "D: tail", "answer, Laplace()"]
    assert r.bounds[0] == 0 < r.bounds[1]
    assert any("clipped" in note for note in r.notes)
    assert any("public with respect to the scored rows" in note for note in r.notes)
    few = ln.release(ln.MeanSquaredError(bounds=P), (data[0][:20], data[1][:20]), epsilon=1)
    assert any("few records" in note for note in few.notes)
    with pytest.raises(ValueError, match="omit mechanism"):
        ln.release(ln.MeanSquaredError(bounds=P), data, epsilon=1, mechanism=ln.Laplace())


def test_the_record_shows_bounds_and_the_price_of_every_stage() -> None:
    x = np.random.default_rng(0).normal(50, 10, 1000)
    r = ln.release(ln.Mean(bounds=P, missing="none"), x, epsilon=1)
    assert list(r.parts)[:4] == ["A: bracket", "B: centre", "C: radius", "D: tail"]
    assert r.bounds[0] < r.bounds[1]
    assert any("clipped" in note for note in r.notes)
    few = ln.release(ln.Mean(bounds=P, missing="none"), x[:20], epsilon=1)
    assert any("few records" in note for note in few.notes)


def test_a_declared_share_is_kept() -> None:
    x = np.random.default_rng(0).normal(50, 10, 1000)
    r = ln.release(ln.Mean(bounds=ln.PrivateBounds(share="1/5"), missing="none"), x, epsilon=2)
    search = [Fraction(v) for k, v in r.parts.items() if k[1] == ":"]
    assert sum(search) == Fraction(2, 5)


def test_whole_numbers_stay_whole() -> None:
    x = np.arange(1000) % 50
    assert type(ln.release(ln.Median(bounds=P), x, epsilon=1).value) is int
    assert type(ln.release(ln.InterquartileRange(bounds=P), x, epsilon=1).value) is int


@pytest.mark.parametrize("share", [0, 1, -1, "2"])
def test_the_share_lies_between_0_and_1(share: object) -> None:
    with pytest.raises(ValueError, match="share"):
        ln.PrivateBounds(share=share)


def test_what_has_no_search_says_so() -> None:
    for statistic in (
        ln.QuantileInterval(bounds=P),
        ln.Minimum(bounds=P),
    ):
        with pytest.raises(ValueError, match="needs declared bounds"):
            ln.release(statistic, [1.0], epsilon=1)
    with pytest.raises(ValueError, match="AsymmetricSensitivity"):
        ln.release(ln.Median(bounds=P), [1.0], epsilon=1, mechanism=ln.Laplace())


@pytest.mark.parametrize(
    "mechanism",
    [ln.Gaussian(delta="0.9"), ln.DiscreteGaussian(delta="1e-6"), ln.SmoothLaplace(delta="1e-6")],
    ids=str,
)
@pytest.mark.parametrize(
    "statistic",
    [ln.Mean, ln.Sum, ln.Variance, ln.StandardDeviation, ln.InterquartileRange, ln.Median],
)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_an_approximate_answer_is_no_part_of_a_pure_release(
    statistic: Any, mechanism: Any, relation: str, tmp_path: Path
) -> None:
    ledger = ln.Ledger.create(
        tmp_path / "l.db", dataset="d", budget=ln.PureDP(9), relation=relation
    )
    with ledger, ln.open([1.0, 2.0], ledger=ledger, dataset="d") as data:
        with pytest.raises(ValueError, match=r"is epsilon-DP: omit mechanism=|Asymmetric"):
            data.release(statistic(bounds=P), epsilon=1, mechanism=mechanism)
        assert data.spent == 0


@pytest.mark.parametrize("step", ["7/5", "1/3", "0.001", 1, 3, "1e-6", 10**6])
@pytest.mark.parametrize("size", [1.0, 1e9, 2.0**53 + 2, 1e18, -1e18, 1e300, -1e300, 1e-300])
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum, ln.Variance, ln.StandardDeviation])
def test_bounds_far_from_0_hold_points_of_any_step(statistic: Any, size: float, step: Any) -> None:
    asked = statistic(bounds=P, step=step)
    for mechanism in (None, ln.Laplace(), ln.PiecewiseLaplace()):
        for missing in ("none", "drop"):
            data = np.full(300, size)
            r = ln.release(asked, data, epsilon=50, mechanism=mechanism, missing=missing)
            assert math.isfinite(r.value)


@pytest.mark.parametrize("bits", [7, 20])
def test_the_index_of_doubles_is_monotone_and_near(bits: int) -> None:
    index = FloatIndex(bits)
    rng = np.random.default_rng(1)
    x = np.sort(
        np.concatenate(
            [
                rng.normal(0, 1, 500) * 10.0 ** rng.uniform(-10, 17, 500),
                [0.0, -0.0, np.inf, -np.inf, 5e-324, 1e308, 2.0**-40, -(2.0**-40)],
            ]
        )
    )
    cells = index.index(x)
    assert np.all(np.diff(cells) >= 0)
    assert cells.min() >= index.lattice.low
    assert cells.max() <= index.lattice.high
    for value, cell in zip(x.tolist(), cells.tolist(), strict=True):
        if 2**-40 <= abs(value) < 2**60:
            near = float(index.value(cell))
            assert abs(near) <= abs(value) < abs(near) * (1 + 2.0**-bits) * (1 + 1e-15)
        elif abs(value) < 2**-40:
            assert cell == 0
    assert index.value(int(index.index(np.array([50.0]))[0])) == 50


def test_missing_values_are_dropped_or_imputed() -> None:
    def kept(table: Table, name: None, imputed: float | None) -> list[float]:
        numbers = raw_numbers(table, name, imputed)
        assert isinstance(numbers, SortedNumbers)
        return numbers.ordered.tolist()

    table = open_table(np.array([3.0, math.nan, 1.0]))
    assert kept(table, None, None) == [1, 3]
    assert kept(table, None, 2.0) == [1, 2, 3]
    masked = open_table(np.ma.array([3, 9, 1], mask=[0, 1, 0]))
    assert kept(masked, None, None) == [1, 3]
    assert kept(masked, None, 2.0) == [1, 2, 3]


def test_a_private_row_count_steers_the_stages_through_noise_only() -> None:
    search = Search(
        SortedNumbers(np.arange(50.0)), "add-remove", Fraction(1), None, HashedBits(b"rows")
    )
    assert len({search.rows()[0] for _ in range(20)}) > 5
    public = Search(
        SortedNumbers(np.arange(50.0)), "replace-one", Fraction(1), None, HashedBits(b"rows")
    )
    assert public.rows() == (50, {})


def test_the_answer_is_drawn_from_what_the_stages_left() -> None:
    values = np.random.default_rng(0).normal(50, 10, 1000)
    with simulate("left"):
        r = ln.release(ln.Mean(bounds=P, missing="none"), values, epsilon=1)
    left = Fraction(r.parts["answer, Laplace()"])
    assert sum(map(Fraction, r.parts.values())) == 1
    low, high = r.bounds
    assert r.noise_scale == pytest.approx((high - low) / 1000 / float(left), rel=1e-6)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("statistic", [ln.Variance(bounds=P), ln.StandardDeviation(bounds=P)])
def test_the_moments_are_drawn_from_what_the_stages_left(statistic, relation, monkeypatch) -> None:
    used = []

    def watched(epsilon, records, *, public):
        used.append(epsilon)
        return moment_shares(epsilon, records, public=public)

    moment_shares = unknown_bounds.moment_shares
    monkeypatch.setattr(unknown_bounds, "moment_shares", watched)
    values = np.random.default_rng(0).normal(50, 10, 1000)
    r = ln.release(statistic, values, epsilon=2, relation=relation)
    *stages, (_, answer) = r.parts.items()
    assert used == [Fraction(answer)]
    assert used[0] + sum(Fraction(share) for _, share in stages) == 2
