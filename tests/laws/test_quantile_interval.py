"""Privacy and coverage of the interval for a quantile, by enumeration."""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, product
from math import comb

import numpy as np
import pytest

from leastnoise import PureDP, QuantileInterval, audit, release
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.laws.interval import IntervalLaw
from leastnoise.statistics.quantiles.interval_steps import private_targets
from leastnoise.statistics.quantiles.interval_targets import (
    TABLE,
    Noise,
    _chance,
    _many,
    public_target,
)
from leastnoise.summaries.records import records_of

UNIVERSE = (0, 1, 2, 3)
E1, E2 = Fraction(1, 2), Fraction(7, 10)
TAIL = Fraction(1, 10)
HALF = Fraction(1, 2)
NOISE = Noise(E1, E2)
DEFAULT = Noise(Fraction(2, 5), Fraction(3, 5))


def law(data: tuple[int, ...], targets: tuple[int, int]) -> audit.Probabilities:
    ends = IntervalLaw(records_of(sorted(data)), UNIVERSE, targets, E1, E2)
    return audit.Probabilities(ends.enclosures())


def report(law_of: Callable[..., audit.Probabilities], claim: Fraction, n: int, relation: str):
    return audit.exact_law(law_of, universe=UNIVERSE, n=n, relation=relation, claim=PureDP(claim))


@pytest.mark.parametrize("targets", [(1, 1), (2, 1), (1, 2), (0, -1), (2, 2)])
def test_both_ends_together_cost_e1_plus_e2(targets: tuple[int, int]) -> None:
    assert report(lambda data: law(data, targets), E1 + E2, 3, "replace-one").passed


def test_the_cost_is_attained() -> None:
    assert report(lambda data: law(data, (1, 1)), E1 + E2, 3, "replace-one").attained


@pytest.mark.parametrize(("e1", "e2"), [("3/2", "3/10"), ("1/5", "3/2")])
def test_other_splits_of_epsilon(e1: str, e2: str) -> None:
    a, b = Fraction(e1), Fraction(e2)

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        ends = IntervalLaw(records_of(sorted(data)), UNIVERSE, (2, 2), a, b)
        return audit.Probabilities(ends.enclosures())

    assert report(law_of, a + b, 4, "replace-one").passed


@pytest.mark.parametrize("relation", ["add-remove", "edit"])
@pytest.mark.parametrize("order", [HALF, Fraction(1, 4), Fraction(9, 10)])
def test_private_number_of_rows(relation: str, order: Fraction) -> None:
    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        # a large tail, so that the tables move within four rows
        return law(data, private_targets(order, Fraction(2, 5), Noise(4 * E1, 4 * E2), len(data)))

    assert report(law_of, E1 + E2, 4, relation).passed


def test_targets_that_move_in_both_ends_at_once_break_the_claim() -> None:
    tables = [(0, 0), (1, 1), (1, 1), (2, 2), (2, 2)]
    found = report(lambda data: law(data, tables[len(data)]), E1 + E2, 4, "add-remove")
    assert found.lo > E1 + E2


def test_one_threshold_for_both_ends_breaks_the_claim() -> None:
    """Sharing the threshold's noise costs e1 + 2 e2."""

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        x, t, one = sorted(data), UNIVERSE, Fraction(1)
        found: dict[tuple[int, int], tuple[Fraction, Fraction]] = {}
        small = Fraction(1, 1 << 40)
        for z in range(60):
            weight = enclose_indices([z], Fraction(1), E1, 96)[0]  # any weights of a threshold
            lower = [1 + z - sum(v < t[i] for v in x) for i in range(1, 4)]
            upper = [1 + z - sum(v > t[k] for v in x) for k in range(2, -1, -1)]
            # a huge e1 leaves no noise but the shared z
            for i, p in enumerate(enclose_indices(lower, Fraction(90), E2, 96)):
                for k, q in enumerate(enclose_indices(upper, Fraction(90), E2, 96)):
                    low, high = found.get((i, k), (0 * one, 0 * one))
                    found[i, k] = low + weight[0] * p[0] * q[0], high + weight[1] * p[1] * q[1]
        total = sum(low for low, _ in found.values())
        return audit.Probabilities(
            {k: (low / total - small, high / total + small) for k, (low, high) in found.items()}
        )

    assert report(law_of, E1 + E2, 2, "replace-one").lo > E1 + E2


