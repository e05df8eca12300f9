"""Means and shares with an interval of their population: privacy, and coverage of each part."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import comb, exp

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit.searches import Together
from leastnoise.errors import ParameterError
from leastnoise.mechanisms.with_ends import noise_reach
from leastnoise.session.search.noisy_moments import (
    Rates,
    SearchedMoments,
    _tail,
    moment_laws,
    reach,
)
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.testing import simulate

ONE, MISS = Fraction(1), Fraction(1, 20)


def summary(values: tuple[int, ...], top: int, low: int = 0) -> SpreadSummary:
    return SpreadSummary.of(values, Lattice(ONE, low, top, 0, True))


# Privacy: the claim is attained by enumeration in tests/laws/test_with_interval.py


@pytest.mark.parametrize(
    ("relation", "name", "factor"),
    [
        ("replace-one", "squares", Fraction(2)),
        ("replace-one", "first", Fraction(3, 2)),
        ("edit", "squares", Fraction(2)),
        ("edit", "first", Fraction(3, 2)),
        ("edit", "rows", Fraction(3, 2)),
    ],
)
def test_no_number_may_be_any_less_noisy(relation: str, name: str, factor: Fraction) -> None:
    rates = Rates.of(ONE, 3, public=relation == "replace-one")
    louder = replace(rates, **{name: factor * getattr(rates, name)})

    def law(data: tuple[int, ...]) -> Together:
        return Together(*moment_laws(summary(data, 3), louder))

    found = audit.exact_law(law, universe=(0, 1, 2, 3), n=2, relation=relation, claim=ln.PureDP(1))
    assert found.lo > 1


def test_squares_about_another_point_break_the_claim() -> None:
    """Squares of x itself move by width^2, and with the sum rather than against it."""
    rates = Rates.of(ONE, 3, public=True)

    def law(data: tuple[int, ...]) -> Together:
        first, _ = moment_laws(summary(data, 3), rates)
        own = sum(4 * x * x for x in data)
        return Together(first, ln.laws.DiscreteLaplaceLaw(own, rates.squares or ONE, ONE))

    found = audit.exact_law(
        law, universe=(0, 1, 2, 3), n=2, relation="replace-one", claim=ln.PureDP(1)
    )
    assert found.lo > 1


# Shares: exact coverage, by enumeration of the sample and of the noise


def noise(rate: float, most: int) -> Iterator[tuple[int, float]]:
    q = exp(-rate)
    for k in range(-most, most + 1):
        yield k, (1 - q) / (1 + q) * q ** abs(k)


@pytest.mark.parametrize(("rows", "epsilon"), [(1, "1"), (6, "2"), (9, "1/2")])
def test_a_share_lies_in_its_interval_whatever_it_is(rows: int, epsilon: str) -> None:
    rates, miss = Rates.of(Fraction(epsilon), 1, public=True), Fraction(1, 5)
    far = int(9 / rates.first)
    ends = {
        count: SearchedMoments(2 * count - rows, 0, rows, 1, rates).ends(miss)
        for count in range(-far, rows + far + 1)
    }
    for share in (0.0, 0.03, 0.2, 0.5, 0.6, 0.91, 1.0):
        missed = 0.0
        for ones, (x, chance) in product(range(rows + 1), noise(float(rates.first), far)):
            low, high = ends[ones + x]
            if not low <= 2 * share - 1 <= high:
                missed += comb(rows, ones) * share**ones * (1 - share) ** (rows - ones) * chance
        assert missed <= miss


def test_a_share_of_a_private_number_of_rows_lies_in_its_interval() -> None:
    rows, miss = 4, Fraction(1, 3)
    rates = Rates.of(Fraction(4), 1, public=False)
    assert rates.rows is not None
    missed = dict.fromkeys((0.0, 0.1, 0.35, 0.5, 0.8), 0.0)
    sums = [*noise(float(rates.first), 4)]
    for first, (y, rare) in product(range(-8, 9), noise(float(rates.rows), 3)):
        low, high = SearchedMoments(first, 0, rows + y, 1, rates).ends(miss)
        for share in missed:
            if not low <= 2 * share - 1 <= high:
                for ones, (x, chance) in product(range(rows + 1), sums):
                    if 2 * ones - rows + x == first:
                        missed[share] += (
                            comb(rows, ones) * share**ones * (1 - share) ** (rows - ones)
                        ) * (chance * rare)
    assert max(missed.values()) <= miss
    assert max(missed.values()) > 0


# Means: what is certain of the noise, and the normal law of the sum


@pytest.mark.parametrize(
    ("deviation", "scale", "other"),
    [(1, 1, 0), (1, 0.01, 0), (0.01, 1, 0.5), (0, 2, 0), (3, 1, 1), (1, 2, 1.99), (1e6, 1e-3, 0)],
)
@pytest.mark.parametrize("miss", [0.2, 0.01])
def test_the_reach_of_a_normal_and_two_laplace_laws_is_the_least(
    miss: float, deviation: float, scale: float, other: float
) -> None:
    found = reach(miss, deviation, scale, other)

    def laplace(w: float, size: float) -> float:
        return exp(-w / size) / 2 if w > 0 else 1 - exp(w / size) / 2

    def both(w: float) -> float:
        if not other:
            return laplace(w, scale)
        return quad(
            lambda t: exp(-abs(t) / other) / (2 * other) * laplace(w - t, scale),
            -40 * other, 40 * other, points=[0, w] if w < 40 * other else [0], limit=200,
        )[0]  # fmt: skip

    def beyond(w: float) -> float:
        if deviation == 0:
            return 2 * both(w)
        if deviation > 1e5:
            return 2 * float(ndtr(-w / deviation))
        return 2 * quad(
            lambda z: exp(-z * z / 2) / (2 * np.pi) ** 0.5 * both(w - deviation * z),
            -9, 9, points=[0, min(8.9, w / deviation)], limit=200,
        )[0]  # fmt: skip

    assert beyond(found) <= miss * (1 + 1e-6)
    assert beyond(found * 0.98) > miss


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("signs", list(product((-1, 1), repeat=3)))
def test_the_variance_is_not_underrated_as_far_as_noise_reaches(
    signs: tuple[int, int, int], public: bool
) -> None:
    rates = Rates.of(ONE / 20, 10, public=public)
    squares = rates.squares
    assert squares is not None
    for data in ((0, 10) * 300, (2, 3, 4) * 200, (10,) * 600, (5,) * 600, (0,) * 599 + (10,)):
        laws = moment_laws(summary(data, 10), rates)
        first, second = (law.centre for law in laws[:2])
        first = first * rates.grain - (len(data) * 10 if public else 0)
        assert first == sum(2 * x - 10 for x in data)
        assert second == sum((2 * x - 10) ** 2 for x in data)
        true = second - Fraction(first**2, len(data))
        rest = MISS if public else MISS * 23 / 24
        first += signs[0] * rates.grain * noise_reach(rest / 24, 1 / rates.first)
        second += signs[1] * noise_reach(rest * 23 / 24 / 6, 1 / squares)
        far = 0 if rates.rows is None else noise_reach(MISS / 24, 1 / rates.rows)
        rows = len(data) + signs[2] * far
        noisy = SearchedMoments(first, second, rows, 10, rates)
        found, left = noisy._squares(squares, (rows - far, rows + far), rest)
        assert found >= true
        assert left == rest * Fraction(23, 24) * Fraction(11, 12)


@pytest.mark.parametrize("miss", [0.2, 0.1, 0.05, 0.01, 1e-4, 1e-9])
def test_an_underrated_variance_and_a_stray_sum_miss_no_more_often_together(miss: float) -> None:
    """Of a normal sum, for every ratio v of its variance to the scale of the noise of squares."""
    slack, z = -np.log(2 * miss), -ndtri(miss / 2)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    for v in np.geomspace(1e-3, 1e5, 60):
        total = miss * exp(-v)  # nothing is left of the variance
        for low, high in ((-(v + slack), 0.0), (0.0, 40.0)):
            x = np.maximum(low, -60.0) if low else 0.0
            at = (high - x) / 2 * nodes + (high + x) / 2
            chance = 2 * ndtr(-z * np.sqrt(np.maximum(0, (v + slack + at) / v)))
            total += (high - x) / 2 * float(weights @ (chance * np.exp(-abs(at)))) / 2
        assert total <= miss * (1 + 1e-6)


@pytest.mark.parametrize("miss", [0.2, 0.05])
@pytest.mark.parametrize("scale", [0.03, 0.5, 2, 10])
def test_nor_do_they_with_the_noise_of_the_sum(miss: float, scale: float) -> None:
    slack = -np.log(2 * miss)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    for v in (0.03, 0.3, 3.0, 30.0):
        total, end = 0.0, -(v + slack)
        for low, high in ((end - 20, end), (end, max(end, -6)), (max(end, -6), 0), (0, 4), (4, 20)):
            at = (high - low) / 2 * nodes + (high + low) / 2
            for x, weight in zip(at, weights, strict=True):
                w = reach(miss, max(0.0, v + slack + x) ** 0.5, scale)
                missed = 2 * _tail(w, v**0.5, scale)
                total += (high - low) / 4 * weight * missed * exp(-abs(x))
        assert total <= miss


def test_noise_that_is_small_beside_the_squares_needs_no_share_of_the_miss() -> None:
    data = (2, 3, 4) * 200
    rates = Rates.of(ONE, 10, public=True)
    assert rates.squares is not None
    first, second = (int(law.centre) for law in moment_laws(summary(data, 10), rates))
    noisy = SearchedMoments(2 * first - 6000, second, 600, 10, rates)
    found, left = noisy._squares(rates.squares, (600, 600), MISS)
    assert left == MISS * 23 / 24
    near = abs(noisy.first) - 2 * noise_reach(MISS / 24, 1 / rates.first)
    least = second - near**2 / 600 - np.log(2 * float(left)) / float(rates.squares)
    assert least <= found <= least + 3


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
def test_the_mean_of_a_normal_population_lies_in_its_interval(relation: str) -> None:
    rng, held, widths = np.random.default_rng(5), 0, list[float]()
    asked = ln.WithInterval(ln.Mean(bounds=(0, 100), missing="none"), level="0.9", of="population")
    for seed in range(100):
        with simulate(seed):
            found = ln.release(asked, rng.normal(40, 10, 400), epsilon=1, relation=relation)
        low, high = found.interval
        assert low <= found.value <= high
        held += low <= 40 <= high
        widths.append(high - low)
    assert held >= 90
    assert np.mean(widths) < 2.2 * 2 * 1.645 * 10 / 20


# Releases

ROWS = np.random.default_rng(27).normal(50, 10, 1000)
MEAN = ln.Mean(bounds=(0, 100))


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_a_record_says_what_its_interval_holds(relation: str) -> None:
    asked = ln.WithInterval(MEAN, of="population")
    with simulate("record"):
        found = ln.release(asked, ROWS, epsilon=1, relation=relation)
    assert found.interval[0] < 50 < found.interval[1]
    assert found.coverage["holds"] == "the mean of the population; sample and noise are random"
    assert "central limit theorem" in found.coverage["method"]
    assert found.guarantee == ln.PureDP(1, found.guarantee.scope)
    assert sum(map(Fraction, found.parts.values())) == 1
    assert "sum of squares" in found.mechanism
    assert ln.Release.from_json(found.to_json()).coverage == found.coverage


def test_a_share_needs_no_assumption_and_no_squares() -> None:
    for column, step in ((ROWS > 55, None), (np.where(ROWS > 55, 1.0, 0.0), 1)):
        asked = ln.WithInterval(ln.Mean(bounds=(0, 1), step=step, missing="none"), of="population")
        with simulate("share"):
            found = ln.release(asked, column, epsilon=1)
        low, high = found.interval
        assert low < np.mean(column) < high
        assert high - low < 0.07
        assert found.coverage["method"] == "binomial, whatever the share"
        assert found.mechanism == "Laplace()"


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
@pytest.mark.parametrize("rows", [0, 1, 2, 3])
@pytest.mark.parametrize("bounds", [(0, 1), (0, 100), (0.5, 1.5), (-2000, 2000)])
def test_few_rows_have_a_finite_answer(
    bounds: tuple[float, float], rows: int, relation: str
) -> None:
    for epsilon, step in product(("1e-60", "1", "1e60"), (None, 1)):
        asked = ln.WithInterval(ln.Mean(bounds=bounds, step=step, missing="none"), of="population")
        with simulate(rows):
            found = ln.release(asked, [1.0] * rows, epsilon=epsilon, relation=relation)
        low, high = found.interval
        assert bounds[0] <= low <= found.value <= high <= bounds[1]


def test_groups_miss_together_as_rarely_as_one_and_persons_are_refused() -> None:
    table = {"x": list(ROWS), "g": ["a", "b"] * 500, "who": [i // 2 for i in range(1000)]}
    asked = ln.WithInterval(ln.Mean("x", bounds=(0, 100)), of="population")
    together = replace(asked, simultaneous=True)
    widths = list[float]()
    with ln.open(table, relation="add-remove") as data:
        for one in (asked, together):
            with simulate("groups"):
                made = data.group_by({"g": ["a", "b"]}).release(one, epsilon=1)
            assert all(found.interval[0] < 50 < found.interval[1] for found in made.values())
            widths.append(made["a"].interval[1] - made["a"].interval[0])
    assert widths[0] < widths[1]
    for inner in (ln.Mean("x", bounds=(0, 100)), ln.Median("x", bounds=(0, 100))):
        asked = ln.WithInterval(inner, of="population")
        refused = pytest.raises(ParameterError, match="max_rows=1")
        with ln.open(table, unit="who", max_rows=2) as data, refused:
            data.release(asked, epsilon=1)
        with simulate("persons"), ln.open(table, unit="who", max_rows=1) as data:
            assert data.release(asked, epsilon=1).interval is not None


class Doubled(ln.Mean):
    """A mean that is not what its records' is."""


@pytest.mark.parametrize(
    ("statistic", "mechanism", "message"),
    [
        (MEAN, ln.PiecewiseLaplace(), "default mechanism"),
        (MEAN, ln.Laplace(), "default mechanism"),
        (MEAN, ln.Gaussian(delta="1e-6"), "not epsilon-DP"),
        (Doubled(bounds=(0, 1)), None, "mean, share, variance"),
        (ln.Sum(bounds=(0, 1)), None, "mean, share, variance"),
    ],
)
def test_what_has_no_sample_of_its_own_is_refused(
    statistic: object, mechanism: object, message: str
) -> None:
    def release() -> object:
        asked = ln.WithInterval(statistic, of="population")
        return ln.release(asked, ROWS, epsilon=1, relation="edit", mechanism=mechanism)

    with pytest.raises(ParameterError, match=message):
        release()
