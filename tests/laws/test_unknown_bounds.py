"""Privacy of every stage of the search for bounds, by enumeration."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import Laplace, LaplaceRatio, PureDP, audit
from leastnoise.frames.memory.numbers import SortedNumbers, centred_sums
from leastnoise.frames.memory.sums import exact_sum
from leastnoise.laws.first_firing import enclose_indices
from leastnoise.mechanisms.bracket import (
    GROWTH,
    bracket_heights,
    bracket_split,
    brackets,
    radii,
    radius_heights,
    radius_split,
)
from leastnoise.randomness import HashedBits
from leastnoise.sampling.unsorted import draw_first
from leastnoise.session.search import bounds_search, centred_moment
from leastnoise.session.search.centred_moment import MomentShares, moment_shares
from leastnoise.statistics.totals.mean import mean_profile
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.moments import MomentSummary
from leastnoise.testing import simulate

EPSILON = Fraction(1)
RELATIONS = ("replace-one", "add-remove", "edit")
Heights = Callable[[SortedNumbers], Sequence[int]]


def report(
    heights: Heights,
    split: tuple[Fraction, Fraction],
    relation: str,
    universe: Sequence[float],
    claim: Fraction = EPSILON,
    n: int = 4,
) -> audit.ExactReport:
    def law_of(data: tuple[float, ...]) -> audit.Probabilities:
        found = heights(SortedNumbers(np.array(sorted(data), dtype=np.float64)))
        return audit.Probabilities(dict(enumerate(enclose_indices(found, *split))))

    return audit.exact_law(law_of, universe=universe, n=n, relation=relation, claim=PureDP(claim))


# Stage A on a few of its intervals, in its order: overlapping, disjoint and nested ones.
ENDS = [(0, 1), (1, 2), (-1, 0), (0.5, 1.5), (0, 2), (2, 4), (0, 4), (-4, 0)]
PICKED = [
    next(i for i, b in enumerate(brackets()) if (b.low, b.low + b.width) == ends) for ends in ENDS
]
POINTS = (-1.0, 0.25, 1.0, 3.0)


def stage_a(numbers: SortedNumbers) -> list[int]:
    heights = bracket_heights(numbers)
    return [heights[i] for i in PICKED]


@pytest.mark.parametrize("relation", RELATIONS)
def test_stage_a(relation: str) -> None:
    assert report(stage_a, bracket_split(EPSILON, relation), relation, POINTS).passed


@pytest.mark.parametrize("relation", ["replace-one", "edit"])
def test_stage_a_at_the_monotone_price_breaks_the_claim(relation: str) -> None:
    """A replaced record raises one interval's count and lowers another's."""
    split = bracket_split(EPSILON, "add-remove")
    assert report(stage_a, split, relation, POINTS).lo > EPSILON


def test_different_constants_break_the_claim_under_add_remove() -> None:
    """One constant for all intervals is what makes the heights move one way."""

    def uneven(numbers: SortedNumbers) -> list[int]:
        n = len(numbers)
        return [h + (n if i % 2 else 0) for i, h in enumerate(stage_a(numbers))]

    split = bracket_split(EPSILON, "add-remove")
    assert report(uneven, split, "add-remove", POINTS).lo > EPSILON


def test_the_stage_a_heights_are_the_definition() -> None:
    rng = np.random.default_rng(3)
    for size in (0, 1, 2, 5, 30):
        x = np.sort(np.concatenate([rng.normal(1, 2, size), [0.0] * (size // 3)]))
        for b, height in list(zip(brackets(), bracket_heights(SortedNumbers(x)), strict=True))[::7]:
            inside = sum(b.low <= Fraction(v) <= b.low + b.width for v in x.tolist())
            assert height == -(-3 * len(x) // 4) - inside


def stage_d(numbers: SortedNumbers) -> list[int]:
    # a stop rank of 4 / 4 = 1, so that few records matter
    return radius_heights(numbers, 1, Fraction(1, 2), [1, 2, 4, 9], Fraction(4))


@pytest.mark.parametrize("relation", RELATIONS)
def test_stage_d(relation: str) -> None:
    assert report(stage_d, radius_split(EPSILON), relation, (0.5, 1.4, 2.5, 9.0)).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_stage_d_of_losses(relation: str) -> None:
    def limits(losses: SortedNumbers) -> list[int]:
        steps = radii(3, Fraction(1, 2), GROWTH**2)[:4]
        return radius_heights(losses, 0, Fraction(1, 2), steps, Fraction(4))

    assert report(limits, radius_split(EPSILON), relation, (0.0, 1.6, 2.1, 9.0)).passed


@pytest.mark.parametrize("relation", RELATIONS)
def test_the_answer_below_a_released_limit(relation: str) -> None:
    """Losses cut at the limit, on its lattice: the mechanism that ``unknown_losses`` takes."""
    lattice = Lattice(Fraction(1, 2), 0, 6)

    def law_of(losses: tuple[float, ...]) -> object:
        n, total = exact_sum(np.array(losses, dtype=np.float64), lattice, None)
        p = mean_profile(MomentSummary(n, total, lattice, (), (), 0), relation)
        return (Laplace() if relation == "replace-one" else LaplaceRatio()).law(p, 1)

    found = audit.exact_law(
        law_of, universe=(0.0, 1.2, 50.0), n=3, relation=relation, claim=PureDP(1)
    )
    assert found.passed


def test_stage_d_attains_its_price() -> None:
    split = radius_split(EPSILON)
    assert report(stage_d, split, "replace-one", (0.5, 1.4, 2.5, 9.0), EPSILON * 9 / 10).lo > (
        EPSILON * 9 / 10
    )


def test_intervals_that_are_not_nested_break_the_price_of_stage_d() -> None:
    def shifted(numbers: SortedNumbers) -> list[int]:
        ordered = numbers.ordered
        inside = [(0, 1), (2, 3), (0.2, 1.2), (2.2, 3.2)]
        return [int(len(ordered) - np.sum((ordered >= a) & (ordered <= b))) for a, b in inside]

    assert report(shifted, radius_split(EPSILON), "replace-one", (0.5, 2.5)).lo > EPSILON


@pytest.mark.parametrize("first", [1, 2, 7, 1000])
def test_radii_ascend_to_the_widest_bracket(first: int) -> None:
    """By a seventh up to 25 times the first, then each twice the last."""
    for step in (Fraction(1, 2**50), Fraction(1), Fraction(2**50)):
        found = radii(first, step)
        assert found == sorted(set(found))
        assert found[0] == first
        assert found[23] <= max(26 * first, first + 40)
        assert found[-1] * step >= 2**60
        assert all(b == 2 * a for a, b in pairwise(found[23:]))


@pytest.mark.parametrize("relation", RELATIONS)
def test_stage_d_with_radii_far_away(relation: str) -> None:
    """A stop rank of their own, a constant too."""

    def far(numbers: SortedNumbers) -> list[int]:
        steps = radii(1, Fraction(2**55))
        return radius_heights(numbers, 0, Fraction(2**55), steps, Fraction(16))[-8:]

    universe = (0.0, 2.0**57, 2.0**60, 2.0**70)
    assert report(far, radius_split(EPSILON), relation, universe).passed


@pytest.mark.parametrize("share", [0.06, 0.2, 0.24, 0.3, 0.8, 0.94])
@pytest.mark.parametrize("statistic", [ln.Mean, ln.Sum, ln.Variance])
def test_bounds_hold_records_off_the_number_that_most_are(statistic: Any, share: float) -> None:
    x = 1000.0 * (np.random.default_rng(2).random(8000) < share)
    truth = {ln.Mean: x.mean(), ln.Sum: x.sum(), ln.Variance: x.var()}[statistic]
    with simulate("off"):
        record = ln.release(statistic(bounds=ln.PrivateBounds(), missing="none"), x, epsilon=1)
    assert record.value == pytest.approx(truth, rel=0.1)


def rates_drawn(
    shares: MomentShares, units: int, monkeypatch: pytest.MonkeyPatch
) -> list[Fraction]:
    """The rates of the noises that a release draws, in units of a limit."""
    found: list[Fraction] = []
    monkeypatch.setattr(centred_moment, "UNITS", units)
    monkeypatch.setattr(centred_moment, "_noise", lambda rate, _: found.append(rate) or 0)
    centred_moment.noisy_variance((0, 0), 4, shares, HashedBits(b"rates"))
    return found


def moment_loss(rates: list[Fraction], u: int | None, v: int | None) -> Fraction:
    """The loss of the noisy numbers when u becomes v (None: no record), by definition."""
    second = abs((u or 0) ** 2 - (v or 0) ** 2)
    moved = abs(sum(one is not None for one in (u, v)) - 2)
    moves = second, abs((u or 0) - (v or 0)), moved
    return sum((rate * move for rate, move in zip(rates, moves, strict=False)), Fraction(0))


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("ratio", ["1/4", "1/2", "1", "2"])
def test_the_joint_cost_of_the_moments(
    ratio: str, public: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    a = Fraction(1)
    b = Fraction(ratio)
    shares = MomentShares(a, b, None if public else b * b / 4)
    for units in (1, 2, 5, 16):
        rates = rates_drawn(shares, units, monkeypatch)
        assert len(rates) == (2 if public else 3)
        points = range(-units, units + 1)
        pairs = list(product(points, points))
        if not public:
            pairs += [(None, v) for v in points]
        worst = max(moment_loss(rates, u, v) for u, v in pairs)
        assert worst <= shares.cost
        if units == 16:
            assert worst >= shares.cost * Fraction(99, 100)
    assert shares.cost < a + b if public else shares.cost == a + b + b * b / 4


def test_half_of_the_first_moment_is_not_the_whole_price(monkeypatch: pytest.MonkeyPatch) -> None:
    """e_a + e_b / 2 alone, without the cross term, is broken."""
    shares = MomentShares(Fraction(1), Fraction(2), None)
    points, rates = range(-16, 17), rates_drawn(shares, 16, monkeypatch)
    worst = max(moment_loss(rates, u, v) for u, v in product(points, points))
    assert worst > shares.second + shares.first / 2


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("records", [1, 40, 1000, 10**6])
def test_moment_shares_cost_epsilon(records: int, public: bool) -> None:
    shares = moment_shares(Fraction(1, 3), records, public=public)
    assert shares.cost == Fraction(1, 3)


def test_centred_sums_are_exact_and_clipped() -> None:
    x = np.array([0.0, 1.0, 2.0, 50.0, -np.inf, np.inf])
    assert centred_sums(x, 1.0, 1.0) == (1 + 0 + 1 + 49**2 + 2 * 2**40, -1 + 1 + 49)


def test_the_unsorted_sampler_follows_the_law() -> None:
    heights, e1, e2 = [9, -1, 4, 0, 30, 2], Fraction(1, 2), Fraction(1, 3)
    exact = [float(low) for low, _ in enclose_indices(heights, e1, e2)]
    source, draws = HashedBits(b"unsorted"), 20_000
    counts = np.zeros(len(exact))
    for _ in range(draws):
        index = draw_first(heights, e1, e2, source)
        counts[len(heights) if index is None else index] += 1
    expected = np.array(exact) * draws
    error = np.sqrt(expected * (1 - np.array(exact))) + 1
    assert np.all(np.abs(counts - expected) < 5 * error)


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_stage_is_drawn_at_the_price_that_it_says(
    relation: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the order of the stages, and with what is left they are all of epsilon."""
    drawn: list[Fraction] = []

    def seen(name: str, place: int) -> None:
        made = getattr(bounds_search, name)

        def counted(*given: Any) -> Any:
            drawn.append(given[place])
            return made(*given)

        monkeypatch.setattr(bounds_search, name, counted)

    def noise(top: int, bottom: int, source: object) -> int:
        drawn.append(Fraction(top, bottom))
        return 0

    monkeypatch.setattr(bounds_search, "discrete_laplace", noise)
    shares = [Fraction(1, k) for k in (4, 5, 6, 7)]  # the own ones of two stages are alike
    monkeypatch.setattr(bounds_search, "search_shares", lambda *given, **more: shares)
    for name, place in (("bracket_split", 0), ("private_quantile", 3), ("radius_split", 0)):
        seen(name, place)
    numbers = SortedNumbers(np.linspace(-3, 40, 5000))
    search = bounds_search.Search(numbers, relation, EPSILON, None, HashedBits(b"prices"))
    found = search.run(short=False)
    assert len(drawn) == (4 if relation == "replace-one" else 5)
    assert len(set(drawn)) == len(drawn)
    assert drawn == [*found.spent.values()]
    assert sum(drawn) + found.left == EPSILON