def test_an_upper_search_to_the_bottom_breaks_the_claim() -> None:
    """A search that does not stop at the lower end's index costs more."""

    def law_of(data: tuple[int, ...]) -> audit.Probabilities:
        x, t = sorted(data), UNIVERSE
        lower = enclose_indices([1 - sum(v < t[i] for v in x) for i in range(1, 4)], E1, E2)
        upper = enclose_indices([1 - sum(v > t[k] for v in x) for k in range(2, -1, -1)], E1, E2)
        return audit.Probabilities(
            {
                (i, k): (p[0] * q[0], p[1] * q[1])
                for i, p in enumerate(lower)
                for k, q in enumerate(upper)
            }
        )

    assert report(law_of, E1 + E2, 2, "replace-one").lo > E1 + E2


def test_the_firing_candidate_loses_coverage() -> None:
    """All records at 1, candidates 0 and 2: the firing candidate with <= counts is 2."""
    x, target = [1] * 20, public_target(HALF, TAIL, NOISE, 20)
    at_most = [target - sum(v <= t for v in x) for t in (0, 2)]
    chance = enclose_indices(at_most, E1, E2)[1]
    assert chance[0] > 2 * TAIL  # the end 2 lies above the median 1
    ends = IntervalLaw(records_of(x), (0, 2), (target, target), E1, E2).enclosures()
    assert sum(low for (a, b), (low, _) in ends.items() if a <= 1 <= b) > 1 - 2 * TAIL


def binomials(n: int, masses: tuple[Fraction, ...]) -> list[tuple[tuple[int, ...], Fraction]]:
    """All samples of n records of a population, with their probabilities."""
    found = []
    for counts in product(range(n + 1), repeat=len(masses)):
        if sum(counts) != n:
            continue
        left, chance = n, Fraction(1)
        for count, mass in zip(counts, masses, strict=True):
            chance *= comb(left, count) * mass**count
            left -= count
        found.append((counts, chance))
    return found


def coverage(
    n: int, masses: tuple[Fraction, ...], points: tuple[int, ...], targets: tuple[int, int]
) -> Fraction:
    """A lower bound on the probability that the interval holds the population's median."""
    candidates = (0, 2, 4, 6)
    quantile = next(p for i, p in enumerate(points) if sum(masses[: i + 1]) >= HALF)
    total = Fraction(0)
    for counts, chance in binomials(n, masses):
        x = [p for p, count in zip(points, counts, strict=True) for _ in range(count)]
        ends = IntervalLaw(records_of(x), candidates, targets, E1, E2).enclosures(64)
        total += chance * sum(low for (a, b), (low, _) in ends.items() if a <= quantile <= b)
    return total


@pytest.mark.parametrize("points", [(1, 3, 5), (0, 2, 6), (2, 3, 4)])
@pytest.mark.parametrize("n", [1, 4])
def test_coverage_is_exact_for_every_population(points: tuple[int, ...], n: int) -> None:
    targets = public_target(HALF, TAIL, NOISE, n), public_target(HALF, TAIL, NOISE, n)
    for a, b in [(1, 1), (1, 6), (6, 1), (4, 0), (4, 4), (0, 7), (3, 2)]:
        masses = Fraction(a, 8), Fraction(b, 8), Fraction(8 - a - b, 8)
        assert coverage(n, masses, points, targets) >= 1 - 2 * TAIL


def missed_from_below(n: int, target: int) -> Fraction:
    """P(lower end > median) for half of the population at 1 and half at 3, candidates 0, 2, 4."""
    total = Fraction(0)
    for counts, chance in binomials(n, (HALF, HALF)):
        x = [1] * counts[0] + [3] * counts[1]
        ends = IntervalLaw(records_of(x), (0, 2, 4), (target, target), E1, E2).enclosures(64)
        total += chance * sum(low for (a, _), (low, _) in ends.items() if a > 1)
    return total


@pytest.mark.parametrize("n", [1, 4, 12])
def test_higher_targets_lose_coverage(n: int) -> None:
    """The target is the largest that is safe: one rank more fails for some population."""
    target = public_target(HALF, TAIL, NOISE, n)
    assert missed_from_below(n, target) <= TAIL < missed_from_below(n, target + 1)


def test_the_loudest_of_several_counts_loses_coverage() -> None:
    """Only one count is known to stay quiet: the noise of more may not be counted on."""
    n, target = 12, 0
    while naive_chance(n, HALF, NOISE, target + 1, counts=4) <= TAIL:
        target += 1
    assert missed_from_below(n, target) > TAIL


def naive_chance(n: int, q: Fraction, noise: Noise, a: int, counts: int = 1) -> float:
    """P(B + V - T < a) summed term by term; V is the loudest of ``counts`` noises."""
    from math import exp

    rho, sigma = exp(-float(noise.e1)), exp(-float(noise.e2))
    total = 0.0
    for b in range(n + 1):
        mass = float(comb(n, b) * q**b * (1 - q) ** (n - b))
        for v in range(int(40 / noise.e2) + 1):
            quiet = 1.0 if b + v < a else rho ** (b + v - a + 1)
            loudest = (1 - sigma ** (v + 1)) ** counts - (1 - sigma**v) ** counts
            total += mass * loudest * quiet
    return total


@pytest.mark.parametrize("q", [HALF, Fraction(1, 10), Fraction(99, 100)])
@pytest.mark.parametrize(
    "noise", [DEFAULT, Noise(Fraction(1, 25), Fraction(3, 50))], ids=["1", ".1"]
)
def test_targets_equal_the_definition(q: Fraction, noise: Noise) -> None:
    for n in (0, 1, 2, 7, 40, 300):
        a = public_target(q, TAIL, noise, n)
        assert naive_chance(n, q, noise, a) <= TAIL < naive_chance(n, q, noise, a + 1)


@pytest.mark.parametrize("q", [HALF, Fraction(1, 10), Fraction(99, 100)])
@pytest.mark.parametrize("noise", [DEFAULT, Noise(Fraction(4), Fraction(6))], ids=["1", "10"])
def test_targets_of_many_rows_continue_the_exact_table(q: Fraction, noise: Noise) -> None:
    rows = np.array([500, 2000, TABLE])
    exact = [public_target(q, TAIL, noise, int(n)) for n in rows]
    assert _many(rows, q, TAIL, noise).tolist() == exact


@pytest.mark.parametrize("q", [HALF, Fraction(1, 10), Fraction(99, 100)])
def test_private_targets_step_in_one_end_at_a_time_and_stay_below(q: Fraction) -> None:
    rows = 5000  # past the exact part of the table
    pairs = [private_targets(q, TAIL, DEFAULT, n) for n in range(rows)]
    for (a, b), (c, d) in pairwise(pairs):
        assert (c - a, d - b) in {(0, 0), (0, 1), (1, 0)}
    for n in (*range(0, 300, 7), 4095, 4096, 4097, 4500, 4999):
        a, b = pairs[n]
        wanted = [public_target(p, TAIL, DEFAULT, n) for p in (q, 1 - q)]
        lag = 3 if n <= TABLE else 8  # one stray for a block of n
        assert wanted[0] - lag <= a <= wanted[0]
        assert wanted[1] - lag <= b <= wanted[1]


TAILS = [Fraction(1, 40), Fraction(1, 2000)]
ORDERS = [HALF, Fraction(1, 4), Fraction(1, 10), Fraction(1, 1000), 1 - Fraction(1, 10**17)]


@pytest.mark.share(1 / 3)
@pytest.mark.parametrize("epsilon", ["1", "1/20", "1/40", "1/100", "1/1000", "1/10**9"])
@pytest.mark.parametrize("tail", TAILS, ids=str)
@pytest.mark.parametrize("q", ORDERS, ids=["1/2", "1/4", "1/10", "1/1000", "near 1"])
def test_private_targets_step_in_one_end_at_a_time_for_any_n(
    q: Fraction, tail: Fraction, epsilon: str
) -> None:
    share = Fraction(1, 10**9) if "**" in epsilon else Fraction(epsilon)
    noise = Noise(share * 2 / 5, share * 3 / 5)
    for start in (0, 250, 500, 4090, 4350, 8185, 16380, 131070, 10**7):
        step_in_one_end(q, tail, noise, start)


def step_in_one_end(q: Fraction, tail: Fraction, noise: Noise, start: int) -> None:
    pairs = [private_targets(q, tail, noise, n) for n in range(start, start + 12)]
    for (a, b), (c, d) in pairwise(pairs):
        assert (c - a, d - b) in {(0, 0), (0, 1), (1, 0)}


@pytest.mark.parametrize("start", [10**12 - 6, 2**40, 2**62], ids=["last computed", "40", "62"])
def test_private_targets_step_in_one_end_at_a_time_beyond_all_files(start: int) -> None:
    for noise in (DEFAULT, NARROW):
        step_in_one_end(Fraction(1, 10), TAILS[0], noise, start)


@pytest.mark.parametrize("q", [HALF, Fraction(9, 10)])
@pytest.mark.parametrize("n", [5000, 100_000, 10**7])
def test_a_private_number_of_records_widens_the_interval_little(q: Fraction, n: int) -> None:
    """Behind the exact targets by at most an eighth of their distance to the quantile."""
    tail = Fraction(1, 40)
    for noise in (DEFAULT, Noise(Fraction(1, 25), Fraction(3, 50))):
        for order, target in zip((q, 1 - q), private_targets(q, tail, noise, n), strict=True):
            exact = public_target(order, tail, noise, n)
            assert 0 <= exact - target <= (n * order - exact) / 8


def test_one_record_does_not_decide_where_records_are_many() -> None:
    """8,192 records and one more: both the same answers but for the noise of a tiny epsilon."""
    targets = [private_targets(Fraction(1, 4), Fraction(1, 40), NARROW, n) for n in (8192, 8193)]
    assert sum(abs(a - b) for a, b in zip(*targets, strict=True)) <= 1


NARROW = Noise(Fraction(1, 100), Fraction(3, 200))


@pytest.mark.parametrize("epsilon", ["1", "1/20", "1/50", "1/100", "1/1000"])
@pytest.mark.parametrize("n", [4097, 4105, 8192, 100_000])
@pytest.mark.parametrize(
    "q", [HALF, Fraction(1, 10), Fraction(9, 10), Fraction(99, 100), Fraction(1, 2000)]
)
def test_targets_of_many_rows_are_safe(q: Fraction, n: int, epsilon: str) -> None:
    noise = Noise(Fraction(epsilon) * 2 / 5, Fraction(epsilon) * 3 / 5)
    tail = Fraction(1, 40)
    for order in (q, 1 - q):
        assert convolved(public_target(order, tail, noise, n), n, order, noise) <= tail
    for order, a in zip((q, 1 - q), private_targets(q, tail, noise, n), strict=True):
        assert convolved(a, n, order, noise) <= tail


def convolved(a: int, n: int, q: Fraction, noise: Noise) -> float:
    """P(B + V - T < a), less a millionth of a millionth for rounding."""
    from scipy.stats import binom

    b = np.arange(n + 1)
    e1, e2 = float(noise.e1), float(noise.e2)
    gap = a - b  # P(V - T < gap)
    low = np.exp(e1 * np.minimum(gap - 1.0, 0)) * np.expm1(-e2) / np.expm1(-e1 - e2)
    high = 1 - np.exp(-e2 * np.maximum(gap, 0.0)) * np.expm1(-e1) / np.expm1(-e1 - e2)
    chance = float(binom.pmf(b, n, float(q)) @ np.where(gap <= 0, low, high))
    return chance * (1 - 1e-12)


@pytest.mark.parametrize("epsilon", ["1/1000", "1/50", "1", "5", "50"])
@pytest.mark.parametrize("n", [300, 20_000])
@pytest.mark.parametrize("q", [HALF, Fraction(1, 10), Fraction(3, 1000)])
def test_chances_beyond_the_table_are_bounds_and_close(q: Fraction, n: int, epsilon: str) -> None:
    noise = Noise(Fraction(epsilon) * 2 / 5, Fraction(epsilon) * 3 / 5)
    places = n * float(q) + np.arange(-6, 1) * float(n * q * (1 - q)) ** 0.5
    for a in np.floor(places[places >= 1]):
        exact = convolved(int(a), n, q, noise)
        found = float(_chance(np.array([a]), np.array([float(n)]), q, noise)[0])
        assert exact * (1 - 1e-8) <= found <= exact * 1.005


@pytest.mark.parametrize("confidence", ["1e-250", "0." + "9" * 250, "0." + "9" * 400])
@pytest.mark.parametrize("epsilon", ["1", "1e-60", "1e60"])
def test_any_confidence_and_any_epsilon_give_an_answer(confidence: str, epsilon: str) -> None:
    statistic = QuantileInterval(
        q="1/4", confidence=confidence, bounds=(0, 3), step=1, missing="none"
    )
    for relation in ("replace-one", "add-remove"):
        for n in (0, 10, 5000):
            low, high = release(statistic, [0.0, 2.0] * n, epsilon=epsilon, relation=relation).value
            assert 0 <= low <= high <= 3


@pytest.mark.parametrize("q", ["1e-400", "1e-17", "0.99999999999999999"])
@pytest.mark.parametrize("n", [4096, 8193])
def test_extreme_orders_and_small_shares_give_an_answer(q: str, n: int) -> None:
    statistic = QuantileInterval(q=q, bounds=(0, 3), step=1, missing="none")
    for relation in ("replace-one", "add-remove"):
        for epsilon in ("1/2", "1e-50"):
            low, high = release(
                statistic, [0.0, 2.0] * (n // 2), epsilon=epsilon, relation=relation
            ).value
            assert 0 <= low <= high <= 3


def test_a_table_is_a_prefix_of_every_longer_one() -> None:
    short = [private_targets(HALF, TAIL, NOISE, n) for n in (10, 4100, 5000)]
    private_targets(HALF, TAIL, NOISE, 9000)
    assert short == [private_targets(HALF, TAIL, NOISE, n) for n in (10, 4100, 5000)]


def test_boundaries_count_what_heights_say() -> None:
    """The sampler's boundaries are those of the naive stream."""
    data = [0, 0, 1, 3, 3, 3, 5, 9]
    for candidates in ((0, 1, 2, 3, 5, 9), (0, 4, 9), (0, 9), range(10)):
        for a, b in ((0, 0), (3, 4), (-2, 9), (8, 8)):
            ends = IntervalLaw(records_of(data), candidates, (a, b), E1, E2)
            streams = [ends._lower()] + [ends._upper(i) for i in range(1, len(candidates) + 1)]
            for stream in streams:
                heights = [stream.height(i) for i in range(stream.count)]
                assert heights == sorted(heights, reverse=True)
                for g in range(-12, 13):
                    assert stream.first_below(g) == sum(h >= g for h in heights)
            lower = [a - sum(x < t for x in data) for t in candidates[1:]]
            assert [streams[0].height(i) for i in range(streams[0].count)] == lower
            upper = [b - sum(x > t for x in data) for t in reversed(candidates[1:-1])]
            assert [streams[1].height(i) for i in range(streams[1].count)] == upper
